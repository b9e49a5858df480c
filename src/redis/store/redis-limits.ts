import type { Allowance, Limits, RateLimit } from '../../store/limits.ts';
import { StoreError } from '../../store/store.ts';
import type { Calls } from './calls.ts';
import { asStoreError } from './engine.ts';
import type { RedisKeys } from './keys.ts';
import { storeScripts } from './store-scripts.ts';

const granted: Allowance = { ok: true };

/** Measures in Redis, by its clock. */
export class RedisLimits implements Limits {
  readonly #calls: Calls;
  readonly #keys: RedisKeys;

  constructor(calls: Calls, keys: RedisKeys) {
    this.#calls = calls;
    this.#keys = keys;
  }

  async take(key: string, rate: RateLimit, cost = 1): Promise<Allowance> {
    const { perSecond, burst = Math.max(1, perSecond) } = rate;
    if (perSecond === Infinity || burst === Infinity) return granted;
    const retryAfterMs = await this.#taken(key, [perSecond, burst, cost]);
    return retryAfterMs === null ? granted : { ok: false, retryAfterMs: Number(retryAfterMs) };
  }

  async #taken(key: string, values: readonly number[]): Promise<unknown> {
    try {
      return await this.#calls.run(storeScripts.take, [this.#keys.measure(key)], values);
    } catch (error) {
      const { message, cause, reason } = asStoreError(error);
      // There is no other reason not to know.
      throw new StoreError('unavailable', message, { cause: reason === 'full' ? error : cause });
    }
  }
}
