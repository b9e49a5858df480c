import type { MaybePromise } from './maybe-promise.ts';

/** A rate at which one client may do something. */
export interface RateLimit {
  /** Number in one second, on average. */
  readonly perSecond: number;
  /** Number at once after a pause; one second's worth by default, and at least 1. */
  readonly burst?: number;
}

/** Answer of a measure: something may be done now, or not before some time. */
export type RateDecision = { readonly ok: true } | { readonly ok: false; readonly retryAfterMs: number };

/** Rate limits, by the clock of the store. */
export interface Limits {
  /**
   * Counts against a rate, by the generic cell rate algorithm. A refused request costs nothing.
   *
   * @param key Names the counter. A counter that was not used for the time of a full burst is as good as new, and no
   *   store keeps it.
   * @param rate The rate, always the same for one key.
   * @param cost The amount; 1 by default. More than the burst is never granted.
   * @returns If there is not enough left, the time until there may be, above 0 and at most that of a whole burst.
   * @throws StoreError `full` or `unavailable`.
   */
  take(key: string, rate: RateLimit, cost?: number): MaybePromise<RateDecision>;
}
