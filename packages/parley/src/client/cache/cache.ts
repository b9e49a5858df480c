import { setNewest } from '../../jsonrpc/newest.ts';
import { runOnAbort } from '../../jsonrpc/run-on-abort.ts';
import { jsonText } from '../../json/exact-number.ts';
import { parseExactJson } from '../../json/parse-exact.ts';
import { isObject } from '../../jsonrpc/message.ts';
import { ConnectionError } from '../../jsonrpc/transport.ts';
import { waitFor } from '../api/wait-for.ts';
import type { JsonObject } from '../../protocol/features/common.ts';
import type { CacheStore } from '../../storage/cache.ts';
import { cacheableMethods, canonicalText, isCacheable, cacheKeyOf, madeStale, openKeyOf } from './cache-key.ts';
import { hintOf } from '../api/pages.ts';

/**
 * The cache mode of a request: `use` returns a response that is still fresh, `refresh` fetches and caches a new
 * response, `bypass` does not touch the cache.
 */
export type CacheMode = 'use' | 'refresh' | 'bypass';

/** Parts of a client that a cache needs. */
export interface ResponseCacheOptions {
  readonly store: CacheStore;
  /** Names the server in the keys. */
  readonly server: string;
  /** The revision of the stored responses; `undefined` if it has no cache hints. */
  revision(): string | undefined;
  /** Names the requester. Private responses are only used for the same name. */
  context(): string;
  now(): number;
  warn(message: string, cause: unknown): void;
}

/** One request, as the cache sees it. */
export interface CacheableRequest {
  readonly method: string;
  readonly params: JsonObject | undefined;
  readonly mode: CacheMode;
  /** Values besides the parameters that the response depends on. A response with other values is not used. */
  readonly variant?: JsonObject | undefined;
  /** The `stamp` of the method before its list was begun. A response that became stale since then is not cached. */
  readonly stamp?: number | undefined;
  /** Requests with equal texts here may share one exchange; `undefined` shares none. */
  readonly sharing?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

interface Keys {
  readonly revision: string;
  readonly variant: string;
  readonly context: string;
  readonly params: string;
}

/** The JSON text of the response if it was cached. */
type Flight = Promise<string | undefined>;

/** Tolerated clock difference between processes that share a store. A response with a later time is not used. */
const skewMs = 60_000;

/** A store that takes longer to read has nothing. */
const maxReadMs = 2000;

/** The most beginnings of keys that wait to be forgotten. */
const maxForgotten = 1000;

/** Limit of cache lifetimes. A longer hint is shortened to it. */
const maxMs = 365 * 24 * 60 * 60_000;

/**
 * Caches the responses that a server allows to be cached, each for its lifetime. (Spec 2026-07-28, Caching.)
 *
 * It fetches only on request. If a change makes a response stale in transit, the caller still gets it, but it is not
 * cached.
 */
export class ResponseCache {
  readonly #options: ResponseCacheOptions;
  /** Increases with every change of a method's results. Clients that share a store share the stamps of a server. */
  readonly #stamps: Map<string, number>;
  readonly #flights = new Map<string, Flight>();
  /** The methods whose last response could not be cached. Requests for them do not wait for each other. */
  readonly #unkept = new Set<string>();
  #writes: Promise<void> = Promise.resolve();
  /** Keys to delete, collected since the last cached response. */
  readonly #forgetting = new Set<string>();

  constructor(options: ResponseCacheOptions) {
    this.#options = options;
    this.#stamps = stampsOf(options);
  }

  /** Changes whenever earlier results of a method became stale. */
  stamp(method: string): number {
    return this.#stamps.get(method) ?? 0;
  }

