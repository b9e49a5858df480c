/** Clients of Redis, as ioredis has them, and how a store makes its own. */

import { StoreError } from '../../store.ts';

/** Sentinels, from which the master of a Redis is found out. */
export interface RedisSentinels {
  /** The sentinels, one of which is enough. */
  readonly sentinels: readonly { readonly host?: string; readonly port?: number }[];
  /** Name that the sentinels have for the master. */
  readonly name: string;
  /** The user at Redis. */
  readonly username?: string;
  /** The password at Redis. */
  readonly password?: string;
  /** The user at the sentinels. */
  readonly sentinelUsername?: string;
  /** The password at the sentinels. */
  readonly sentinelPassword?: string;
  /** Number of the database; 0 by default. */
  readonly db?: number;
}

/**
 * Client of ioredis that the user made, `new Redis(…)` or `new Cluster(…)`. Its settings are used, and it is not
 * changed.
 */
export interface RedisClient {
  /** Sends any command. */
  call(command: string, ...words: string[]): Promise<unknown>;
  /** Makes another client with the same options. */
  duplicate(): RedisClient;
  /** Closes the connection at once. */
  disconnect(): void;
}

/** A client, as the store uses it. */
export interface EngineClient {
  readonly status: string;
  readonly options: {
    readonly host?: string;
    readonly port?: number;
    readonly path?: string | null;
    readonly sentinels?: readonly unknown[] | null;
    readonly keyPrefix?: string;
    readonly protocol?: number;
  };
  readonly isCluster?: boolean;
  /** For a cluster: the nodes of each slot, the primary first. */
  readonly slots?: readonly (readonly string[] | undefined)[];
  nodes?(role: 'master' | 'all'): readonly EngineClient[];
  refreshSlotsCache?(done?: (error?: unknown) => void): void;
  call(command: string, ...words: readonly (string | number)[]): Promise<unknown>;
  connect(): Promise<unknown>;
  disconnect(): void;
  duplicate(options?: object): EngineClient;
  duplicate(nodes: readonly [], options: object): EngineClient;
  // Listeners get the event's arguments.
  on(event: string, listener: (...heard: never[]) => void): unknown;
  once(event: string, listener: (...heard: never[]) => void): unknown;
}

/** Module `ioredis`, as far as it is used. */
interface Ioredis {
  readonly Redis: new (...settings: readonly (string | object)[]) => EngineClient;
  readonly Cluster: new (nodes: readonly object[], options: object) => EngineClient;
}

/**
 * Settings of every connection. Nothing waits in a client, and it sends nothing twice: the caller has its own clock,
 * and knows what may be repeated.
 */
const nodeSettings: Readonly<Record<string, unknown>> = {
  lazyConnect: true,
  enableOfflineQueue: false,
  autoResendUnfulfilledCommands: false,
  autoResubscribe: false,
  maxRetriesPerRequest: 0,
  keyPrefix: '',
  replyMapping: 'legacy',
  stringNumbers: false,
  readOnly: false,
  enableAutoPipelining: false,
  // A primary that became a replica without a word.
  reconnectOnError: (error: Error) => error.message.startsWith('READONLY'),
};

const settings = { ...nodeSettings, retryStrategy: (times: number) => Math.min(25 * 2 ** times, 1_000) } as const;

const clusterSettings = {
  lazyConnect: true,
  scaleReads: 'master',
  shardedSubscribers: false,
  enableAutoPipelining: false,
  keyPrefix: '',
  // Commands under way on a broken connection are not sent again.
  retryDelayOnFailover: 0,
  // The store itself refreshes the slots: the timer of ioredis restarts if the client is closed during a refresh.
  slotsRefreshInterval: 0,
  clusterRetryStrategy: (times: number) => Math.min(50 * times, 1_000),
} as const;

