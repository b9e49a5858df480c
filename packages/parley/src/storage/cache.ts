/**
 * A store for responses that servers allow to be cached. Several clients, also of several processes, may share one
 * store: the keys contain what may be shared.
 *
 * A store may drop any entry. A failure counts as a missing entry, and so does a read that takes longer than 2 seconds.
 * Neither fails a request.
 */
export interface CacheStore {
  /** The value of a key; `undefined` if there is none. */
  get(key: string): string | undefined | Promise<string | undefined>;
  /**
   * Stores a text under a key, and replaces an earlier one.
   *
   * @param ttlMs Lifetime in milliseconds. The store may keep it longer, since readers check it themselves.
   */
  set(key: string, value: string, ttlMs: number): void | Promise<void>;
  /** Removes all entries whose key begins with a prefix. */
  delete(prefix: string): void | Promise<void>;
}