  /**
   * Returns a cached or fetched response. In a cached one, `ttlMs` is the remaining lifetime.
   *
   * @param load Fetches the response. Its errors are thrown.
   */
  async fetch(request: CacheableRequest, load: () => Promise<JsonObject>): Promise<JsonObject> {
    const keys = this.#keysOf(request);
    if (keys === undefined) return await load();
    const stamp = request.stamp ?? this.stamp(request.method);
    const fly = async (): Promise<JsonObject> => (await this.#load(request, { keys, stamp }, load)).result;
    if (request.mode === 'refresh') return await fly();
    const kept = await this.#kept(request, keys);
    if (kept !== undefined) return kept;
    const { sharing } = request;
    if (sharing === undefined || this.#unkept.has(request.method)) return await fly();
    const flightKey = cacheKeyOf(request.method, keys.params, keys.variant, keys.context, sharing);
    const flight = this.#flights.get(flightKey);
    if (flight !== undefined) return (await joined(flight, request.signal)) ?? (await fly());
    return await this.#lead(flightKey, () => this.#load(request, { keys, stamp }, load));
  }

  /** Drops the responses that a notification of the server makes stale. */
  heard(method: string, params: JsonObject): void {
    const { methods, only } = madeStale(method, params);
    for (const stale of methods) {
      if (only === undefined) this.#drop(stale);
      else this.#dropReads(stale, only);
    }
  }

  /** Forgets all pages of a list. */
  forget(method: string): void {
    this.#drop(method);
  }

  /** Forgets all that the server gave: changes may have been missed. */
  clear(): void {
    for (const method of cacheableMethods) this.#drop(method);
  }

  #keysOf({ method, params, mode, variant }: CacheableRequest): Keys | undefined {
    const revision = this.#options.revision();
    if (mode === 'bypass' || revision === undefined || !isCacheable(method, params)) return undefined;
    return {
      revision,
      context: this.#options.context(),
      params: canonicalText(params ?? {}),
      variant: variant === undefined ? '' : canonicalText(variant),
    };
  }

  /** Fetches for this caller and for concurrent equal requests. */
  async #lead(
    key: string,
    load: () => Promise<{ readonly result: JsonObject; readonly text: string | undefined }>,
  ): Promise<JsonObject> {
    const work = load();
    const flight = work.then(({ text }) => text, ownFailure);
    // Joined requests handle a failure themselves. There may be none.
    flight.catch(() => {});
    this.#flights.set(key, flight);
    try {
      return (await work).result;
    } finally {
      if (this.#flights.get(key) === flight) this.#flights.delete(key);
    }
  }

  async #load(
    { method }: CacheableRequest,
    { keys, stamp }: { readonly keys: Keys; readonly stamp: number },
    load: () => Promise<JsonObject>,
  ): Promise<{ readonly result: JsonObject; readonly text: string | undefined }> {
    const result = await load();
    const at = this.#options.now();
    const { cacheScope, ...hint } = hintOf(result);
    const ttlMs = Math.min(hint.ttlMs, maxMs);
    const changed = this.stamp(method) !== stamp || this.#options.context() !== keys.context;
    const complete = result['resultType'] === undefined || result['resultType'] === 'complete';
    const prefix = this.#prefix(keys.revision, method, keys.params) + cacheKeyOf(keys.variant);
    if (ttlMs === 0) this.#unkept.add(method);
    else this.#unkept.delete(method);
    if (changed) return { result, text: undefined };
    if (ttlMs === 0 || !complete) {
      // Earlier cached responses are older than this one.
      this.#forget(prefix);
      return { result, text: undefined };
    }
    const text = jsonText({ at, ttlMs, result });
    const key = prefix + cacheKeyOf(cacheScope === 'public' ? 'public' : `private ${keys.context}`);
    this.#keep(key, text, ttlMs);
    return { result, text };
  }

  /** The newest fresh response that this asker may be given. */
  async #kept({ method, signal }: CacheableRequest, keys: Keys): Promise<JsonObject | undefined> {
    const stamp = this.stamp(method);
    const prefix = this.#prefix(keys.revision, method, keys.params) + cacheKeyOf(keys.variant);
    const scopes = [`private ${keys.context}`, 'public'];
    let texts: readonly (string | undefined)[];
    try {
      const reading = this.#texts(scopes.map((scope) => prefix + cacheKeyOf(scope)));
      await waitFor(reading, { method: 'a read of the cache', signal, ms: maxReadMs });
      texts = await reading;
    } catch (error) {
      if (signal?.aborted === true) throw error;
      this.#options.warn('the cache could not be read', error);
      return undefined;
    }
    if (this.stamp(method) !== stamp) return undefined;
    const now = this.#options.now();
    const [newest] = texts
      .map(read)
      .filter((entry) => entry !== undefined && now < entry.at + entry.ttlMs && entry.at <= now + skewMs)
      .toSorted((one, other) => (other?.at ?? 0) - (one?.at ?? 0));
    // The clock has fractions; the field is an integer.
    return newest && { ...newest.result, ttlMs: Math.floor(newest.at + newest.ttlMs - now) };
  }

