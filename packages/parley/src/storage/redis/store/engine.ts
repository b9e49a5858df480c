import { after, monotonicNow, soon } from '../../../jsonrpc/timeout.ts';
import { StoreError } from '../../store.ts';
import {
  clusterOf,
  madeOf,
  nodeKey,
  redisPlaceOf,
  type EngineClient,
  type RedisClient,
  type RedisSentinels,
} from './client.ts';
import { slotOf } from './keys.ts';
import { infoOf, requireSuitable } from './requirements.ts';

/** Time in which every call of a store ends, in milliseconds. */
export const maxCallMs = 2_000;
/** Time after which a cluster is asked again who has what, in milliseconds. */
const refreshMs = 5_000;

/** The connections of a store to its servers. The first call opens them. If that fails, the next call tries again. */
export class RedisEngine {
  readonly #given: string | RedisSentinels | RedisClient;
  readonly #warn: (message: string) => void;
  /** Time in which every call ends, in milliseconds. */
  readonly callMs: number;
  #opening: Promise<EngineClient> | undefined;
  #client: EngineClient | undefined;
  #ready: Promise<void> | undefined;
  #isClosed = false;
  #lastError: unknown;
  #refreshed = -Infinity;
  #cancelRefresh: (() => void) | undefined;
  #isWarned = false;

  constructor(
    given: string | RedisSentinels | RedisClient,
    warn: (message: string) => void,
    callMs: number = maxCallMs,
  ) {
    this.#given = given;
    this.#warn = warn;
    this.callMs = callMs;
  }

