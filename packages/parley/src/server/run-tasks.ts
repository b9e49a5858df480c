import { refuseUnknown, type Names } from '../options/known-names.ts';
import { refuseNoNumber } from '../options/known-values.ts';
import { after } from '../jsonrpc/timeout.ts';
import type { Server } from './server.ts';

/** Options of a process that only works on tasks. */
export interface RunTasksOptions {
  /** Ends the work. Without a signal it runs until the process ends. */
  readonly signal?: AbortSignal;
  /** Time that runs get to end in after the signal, in milliseconds; 10,000 by default. */
  readonly drainTimeoutMs?: number;
}

const optionNames: Names<RunTasksOptions> = { signal: 1, drainTimeoutMs: 1 };

/** Interval of the timer that keeps the process alive, in milliseconds. */
const aliveMs = 60_000;

/**
 * Works on the tasks of a server in a process that serves no clients, and keeps the process alive. The server must have
 * the same tools and the same store as the serving processes. After the signal, no task begins. The function waits for
 * running tasks and closes the server.
 *
 * @returns Resolves after that.
 * @throws TypeError for options that are unknown or make no sense.
 *
 * @example const stop = new AbortController(); process.once('SIGTERM', () => stop.abort()); await runTasks(server, {
 * signal: stop.signal });
 */
export function runTasks(server: Pick<Server, 'tasks' | 'close'>, options: RunTasksOptions = {}): Promise<void> {
  refuseUnknown('runTasks', options, optionNames);
  const { signal, drainTimeoutMs = 10_000 } = options;
  refuseNoNumber('drainTimeoutMs', drainTimeoutMs);
  if (signal !== undefined && !(signal instanceof AbortSignal)) throw new TypeError('signal must be an AbortSignal');
  return worked(server, signal, drainTimeoutMs);
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