/** Settings of a connection that only listens. If it breaks, a new one is made. */
export const listeningSettings: Readonly<Record<string, unknown>> = {
  ...nodeSettings,
  retryStrategy: null,
  enableReadyCheck: true,
  // It may be silent for long. The listening code checks it.
  socketTimeout: undefined,
};

/** Loads ioredis, which a user of a URL has to have. */
async function loadIoredis(): Promise<Ioredis> {
  try {
    // Only the exports in `Ioredis` are used.
    const loaded = (await import('ioredis')) as unknown as Partial<Ioredis> & { readonly default?: Partial<Ioredis> };
    const { Redis, Cluster } = { ...loaded.default, ...loaded };
    if (Redis === undefined || Cluster === undefined) throw new TypeError('it has no Redis and Cluster');
    return { Redis, Cluster };
  } catch (cause) {
    throw new StoreError(
      'unavailable',
      'a store in Redis needs the package ioredis, version 6 or newer: npm install ioredis',
      {
        cause,
      },
    );
  }
}

/** Makes clients from a program's argument. @param callMs Time limit of a call. */
export async function madeOf(given: string | RedisSentinels | RedisClient, callMs: number): Promise<EngineClient> {
  // A connection has the time limits of a call. If it is silent for longer while a call is pending, it is closed.
  const times = { connectTimeout: callMs, socketTimeout: 2.5 * callMs };
  if (typeof given === 'string') {
    const { Redis } = await loadIoredis();
    return new Redis(given, { ...settings, ...times });
  }
  if ('sentinels' in given) {
    const { Redis } = await loadIoredis();
    return new Redis({ ...given, ...settings, ...times, role: 'master', failoverDetector: true });
  }
  // It is of ioredis, as was found out when it was given.
  const client = given as unknown as EngineClient;
  return client.isCluster === true
    ? client.duplicate([], { ...clusterSettings, redisOptions: { ...nodeSettings, ...times } })
    : client.duplicate({ ...settings, ...times });
}

/** Makes a client of the cluster to which a node belongs. */
export async function clusterOf(node: EngineClient): Promise<EngineClient> {
  const { Cluster } = await loadIoredis();
  const { host = '127.0.0.1', port = 6379 } = node.options;
  const { retryStrategy: _, ...redisOptions } = { ...node.options, ...nodeSettings } as Record<string, unknown>;
  return new Cluster([{ host, port }], { ...clusterSettings, redisOptions });
}

/** Name of a node of a cluster, as its slots have it. */
export function nodeKey({ options: { host = '127.0.0.1', port = 6379 } }: EngineClient): string {
  return `${host}:${port}`;
}

/** Host and port from a program's argument, as far as it names them; never a name or password. */
export function redisPlaceOf(given: string | RedisSentinels | RedisClient): string | undefined {
  if (typeof given === 'string') {
    const { hostname, port } = new URL(given);
    return hostname === '' ? undefined : `${hostname}:${port === '' ? '6379' : port}`;
  }
  if ('sentinels' in given) {
    const all = given.sentinels.map(({ host = '127.0.0.1', port = 26379 }) => `${host}:${port}`);
    return `sentinels ${all.join(', ')}`;
  }
  const client = given as unknown as EngineClient;
  const { host, path, sentinels } = client.options ?? {};
  // A client reports the host localhost even if it uses a socket or sentinels.
  const isNamed = client.isCluster !== true && host !== undefined && !path && !sentinels;
  return isNamed ? nodeKey(client) : undefined;
}

/** Removes credentials from a Redis URL: the part before the last @, the query, and an invalid port. */
export function withoutCredentials(text: string): string {
  const scheme = /^[a-z][a-z\d+.-]*:\/\//i.exec(text)?.[0] ?? '';
  const rest = text.slice(scheme.length);
  const [place = ''] = rest.slice(rest.lastIndexOf('@') + 1).split(/[?#]/, 1);
  // Without a host, a password may be in the place of the port.
  return scheme + place.replace(/:(?!\d{1,5}(\/|$)).*$/s, ':…');
}
