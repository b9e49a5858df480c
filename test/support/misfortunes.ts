/** What befalls this process in the middle of what it does, by signals that nobody can catch. */

import { spawn } from 'node:child_process';

/** Ends this process. */
export function endNow(): never {
  process.kill(process.pid, 'SIGKILL');
  for (;;) wait();
}

/** Has this process stand still for a while, with all that it has in hand. */
export function standStill(ms: number): void {
  const wakes = `sleep ${ms / 1000}; kill -CONT ${process.pid}`;
  spawn('sh', ['-c', wakes], { detached: true, stdio: 'ignore' }).unref();
  const from = performance.now();
  process.kill(process.pid, 'SIGSTOP');
  while (performance.now() - from < ms / 2) wait();
}

/** A signal may take a moment, in which nothing may happen any more. */
function wait(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
}
