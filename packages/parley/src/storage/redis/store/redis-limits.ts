import type { RateDecision, Limits, RateLimit } from '../../limits.ts';
import type { Calls } from './calls.ts';
import type { RedisKeys } from './keys.ts';
import { storeScripts } from './store-scripts.ts';

const granted: RateDecision = { ok: true };

/** Measures in Redis, by its clock. */
export class RedisLimits implements Limits {
  readonly #calls: Calls;
  readonly #keys: RedisKeys;

  constructor(calls: Calls, keys: RedisKeys) {
    this.#calls = calls;
    this.#keys = keys;
  }

  async take(key: string, rate: RateLimit, cost = 1): Promise<RateDecision> {
    const { perSecond, burst = Math.max(1, perSecond) } = rate;
    if (perSecond === Infinity || burst === Infinity) return granted;
    const retryAfterMs = await this.#calls.run(storeScripts.take, [this.#keys.measure(key)], [perSecond, burst, cost]);
    return retryAfterMs === null ? granted : { ok: false, retryAfterMs: Number(retryAfterMs) };
  }
}
