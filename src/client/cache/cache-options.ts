import { memoryCacheStore } from '../../storage/memory/cache.ts';
import type { CacheStore } from '../../storage/cache.ts';
import type { CacheMode } from './cache.ts';

/** Options of keeping the responses that servers allow to be kept. (Spec 2026-07-28, Caching.) */
export interface CacheOptions {
  /** Use of the cache by lists and reads, unless they say otherwise; `use` by default. */
  readonly cache?: CacheMode;
  /**
   * Store of the responses; in the memory of this client by default. Clients that share a store share what servers call
   * public, and what is private where `authContext` gives the same text.
   */
  readonly cacheStore?: CacheStore;
  /**
   * Names whose authorization requests carry now, such as a user's id: private responses are given to nobody else.
   * By default each client stands for itself, which is right as long as its authorization does not change.
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
  readonly cache: CacheMode;
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
