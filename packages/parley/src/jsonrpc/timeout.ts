/** Timers: the one place that has them, so that tests and other runtimes can see to them here. */

/** The longest delay that runtimes take, 24.8 days; a longer one would fire at once. */
const longest = 2_147_483_647;

/**
 * The time by which waits and expiries in this process are measured, in milliseconds since some moment: it never jumps, as the
 * wall clock does. What another process reads too has the time of `Date.now`.
 */
export function monotonicNow(): number {
  return performance.now();
}

/** The clock of Node that is there from the start, in seconds and nanoseconds. Bun and Deno have it too. */
interface QuickClock {
  hrtime(since?: [number, number]): [number, number];
}

/**
 * Notes the time. Node takes milliseconds to load `performance`, and most notes are never read.
 *
 * @returns Returns the noted time, as `monotonicNow` had it then.
 */
export function noteTime(
  clock: QuickClock | undefined = (globalThis as { process?: QuickClock }).process,
): () => number {
  if (typeof clock?.hrtime !== 'function') {
    const now = monotonicNow();
    return () => now;
  }
  const began = clock.hrtime();
  let noted: number | undefined;
  return () => {
    if (noted !== undefined) return noted;
    const [seconds, nanoseconds] = clock.hrtime(began);
    return (noted = monotonicNow() - seconds * 1000 - nanoseconds / 1e6);
  };
}

/**
 * Runs something once, later.
 *
 * @param ms Milliseconds; `Infinity` means never.
 * @param keepsAlive Whether the process waits for it, where the runtime lets us choose; it does not by default.
 * @returns Cancels it; cancelling late or twice is fine.
 */
export function after(ms: number, run: () => void, keepsAlive = false): () => void {
  let timer: unknown;
  // Whoever made it ends it: a test may put a clock of its own in place of the real one meanwhile.
  const clear = clearTimeout;
  const start = (left: number): void => {
    const next = left - longest;
    timer = setTimeout(next > 0 ? () => start(next) : run, Math.min(left, longest));
    // Where it is a number it has no such method, and the process no such choice.
    if (!keepsAlive) (timer as { unref?: () => void }).unref?.();
  };
  // What is over already is run at once, and runtimes warn of a negative time.
  if (ms !== Infinity) start(Math.max(0, ms));
  // What setTimeout gave is what clearTimeout takes, whatever the runtime makes of it; without a timer there is nothing to clear.
  return () => clear(timer as Parameters<typeof clear>[0]);
}

/**
 * Runs something once its time is over, and what had arrived by then was read: a process that stood still finds the end of
 * the time before it reads.
 *
 * @returns Cancels it; cancelling late or twice is fine.
 */
export function afterReading(ms: number, run: () => void): () => void {
  let isOver = false;
  const cancel = after(ms, () => soon(() => soon(() => isOver || run())));
  return () => {
    isOver = true;
    cancel();
  };
}

const settled = Promise.resolve();

/**
 * Runs something once what runs now is over, before any timer. It is a promise, which no clock of a test stands in for: Jest puts one in place of
 * `queueMicrotask` too. What throws is an unhandled rejection.
 */
export function microtask(run: () => void): void {
  void settled.then(run);
}

/** Runs something after everything that is ready now, where the runtime has a way for that; else on the next tick of a timer. */
export function soon(run: () => void): void {
  // Node, Bun and Deno have it; the types of the web do not know it.
  const { setImmediate } = globalThis as { setImmediate?: (run: () => void) => unknown };
  if (setImmediate === undefined) after(0, run, true);
  else setImmediate(run);
}

/**
 * Waits for something, but not for ever. The process lives until one of the two is over: what follows the wait is to
 * be run.
 *
 * @returns Whether it was settled in time; how it was settled does not matter.
 */
export function settledWithin(ms: number, work: Promise<unknown>): Promise<boolean> {
  return new Promise((resolve) => {
    const cancel = after(ms, () => resolve(false), true);
    const settled = (): void => {
      cancel();
      resolve(true);
    };
    work.then(settled, settled);
  });
}
