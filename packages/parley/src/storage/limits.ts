import type { NowOrLater } from './now-or-later.ts';

/** A rate at which one client may do something. */
export interface RateLimit {
  /** Number in one second, on average. */
  readonly perSecond: number;
  /** Number at once after a pause; one second's worth by default, and at least 1. */
  readonly burst?: number;
}

/** Answer of a measure: something may be done now, or not before some time. */
export type Allowance = { readonly ok: true } | { readonly ok: false; readonly retryAfterMs: number };

/** Measures of how often somebody may ask, by the clock of the store. */
export interface Limits {
  /**
   * Takes from a measure, by the generic cell rate algorithm: what was refused costs nothing.
   *
   * @param key Names the measure. One that nobody took from for as long as its burst takes to come back is as if it were new, and no store keeps it.
   * @param rate Rate of the measure, always the same for one key.
   * @param cost Number that is taken; 1 by default. What is more than the burst is never granted.
   * @returns Where there are not enough left, the time after which there may be, above 0 and at most that of a whole burst.
   * @throws StoreError `full` or `unavailable`.
   */
  take(key: string, rate: RateLimit, cost?: number): NowOrLater<Allowance>;
}
