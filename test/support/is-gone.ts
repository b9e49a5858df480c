import { settledWithin } from '../../packages/parley/src/jsonrpc/timeout.ts';

/** Whether a process ends within half a minute. */
export async function isGone(pid: number): Promise<boolean> {
  for (let tries = 0; tries < 600; tries++) {
    try {
      process.kill(pid, 0);
    } catch {
      return true;
    }
    await settledWithin(50, new Promise(() => {}));
  }
  return false;
}
