import { setNewest } from '../../jsonrpc/newest.ts';
import { runOnAbort } from '../../jsonrpc/run-on-abort.ts';
import { jsonText } from '../../json/exact-number.ts';
import { parseExactJson } from '../../json/parse-exact.ts';
import { isObject } from '../../jsonrpc/message.ts';
import { ConnectionError } from '../../jsonrpc/transport.ts';
import { waitFor } from '../wait-for.ts';
import type { JsonObject } from '../../protocol/features/common.ts';
import type { CacheStore } from '../../storage/cache.ts';
import { cacheableMethods, canonicalText, isCacheable, cacheKeyOf, madeStale, openKeyOf } from './cache-key.ts';
import { hintOf } from '../pages.ts';

/**
 * The use of the cache by a request: `use` takes a response that is still fresh, `refresh` fetches anew and keeps the
 * response, `bypass` leaves the cache alone.
 */
export type CacheMode = 'use' | 'refresh' | 'bypass';

/** Parts of a client that a cache needs. */
export interface ResponseCacheOptions {
  readonly store: CacheStore;
  /** Names the server in the keys. */
  readonly server: string;
  /** The revision that responses are written in; `undefined` where it has no hints. */
  revision(): string | undefined;
  /** Names who asks; private responses are for nobody else. */
  context(): string;
  now(): number;
  warn(message: string, cause: unknown): void;
}

/** One request, as the cache sees it. */
export interface CacheableRequest {
  readonly method: string;
  readonly params: JsonObject | undefined;
  readonly mode: CacheMode;
  /** Words of the request beside its parameters; responses to others are not taken for its own. */
  readonly variant?: JsonObject | undefined;
  /** The `stamp` of the method before its list was begun: what became stale since is not kept. */
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

/** The JSON text of the response when it was kept. */
type Flight = Promise<string | undefined>;

/**
 * Difference that the clocks of processes that share a store may have; what was kept later than that is not believed.
 */
const skewMs = 60_000;

/** A store that takes longer to read has nothing. */
const longestReadMs = 2000;

/** The most beginnings of keys that wait to be forgotten. */
const mostForgotten = 1000;

/** No hint is believed for longer. */
const longestMs = 365 * 24 * 60 * 60_000;

/**
 * The responses that a server allows to be kept, each as long as it says. (Spec 2026-07-28, Caching.)
 *
 * Nothing is fetched but when it is asked for. What a change makes stale while it is on its way is given to who asked,
 * but not kept.
 */
export class ResponseCache {
  readonly #options: ResponseCacheOptions;
  /** Rises with every change of what a method gives; clients that share a store share the stamps of a server. */
  readonly #stamps: Map<string, number>;
  readonly #flights = new Map<string, Flight>();
  /** The methods whose last response was not to be kept, so that nobody waits for another's. */
  readonly #unkept = new Set<string>();
  #writes: Promise<void> = Promise.resolve();
  /** Keys that wait to be forgotten, since the last response that was kept. */
  readonly #forgetting = new Set<string>();

  constructor(options: ResponseCacheOptions) {
    this.#options = options;
    this.#stamps = stampsOf(options);
  }

  /** Changes whenever what a method gave before became stale. */
  stamp(method: string): number {
    return this.#stamps.get(method) ?? 0;
  }

  /**
   * Gives a response, kept or fetched; one that was kept says in `ttlMs` how long it still may be.
   *
   * @param load Fetches the response; what it throws is thrown.
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

  /** Forgets what a notification of the server makes stale. */
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

  /** Fetches for itself and for those who ask the same meanwhile. */
  async #lead(
    key: string,
    load: () => Promise<{ readonly result: JsonObject; readonly text: string | undefined }>,
  ): Promise<JsonObject> {
    const work = load();
    const flight = work.then(({ text }) => text, ownFailure);
    // Who joins hears of a failure; nobody may have joined.
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
    const ttlMs = Math.min(hint.ttlMs, longestMs);
    const changed = this.stamp(method) !== stamp || this.#options.context() !== keys.context;
    const complete = result['resultType'] === undefined || result['resultType'] === 'complete';
    const prefix = this.#prefix(keys.revision, method, keys.params) + cacheKeyOf(keys.variant);
    if (ttlMs === 0) this.#unkept.add(method);
    else this.#unkept.delete(method);
    if (changed) return { result, text: undefined };
    if (ttlMs === 0 || !complete) {
      // What was kept before is older than this.
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
      await waitFor(reading, { method: 'a read of the cache', signal, ms: longestReadMs });
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

  /** Forgets what was read of a resource, of its parts, and of what it is a part of. */
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
    const wanted = this.#forgetting.size < mostForgotten ? prefix : cacheKeyOf(this.#options.server);
    if (this.#forgetting.has(wanted)) return;
    this.#forgetting.add(wanted);
    this.#write((store) => {
      this.#forgetting.delete(wanted);
      return store.delete(wanted);
    });
  }

  #keep(key: string, text: string, ttlMs: number): void {
    // What is forgotten from now on is forgotten after this.
    this.#forgetting.clear();
    this.#write((store) => store.set(key, text, ttlMs));
  }

  #prefix(revision: string, method: string, params: string): string {
    return cacheKeyOf(this.#options.server, revision, method, params);
  }

  /** Writes one after the other, so that what is forgotten stays forgotten. */
  #write(write: (store: CacheStore) => void | Promise<void>): void {
    this.#writes = this.#writes
      .then(() => write(this.#options.store))
      .catch((error: unknown) => this.#options.warn('the cache could not be written', error));
  }
}

/** The most servers of one store whose stamps are shared; of more, the oldest is no longer shared with clients to come. */
const mostServers = 1_000;

const stampsByStore = new WeakMap<CacheStore, Map<string, Map<string, number>>>();

/** A response that is on its way to one client may be made stale by a notification that another one hears. */
function stampsOf({ store, server }: ResponseCacheOptions): Map<string, number> {
  const servers = stampsByStore.get(store) ?? new Map<string, Map<string, number>>();
  stampsByStore.set(store, servers);
  const stamps = servers.get(server) ?? new Map<string, number>();
  setNewest(servers, mostServers, [server, stamps]);
  return stamps;
}

/** Waits for the response to somebody else's equal request; gives `undefined` when it was for nobody else. */
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

/** A request that its own caller gave up says nothing to others; any other failure is theirs too. */
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
