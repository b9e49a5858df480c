/**
 * A store of responses that servers allow to be kept. Several clients, also of several processes, may share
 * one store: the keys say what may be shared.
 *
 * A store need not keep what it is given. What fails counts as not kept, and so does what takes longer
 * than 2 seconds to read; neither fails a request.
 */
export interface CacheStore {
  /** Value that was kept under a key; `undefined` when nothing is. */
  get(key: string): string | undefined | Promise<string | undefined>;
  /**
   * Keeps a text under a key, in the place of what was there.
   *
   * @param ttlMs How long it is of use, in milliseconds; the store may keep it longer, since readers check for themselves.
   */
  set(key: string, value: string, ttlMs: number): void | Promise<void>;
  /** Forgets all whose key begins with a prefix. */
  delete(prefix: string): void | Promise<void>;
}
