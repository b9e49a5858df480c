import { refuseUnknown, type Names } from '../../../options/known-names.ts';
import { refuseOther } from '../../../options/known-values.ts';
import { shown } from '../../../options/shown.ts';
import { harmless } from '../../../options/harmless.ts';
import { keysFrom, type SealingKeys } from '../../../sealing/sealing-key.ts';
import type { Store } from '../../store.ts';
import type { TaskStore } from '../../tasks.ts';
import { tasksIn } from '../redis-tasks.ts';
import { Calls } from './calls.ts';
import { withoutCredentials, type EngineClient, type RedisClient, type RedisSentinels } from './client.ts';
import { RedisEngine, maxCallMs, answeredWithin } from './engine.ts';
import { RedisKeys } from './keys.ts';
import { RedisListening } from './listening.ts';
import { RedisLimits } from './redis-limits.ts';
import { RedisRecords } from './redis-records.ts';
import { RedisStoreBus } from './redis-store-bus.ts';
import { RedisStreams } from './redis-streams.ts';
import { sealedRoom, sealedStore } from './sealed-store.ts';
import { taskConnection } from './task-connection.ts';

/** Options of a store in Redis. */
export interface RedisStoreOptions {
  /**
   * Name of the service, the same in all its processes and in no other service on the same Redis: letters, digits, `-`,
   * `_` and `.`, up to 64; `parley` by default. It is part of all keys, as in `p:parley:{…}:r`.
   */
  readonly name?: string;
  /**
   * RedisKeys that seal all texts in Redis (AES-256-GCM), the newest first: it seals, and any of them opens. 32 bytes
   * each, as bytes or in base64, the same in all processes. A text that no key opens counts as missing. A function is
   * called each minute. If it fails, `onWarning` gets the error, and the previous keys stay in use. By default texts
   * are not encrypted.
   */
  readonly keys?: SealingKeys;
  /**
   * Called once with the way in which the server, as configured, may lose data; printed to standard error by default.
   */
  readonly onWarning?: (message: string) => void;
}

const optionNames: Names<RedisStoreOptions> = { name: 1, keys: 1, onWarning: 1 };

/** A store with tasks. */
export interface RedisStore extends Store {
  /** The task store over the same connection. */
  readonly tasks: TaskStore;
}

/**
 * Makes a store in Redis 7.0 or later, or in Valkey 7.2 or later, that all processes of a service share: one server,
 * one with sentinels, or a cluster. It needs the package ioredis, version 6 or newer. It connects on its first use or
 * check.
 *
 * Data in Redis is as durable as its configuration. Redis must not drop unexpired data: `maxmemory-policy` must be
 * `noeviction`, otherwise `check` and all calls reject. All data expires by itself except tasks, which have their own
 * rules. If the store cannot be reached, each call rejects within 2 seconds, and during a longer outage at once. Texts
 * on the bus wait up to 5 seconds. Broken connections are opened again until the store is closed.
 *
 * @param client The URL, `redis://…` or `rediss://…`, of a server or of any node of a cluster; the sentinels; or a
 *   client of ioredis. The store takes
 * the settings of that client for its own connections, and leaves the client open.
 * @throws TypeError for any other value, and for unknown or invalid options.
 */
export function redis(client: string | RedisSentinels | RedisClient, options: RedisStoreOptions = {}): RedisStore {
  return redisWithin(maxCallMs, client, options);
}

/** Makes a store in Redis of which each call ends within a time, in milliseconds: tests of anything but that time have more of it, since a machine may be busy. */
export function redisWithin(
  callMs: number,
  client: string | RedisSentinels | RedisClient,
  options: RedisStoreOptions = {},
): RedisStore {
  refuseUnknown('redis', options, optionNames);
  const { name = 'parley', keys: sealingKeys, onWarning = (message) => console.error(message) } = options;
  refuseOther('function', 'onWarning', onWarning);
  const prefix = prefixOf(client);
  refuseName(name);
  if (
    sealingKeys !== undefined &&
    typeof sealingKeys !== 'function' &&
    !(Array.isArray(sealingKeys) && sealingKeys.length > 0)
  )
    throw new TypeError('keys must be a list of at least one sealing key');
  const warn = harmless(onWarning);
  const engine = new RedisEngine(client, warn, callMs);
  const keys = new RedisKeys(prefix, name);
  const calls = new Calls(engine);
  const listening = new RedisListening(engine);
  const room = sealingKeys === undefined ? 1 : sealedRoom;
  const bus = new RedisStoreBus(engine, { keys, listening, room });
  const store: RedisStore = {
    records: new RedisRecords(calls, keys, room),
    events: new RedisStreams(calls, keys, room),
    bus,
    limits: new RedisLimits(calls, keys),
    tasks: tasksIn(taskConnection(calls), { prefix: keys.tasks(), bus }),
    shared: true,
    check: () => checked(engine, keys),
    close() {
      listening.close();
      engine.close();
    },
  };
  if (sealingKeys === undefined) return store;
  const failed = (cause: unknown): void =>
    warn(`the sealing keys of the store could not be had: ${String(Object(cause).cause)}`);
  return { ...sealedStore(store, keysFrom(sealingKeys, failed, 'the store in Redis')), tasks: store.tasks };
}

/**
 * Finds a client's prefix for all keys.
 *
 * @throws TypeError if it is not a client, URL or sentinels.
 */
export function prefixOf(client: unknown): string {
  if (typeof client === 'string') {
    if (/^rediss?:\/\//.test(client) && URL.canParse(client)) return '';
    throw new TypeError(
      `the URL of a Redis begins with redis:// or rediss://; this is ${shown(withoutCredentials(client))}`,
    );
  }
  if (typeof client === 'object' && client !== null) {
    if ('sentinels' in client && Array.isArray(client.sentinels) && 'name' in client && typeof client.name === 'string')
      return '';
    if ('call' in client && 'duplicate' in client) {
      // Clients of ioredis have these options.
      const { options } = client as unknown as EngineClient;
      return options.keyPrefix ?? '';
    }
  }
  throw new TypeError(
    'a store in Redis needs a URL, { sentinels, name }, or a client of ioredis, new Redis(…) or new Cluster(…)',
  );
}

/** @throws TypeError for an invalid name of a service. */
export function refuseName(name: unknown): void {
  if (typeof name !== 'string' || !/^[\w.-]{1,64}$/.test(name))
    throw new TypeError('name must be up to 64 letters, digits, -, _ and .');
}

/** Writes a value at every primary, to detect a server that is down or full. */
async function checked(engine: RedisEngine, keys: RedisKeys): Promise<void> {
  try {
    const client = await answeredWithin(engine.open(), engine.callMs);
    const owners = new Set<string>();
    const wanted = engine.primaries(client).length;
    const writes: Promise<unknown>[] = [];
    for (let number = 0; owners.size < wanted && number < 1_000; number++) {
      const key = keys.probe(number);
      const owner = engine.ownerOf(client, key);
      if (owners.has(owner)) continue;
      owners.add(owner);
      writes.push(client.call('set', key, '1', 'PX', '60000'));
    }
    await answeredWithin(Promise.all(writes), engine.callMs);
  } catch (error) {
    engine.refresh();
    throw engine.errorOf(error);
  }
}
