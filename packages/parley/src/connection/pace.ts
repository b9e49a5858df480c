/** Shortest interval at which a peer is asked, whatever it says, in milliseconds. */
const shortestMs = 100;

/** Interval where a peer says none. */
const usualMs = 1_000;

/** Longest interval that follows from nothing having changed. */
const slowestMs = 30_000;

/** Longest interval that a peer may ask for: what is asked later by its word would as well never be asked. */
const longestToldMs = 60 * 60_000;

const growth = 1.5;

/**
 * Intervals at which a peer is asked for a task: never shorter than it says, and longer while nothing changes. They are scattered, so
 * that many who wait do not ask at once. (Spec 2025-11-25, Tasks, Getting Tasks; ext-tasks, Polling: pollInterval is respected.)
 */
export class Pace {
  #unchanged = 0;

  /** Something changed. */
  changed(): void {
    this.#unchanged = 0;
  }

  /**
   * Time until the next request, in milliseconds.
   *
   * @param told Interval that the peer says.
   * @param random A number from 0 up to, not including, 1.
   */
  next(told: number | undefined, random: number): number {
    const base = baseOf(told);
    const grown = Math.min(Math.max(slowestMs, base), base * growth ** this.#unchanged++);
    const scattered = grown * (0.9 + 0.2 * random);
    return told === undefined ? Math.max(shortestMs, scattered) : Math.max(base, scattered);
  }
}

/** Interval that a peer says, within what makes sense. */
export function baseOf(told: number | undefined): number {
  return told === undefined ? usualMs : Math.min(longestToldMs, Math.max(shortestMs, told));
}
