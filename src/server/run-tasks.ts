import { refuseUnknown, type Names } from '../options/known-names.ts';
import { refuseNoNumber } from '../options/known-values.ts';
import { after } from '../jsonrpc/timeout.ts';
import type { Server } from './server.ts';

/** Options of a process that only works on tasks. */
export interface RunTasksOptions {
  /** Ends the work; without one it goes on until the process ends. */
  readonly signal?: AbortSignal;
  /** Time that runs get to end in after the signal, in milliseconds; 10,000 by default. */
  readonly drainMs?: number;
}

const optionNames: Names<RunTasksOptions> = { signal: 1, drainMs: 1 };

/** Interval of the timer that keeps the process alive, in milliseconds. */
const aliveMs = 60_000;

/**
 * Works on the tasks of a server in a process that serves nobody, which it keeps alive; the server has the same tools and the same store as those that
 * do serve. After the signal nothing begins any more, what runs is waited for, and the server is closed.
 *
 * @returns What resolves when all that is done.
 * @throws TypeError for options that are unknown or make no sense.
 *
 * @example
 * const stop = new AbortController();
 * process.once('SIGTERM', () => stop.abort());
 * await runTasks(server, { signal: stop.signal });
 */
export function runTasks(server: Pick<Server, 'tasks' | 'close'>, options: RunTasksOptions = {}): Promise<void> {
  refuseUnknown('runTasks', options, optionNames);
  const { signal, drainMs = 10_000 } = options;
  refuseNoNumber('drainMs', drainMs);
  if (signal !== undefined && !(signal instanceof AbortSignal)) throw new TypeError('signal must be an AbortSignal');
  return worked(server, signal, drainMs);
}

async function worked(
  server: Pick<Server, 'tasks' | 'close'>,
  signal: AbortSignal | undefined,
  timeoutMs: number,
): Promise<void> {
  let rest = (): void => undefined;
  const stay = (): void => void (rest = after(aliveMs, stay, true));
  stay();
  if (signal?.aborted !== true)
    await new Promise<void>((resolve) => signal?.addEventListener('abort', () => resolve(), { once: true }));
  rest();
  await server.tasks.drain({ timeoutMs });
  await server.close();
}