  async #texts(keys: readonly string[]): Promise<readonly (string | undefined)[]> {
    await this.#writes;
    return await Promise.all(keys.map(async (key) => this.#options.store.get(key)));
  }

  #drop(method: string): void {
    this.#delete(method, ['']);
  }

  /** Drops the cached reads of a resource, of its parts, and of the resources that contain it. */
  #dropReads(method: string, { uri, wholes }: { readonly uri: string; readonly wholes: readonly string[] }): void {
    this.#delete(method, [openKeyOf(uri), ...wholes.map((whole) => cacheKeyOf(canonicalText({ uri: whole })))]);
  }

  #delete(method: string, beginnings: readonly string[]): void {
    this.#stamps.set(method, this.stamp(method) + 1);
    const revision = this.#options.revision();
    if (revision === undefined) return;
    const prefix = cacheKeyOf(this.#options.server, revision, method);
    for (const beginning of beginnings) this.#forget(prefix + beginning);
  }

  /** Forgets what begins so, once: a change that comes again before that is done has nothing more to forget. */
  #forget(prefix: string): void {
    // Too many to wait for one by one: all of this server.
    const wanted = this.#forgetting.size < maxForgotten ? prefix : cacheKeyOf(this.#options.server);
    if (this.#forgetting.has(wanted)) return;
    this.#forgetting.add(wanted);
    this.#write((store) => {
      this.#forgetting.delete(wanted);
      return store.delete(wanted);
    });
  }

  #keep(key: string, text: string, ttlMs: number): void {
    // Deletions from now on come after this write.
    this.#forgetting.clear();
    this.#write((store) => store.set(key, text, ttlMs));
  }

  #prefix(revision: string, method: string, params: string): string {
    return cacheKeyOf(this.#options.server, revision, method, params);
  }

  /** Writes in sequence, so that deleted responses stay deleted. */
  #write(write: (store: CacheStore) => void | Promise<void>): void {
    this.#writes = this.#writes
      .then(() => write(this.#options.store))
      .catch((error: unknown) => this.#options.warn('the cache could not be written', error));
  }
}

/**
 * Limit of servers of one store whose stamps are shared. Beyond it, the oldest is no longer shared with new clients.
 */
const maxServers = 1_000;

const stampsByStore = new WeakMap<CacheStore, Map<string, Map<string, number>>>();

/** A notification to one client may make a response stale that is on its way to another one. */
function stampsOf({ store, server }: ResponseCacheOptions): Map<string, number> {
  const servers = stampsByStore.get(store) ?? new Map<string, Map<string, number>>();
  stampsByStore.set(store, servers);
  const stamps = servers.get(server) ?? new Map<string, number>();
  setNewest(servers, maxServers, [server, stamps]);
  return stamps;
}

/**
 * Waits for the response to another caller's equal request. Returns `undefined` if that response could not be shared.
 */
async function joined(flight: Flight, signal: AbortSignal | undefined): Promise<JsonObject | undefined> {
  let leave: (() => void) | undefined;
  const left = new Promise<undefined>((resolve) => {
    if (signal?.aborted === true) resolve(undefined);
    leave = signal && runOnAbort(signal, () => resolve(undefined));
  });
  try {
    return read(await Promise.race([flight, left]))?.result;
  } finally {
    leave?.();
  }
}

/** If the other caller aborted its request, that is no failure for this one. Any other failure is. */
function ownFailure(error: unknown): undefined {
  if (error instanceof ConnectionError && error.reason === 'aborted') return undefined;
  throw error;
}

/** Reads the store, which a cache can be no better than. */
function read(
  text: string | undefined,
): { readonly at: number; readonly ttlMs: number; readonly result: JsonObject } | undefined {
  if (text === undefined) return undefined;
  try {
    const value = parseExactJson(text, Number.POSITIVE_INFINITY);
    if (!isObject(value)) return undefined;
    const { at, ttlMs, result } = value;
    return typeof at === 'number' && typeof ttlMs === 'number' && isObject(result) ? { at, ttlMs, result } : undefined;
  } catch {
    return undefined;
  }
}
