import { memoryCacheStore } from '../../storage/memory/cache.ts';
import type { CacheStore } from '../../storage/cache.ts';

/** Options for caching responses that servers allow to be cached. (Spec 2026-07-28, Caching.) */
export interface CacheOptions {
  /** Cache mode of lists and reads, unless a request sets its own; `use` by default. */
  readonly cache?: 'use' | 'refresh' | 'bypass';
  /**
   * Store of the responses; in the memory of this client by default. Clients that share a store share public responses.
   * They share private ones if `authContext` returns the same text.
   */
  readonly cacheStore?: CacheStore;
  /**
   * Names the authorization of the current requests, for example a user's id. A private response is only used for the
   * same name. By default each client has its own name, which is right as long as its authorization does not change.
   */
  readonly authContext?: () => string;
  /**
   * Names the server in the keys of a shared store; by default it is the URL that `connect` was given, with its query
   * but without credentials. Without it nothing is shared where `connect` was given a transport.
   */
  readonly cacheKey?: string;
}

/** The options with their defaults. */
export interface CacheSettings {
  readonly cache: NonNullable<CacheOptions['cache']>;
  readonly cacheStore: CacheStore;
  /** True when the store is of this client alone. */
  readonly ownStore: boolean;
  readonly cacheKey: string | undefined;
  authContext(): string;
}

/** Fills in the defaults. */
export function cacheSettings(options: CacheOptions): CacheSettings {
  const own = unguessable();
  return {
    cache: options.cache ?? 'use',
    cacheStore: options.cacheStore ?? memoryCacheStore(),
    ownStore: options.cacheStore === undefined,
    cacheKey: options.cacheKey,
    // The names that users give can never be equal to those made here.
    authContext: options.authContext === undefined ? () => `client ${own}` : named(options.authContext),
  };
}

function named(context: () => string): () => string {
  return () => `named ${context()}`;
}

/** A text that no other client of any process has. */
export function unguessable(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
