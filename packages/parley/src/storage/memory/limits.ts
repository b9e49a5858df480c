import type { Limits, RateLimit, RateDecision } from '../limits.ts';

/** Bounds of measures in memory. */
export interface MemoryLimitsBounds {
  readonly maxMeasures: number;
  now(): number;
}

const granted: RateDecision = { ok: true };

/** Measures of this process: of each the time at which its burst is whole again, which is all that the algorithm needs. */
export class MemoryLimits implements Limits {
  readonly #bounds: MemoryLimitsBounds;
  /** Ordered by their last use, the oldest first. */
  readonly #whole = new Map<string, number>();

  constructor(bounds: MemoryLimitsBounds) {
    this.#bounds = bounds;
  }

  take(key: string, { perSecond, burst = Math.max(1, perSecond) }: RateLimit, cost = 1): RateDecision {
    const now = this.#bounds.now();
    const most = (burst * 1000) / perSecond;
    let kept = this.#whole.get(key) ?? now;
    // More than a whole burst was never taken: the clock was set back since.
    if (kept > now + most + 0.001) this.#whole.set(key, (kept = now + most));
    const whole = Math.max(now, kept) + (cost * 1000) / perSecond;
    // Sums of fractions: a thousandth of a millisecond is nothing that was taken.
    const overMs = whole - now - most;
    if (overMs > 0.001) return { ok: false, retryAfterMs: Math.min(overMs, most) };
    this.#whole.delete(key);
    this.#whole.set(key, whole);
    this.#forget(now);
    return granted;
  }

  /** Removes counters that are as good as new, a few at a time, and those beyond the limit. */
  #forget(now: number): void {
    let looked = 0;
    for (const [oldest, whole] of this.#whole) {
      if (this.#whole.size <= this.#bounds.maxMeasures && (whole > now || ++looked > 2)) return;
      this.#whole.delete(oldest);
    }
  }
}
