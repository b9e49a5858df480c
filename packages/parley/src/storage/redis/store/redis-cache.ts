import { refuseUnknown, type Names } from '../../../options/known-names.ts';
import { createSeal } from '../../../sealing/seal.ts';
import type { SealingKey } from '../../../sealing/sealing-key.ts';
import type { CacheStore } from '../../cache.ts';
import { Calls } from './calls.ts';
import type { RedisClient, RedisSentinels } from './client.ts';
import { RedisEngine } from './engine.ts';
import { RedisKeys } from './keys.ts';
import { wholeTtl } from './redis-records.ts';
import { prefixOf, refuseName } from './redis-store.ts';
import { storeScripts } from './store-scripts.ts';

/** Limit of stored responses of one server. */
const maxResponses = 10_000;
/** The longest stored response, in characters. */
const maxResponseLength = 4 * 1024 * 1024;

/** Options of a cache in Redis. */
export interface RedisCacheOptions {
  /** Name of the program, the same in all processes that share the cache, like that of a store; `parley` by default. */
  readonly name?: string;
  /**
   * Keys that seal the responses, the newest first, 32 bytes each, as bytes or in base64. Methods and parameters stay
   * readable in Redis, since they are needed to remove stale responses. By default responses are not encrypted.
   */
  readonly keys?: readonly SealingKey[];
}

const optionNames: Names<RedisCacheOptions> = { name: 1, keys: 1 };

/** A cache of responses in Redis. */
export interface RedisCache extends CacheStore {
  /** Ends its connections; closing twice is fine. A client that was given stays open. */
  close(): void;
}

/**
 * Makes a cache of responses that clients of several processes share, for the option `cacheStore` of `connect`. It
 * stores up to 10,000 responses of each server, each for its lifetime and with up to 4 Mi characters. Beyond that it
 * drops some at random. It connects on first use.
 *
 * @param client A URL, sentinels, or a client of ioredis, as for `redis`.
 * @throws TypeError for any other value, and for unknown or invalid options.
 */
export function redisCache(client: string | RedisSentinels | RedisClient, options: RedisCacheOptions = {}): RedisCache {
  refuseUnknown('redisCache', options, optionNames);
  const { name = 'parley', keys: sealingKeys } = options;
  const prefix = prefixOf(client);
  refuseName(name);
  const seal = sealingKeys === undefined ? undefined : createSeal(sealingKeys, { purpose: 'cache' });
  // A cache may forget.
  const engine = new RedisEngine(client, () => undefined);
  const calls = new Calls(engine);
  const keys = new RedisKeys(prefix, name);
  const placeOf = (key: string): readonly [index: string, response: string] => {
    const index = keys.cache(serverOf(key));
    return [index, `${index}:${keys.tag(key)}`];
  };
  return {
    async get(key) {
      const [, response] = placeOf(key);
      const text = await calls.send('get', response);
      if (typeof text !== 'string') return undefined;
      return seal === undefined ? text : await seal.open(text, `cache ${key}`);
    },
    async set(key, value, ttlMs) {
      if (value.length > maxResponseLength) {
        // The earlier entry is older than this one, so it is removed.
        await calls.send('unlink', placeOf(key)[1]);
        return;
      }
      const text = seal === undefined ? value : await seal.seal(value, `cache ${key}`);
      await calls.run(storeScripts.cacheSet, placeOf(key), [key, wholeTtl(ttlMs), text, maxResponses, keys.tag(key)]);
    },
    async delete(beginning) {
      await calls.run(storeScripts.cacheDelete, [keys.cache(serverOf(beginning))], [beginning]);
    },
    close: () => engine.close(),
  };
}

/** The first part of a key, which is the server: all that is forgotten at once begins with it. */
function serverOf(key: string): string {
  const end = key.indexOf('\n');
  return end < 0 ? key : key.slice(0, end);
}