  /** Gives the client, connected for the first time; it may have lost its connection since. */
  async open(): Promise<EngineClient> {
    if (this.#isClosed) throw new StoreError('unavailable', 'the store is closed');
    if (this.#opening === undefined) {
      const opening = this.#open();
      this.#opening = opening;
      opening.catch(() => {
        if (this.#opening === opening) this.#opening = undefined;
      });
    }
    return await this.#opening;
  }

  /** The client, once it is there. */
  get client(): EngineClient | undefined {
    return this.#client;
  }

  /** The last error of a connection. */
  get lastError(): unknown {
    return this.#lastError;
  }

  /** Makes a store error from an error of this engine. */
  errorOf(error: unknown): StoreError {
    return asStoreError(error, this.#lastError, redisPlaceOf(this.#given));
  }

  /** Name of the node that has a key; empty if there is only one node. */
  ownerOf(client: EngineClient, key: string): string {
    return client.isCluster === true ? (client.slots?.[slotOf(key)]?.[0] ?? '') : '';
  }

  /** The node that has a key, if it can be used now. */
  readyFor(key: string): EngineClient | undefined {
    const client = this.#client;
    if (client?.status !== 'ready') return undefined;
    if (client.isCluster !== true) return client;
    const owner = this.ownerOf(client, key);
    const node = client.nodes?.('master').find((one) => nodeKey(one) === owner);
    if (node?.status === 'ready') return client;
    if (node?.status === 'wait') node.connect().catch(() => undefined);
    else this.refresh();
    return undefined;
  }

  /** Has a cluster tell who has what, a few times a second at most. */
  refresh(): void {
    const now = monotonicNow();
    if (this.#client?.isCluster !== true || now - this.#refreshed < 100) return;
    this.#refreshed = now;
    // It throws when the client is closing.
    try {
      this.#client.refreshSlotsCache?.(() => undefined);
    } catch (error) {
      this.#lastError = error;
    }
  }

  /** Resolves when it may be worth to try again, at most after some time. */
  async pause(ms: number): Promise<void> {
    this.refresh();
    const client = this.#client;
    let cancel = (): void => {};
    const waited = new Promise<void>((resolve) => {
      cancel = after(Math.max(0, ms), resolve, true);
    });
    if (client !== undefined && client.isCluster !== true && client.status !== 'ready')
      await Promise.race([this.#becomesReady(client), waited]);
    else await waited;
    cancel();
  }

  /** All primaries. */
  primaries(client: EngineClient): readonly EngineClient[] {
    return client.isCluster === true ? (client.nodes?.('master') ?? []) : [client];
  }

  close(): void {
    this.#isClosed = true;
    this.#cancelRefresh?.();
    this.#client?.disconnect();
    this.#opening?.then(
      (client) => client.disconnect(),
      () => undefined,
    );
  }

  /** True once it was closed. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  async #open(): Promise<EngineClient> {
    let client = await this.#connected(await madeOf(this.#given, this.callMs));
    try {
      const info = client.isCluster === true ? '' : await infoOf(client);
      if (/^cluster_enabled:1/m.test(info)) {
        if (typeof this.#given !== 'string')
          throw new StoreError('unavailable', 'this Redis is a node of a cluster: give a URL, or a Cluster of ioredis');
        const cluster = await clusterOf(client);
        client.disconnect();
        client = await this.#connected(cluster);
      }
      // Version 5 has no word for the protocol, and loses its place when a cluster ends a subscription.
      if (this.primaries(client).some(({ options }) => options.protocol === undefined))
        throw new StoreError('unavailable', 'a store in Redis needs ioredis 6 or newer, and this is an older one');
      const texts = client.isCluster === true ? await Promise.all(this.primaries(client).map(infoOf)) : [info];
      const [warning] = texts.map(requireSuitable).filter((said) => said !== undefined);
      if (warning !== undefined && !this.#isWarned) this.#warn(warning);
      this.#isWarned ||= warning !== undefined;
    } catch (error) {
      client.disconnect();
      throw this.errorOf(error);
    }
    // The client of ioredis gives up for good if it hears of another master while it asks a sentinel for the master.
    if (client.status === 'end') throw this.errorOf(new Error('Connection is closed'));
    client.once('end', () => this.#ended(client));
    this.#client = client;
    if (client.isCluster === true) this.#refreshLater();
    return client;
  }

  /** Forgets a client that has given up: the next call opens another one. */
  #ended(client: EngineClient): void {
    if (this.#client !== client) return;
    this.#client = undefined;
    this.#opening = undefined;
    this.#ready = undefined;
    this.#cancelRefresh?.();
  }

  #refreshLater(): void {
    if (this.#isClosed) return;
    this.#cancelRefresh = after(refreshMs, () => {
      this.refresh();
      this.#refreshLater();
    });
  }

  /** Resolves when there is a connection again; one listener is enough for all who wait. */
  async #becomesReady(client: EngineClient): Promise<void> {
    this.#ready ??= new Promise((resolve) =>
      client.once('ready', () => {
        this.#ready = undefined;
        resolve();
      }),
    );
    await this.#ready;
  }

  async #connected(client: EngineClient): Promise<EngineClient> {
    client.on('error', (error: unknown) => (this.#lastError = error));
    client.on('node error', (error: unknown) => (this.#lastError = error));
    const connecting = client.connect();
    try {
      await answeredWithin(connecting, this.callMs);
      return client;
    } catch (error) {
      client.disconnect();
      throw this.errorOf(error);
    }
  }
}

/** Rejects if work takes longer than the remaining time of a call. The work continues all the same. */
export function answeredWithin<Result>(work: Promise<Result>, ms: number): Promise<Result> {
  return new Promise((resolve, reject) => {
    // After a process stood still, its timer fires before data that has arrived. So the data is read first.
    const cancel = after(Math.max(0, ms), () => soon(() => reject(new TimeoutError(maxCallMs))), true);
    work.then(
      (value) => {
        cancel();
        resolve(value);
      },
      (error: unknown) => {
        cancel();
        reject(error);
      },
    );
  });
}

/** An answer that did not come in time. */
export class TimeoutError extends Error {
  constructor(ms: number) {
    super(`Redis did not answer in time (${Math.round(ms)} ms)`);
    this.name = 'TimeoutError';
  }
}

/**
 * Makes a store error from any error.
 *
 * @param earlier The last error of a connection.
 * @param place The store's address, for the operator.
 */
export function asStoreError(error: unknown, earlier?: unknown, place?: string): StoreError {
  if (error instanceof StoreError) return error;
  // It contains the sent command, which may be a secret.
  if (error instanceof Error && 'command' in error) delete error.command;
  const words = messageOf(error);
  const at = place === undefined ? '' : ` (at ${place})`;
  if (/^(-?OOM|MISCONF)\b|command not allowed when used memory/.test(words))
    return new StoreError('full', `Redis is full: give it more memory (maxmemory), or let it write its files${at}`, {
      cause: error,
    });
  const why = words.startsWith('Connection is closed') && earlier !== undefined ? messageOf(earlier) : words;
  return new StoreError('unavailable', `Redis cannot be used now: ${why}${why.includes(place ?? '') ? '' : at}`, {
    cause: error,
  });
}

/** Tells whether a command was surely not run, and may be another time. */
export function isNotRun(error: unknown): boolean {
  return /^(MOVED|ASK|CLUSTERDOWN|TRYAGAIN|LOADING|MASTERDOWN|READONLY|UNBLOCKED|NOREPLICAS|Stream isn't writeable|Cluster isn't ready|Too many Cluster redirections)\b/.test(
    messageOf(error),
  );
}

/** Tells whether a connection broke while a command was under way, or before. */
export function isBroken(error: unknown): boolean {
  const words = messageOf(error);
  return /Connection is closed|max retries per request|Command aborted|Socket timeout|ECONN|EPIPE|ETIMEDOUT|None of startup nodes|Failed to refresh slots/.test(
    words,
  );
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
