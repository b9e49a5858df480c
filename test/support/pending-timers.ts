/**
 * Knows the timers of our code that wait. Node counts only those that keep the process alive, so that one that nobody
 * cancelled would not be noticed.
 */

/** Test files that must leave no timer. */
export const timedTests: RegExp =
  /^packages\/parley\/src\/(?:auth\/client|bridge|client|connection|jsonrpc|protocol|server|tasks|transports)\//;

/** Timers that tests may leave: those of parts that many tests make and do not close, and those that expire by design. */
const mayStay: ReadonlySet<string> = new Set([
  'src/bridge/merged/walks.ts',
  'src/bridge/single/doorway.ts',
  'src/bridge/upstream/gap-brake.ts',
  'src/bridge/upstream/parked/holder.ts',
  'src/server/tasks/runner.ts',
  'src/tasks/keeper.ts',
  'src/transports/http/client/resume.ts',
  'src/transports/http/server/session/sessions.ts',
  'src/transports/http/server/silence.ts',
  'src/transports/http/server/stream.ts',
]);

/** By timer: its time in milliseconds, and where it was started. */
const pending = new Map<NodeJS.Timeout, readonly [ms: number, started: Error]>();

/** Replaces the timers of the process by timers that are known. */
export function watchTimers(): void {
  const { setTimeout: start, clearTimeout: clear } = globalThis;
  const watched = (run: (...args: unknown[]) => void, ms = 0, ...args: unknown[]): NodeJS.Timeout => {
    const fire = (): void => {
      pending.delete(timer);
      run(...args);
    };
    const timer = start(fire, ms);
    pending.set(timer, [ms, new Error('started here')]);
    return timer;
  };
  const cleared = (timer: Parameters<typeof clear>[0]): void => {
    pending.delete(timer as NodeJS.Timeout);
    clear(timer);
  };
  const parts = Object.getOwnPropertyDescriptors(start);
  globalThis.setTimeout = Object.defineProperties(watched, parts) as typeof setTimeout;
  globalThis.clearTimeout = Object.defineProperties(cleared, Object.getOwnPropertyDescriptors(clear));
}

/** Those that were started through `after`, and are not over: each with its time and the place that started it. */
export function pendingTimers(): readonly string[] {
  return [...pending].flatMap(([timer, [ms, { stack = '' }]]) => {
    const places = [...stack.matchAll(/file:\S+?\/((?:src|test)\/[^:]+):(\d+)/g)];
    const files = places.map(([, file = '']) => file);
    const after = files.lastIndexOf('src/jsonrpc/timeout.ts');
    const [, file = 'an unknown place', line = ''] = places[after + 1] ?? [];
    if (after === -1 || timer.hasRef() || mayStay.has(file)) return [];
    return [`timers of ${Math.ceil(ms / 1_000)} s or less, started at ${file}:${line}`];
  });
}
