import { monotonicNow } from '../jsonrpc/timeout.ts';

/** Keeps states that are too large to travel; a handle travels instead. */
export interface RoundStore {
  /** Keeps text for a time; gives false, and changes nothing, when something is kept under the handle already. */
  add(handle: string, text: string, ttlMs: number): Promise<boolean>;
  /** What is kept, or `undefined` when it is gone. */
  get(handle: string): Promise<string | undefined>;
}

/** A store in this process, bounded: the oldest states go first. */
export function memoryRoundStore(
  options: { readonly maxEntries?: number; readonly maxCharacters?: number; now?(): number } = {},
): RoundStore {
  const { maxEntries = 1000, maxCharacters = 64 * 1024 * 1024, now = monotonicNow } = options;
  const kept = new Map<string, { readonly text: string; readonly expires: number }>();
  let characters = 0;
  const drop = (handle: string): void => {
    characters -= kept.get(handle)?.text.length ?? 0;
    kept.delete(handle);
  };
  return {
    async add(handle, text, ttlMs) {
      const known = kept.get(handle);
      if (known !== undefined && known.expires >= now()) return false;
      drop(handle);
      kept.set(handle, { text, expires: now() + ttlMs });
      characters += text.length;
      for (const [oldest, { expires }] of kept) {
        if (kept.size <= maxEntries && characters <= maxCharacters && expires >= now()) break;
        drop(oldest);
      }
      return true;
    },
    async get(handle) {
      const found = kept.get(handle);
      if (found === undefined || found.expires >= now()) return found?.text;
      drop(handle);
      return undefined;
    },
  };
}
