import type { CacheStore } from '../cache.ts';

/** The bounds of a cache in memory. */
export interface MemoryCacheOptions {
  /** The most responses; 1000 by default. */
  readonly maxEntries?: number;
  /** The most bytes that keys and responses take together, about; 16 MiB by default. */
  readonly maxBytes?: number;
}

/**
 * Makes a cache in the memory of this process. Past its bounds the longest unused responses are forgotten first.
 *
 * @throws TypeError when a bound is no number above 0.
 */
export function memoryCacheStore(options: MemoryCacheOptions = {}): CacheStore {
  const { maxEntries = 1000, maxBytes = 16 * 1024 * 1024 } = options;
  if (!(maxEntries > 0) || !(maxBytes > 0)) throw new TypeError('the bounds of a cache must be numbers above 0');
  // A Map keeps the order in which keys were set: the first one is the longest unused.
  const kept = new Map<string, string>();
  let bytes = 0;
  const forget = (key: string): void => {
    bytes -= size(key, kept.get(key) ?? '');
    kept.delete(key);
  };
  return {
    get(key) {
      const value = kept.get(key);
      if (value === undefined) return undefined;
      kept.delete(key);
      kept.set(key, value);
      return value;
    },
    set(key, value) {
      if (kept.has(key)) forget(key);
      if (size(key, value) > maxBytes) return;
      kept.set(key, value);
      bytes += size(key, value);
      for (const oldest of kept.keys()) {
        if (kept.size <= maxEntries && bytes <= maxBytes) return;
        forget(oldest);
      }
    },
    delete(prefix) {
      for (const key of kept.keys()) if (key.startsWith(prefix)) forget(key);
    },
  };
}

/** Strings take up to two bytes a character. */
function size(key: string, value: string): number {
  return 2 * (key.length + value.length);
}
