/** Shortest poll interval, whatever the peer requests, in milliseconds. */
const shortestMs = 100;

/** Interval if the peer names none. */
const usualMs = 1_000;

/** Longest interval that follows from nothing having changed. */
const slowestMs = 30_000;

/** Longest interval that a peer may request. Otherwise a bad value could delay a poll forever. */
const maxToldMs = 60 * 60_000;

const growth = 1.5;

/**
 * Poll intervals for a task of a peer: never shorter than it requests, and longer while nothing changes. They are
 * randomized, so that many waiting clients do not poll at once. (Spec 2025-11-25, Tasks, Getting Tasks; ext-tasks,
 * Polling: pollInterval is respected.)
 */
export class PollInterval {
  #unchanged = 0;

  /** Something changed. */
  changed(): void {
    this.#unchanged = 0;
  }

  /**
   * Time until the next request, in milliseconds.
   *
   * @param told Interval from the peer.
   * @param random A number from 0 up to, not including, 1.
   */
  next(told: number | undefined, random: number): number {
    const base = baseOf(told);
    const grown = Math.min(Math.max(slowestMs, base), base * growth ** this.#unchanged++);
    const scattered = grown * (0.9 + 0.2 * random);
    return told === undefined ? Math.max(shortestMs, scattered) : Math.max(base, scattered);
  }
}

/** Interval from a peer, within sensible limits. */
export function baseOf(told: number | undefined): number {
  return told === undefined ? usualMs : Math.min(maxToldMs, Math.max(shortestMs, told));
}
