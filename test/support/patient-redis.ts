/** Stores in Redis for tests of anything but how long a call takes: a machine that does other work lets a Redis wait for seconds. */

import { redisWithin, type redis, type RedisStore } from '../../packages/parley/src/storage/redis/store/redis-store.ts';
import { StoreError } from '../../packages/parley/src/storage/store.ts';

/** Far more than a call takes that is not stuck. */
const limitMs = 30_000;

/** Makes a store as `redis` does, whose calls have half a minute in the place of 2 seconds. */
export function patientRedis(...given: Parameters<typeof redis>): RedisStore {
  return redisWithin(limitMs, ...given);
}

/** Publishes a text, and counts who listens: nobody, as far as is known, while Redis cannot be reached. */
export async function heardBy({ bus }: RedisStore, channel: string, text: string): Promise<number> {
  try {
    return await bus.publish(channel, text);
  } catch (error) {
    if (error instanceof StoreError && error.reason === 'unavailable') return 0;
    throw error;
  }
}
