import type { NowOrLater } from './now-or-later.ts';

/** A text that is kept. */
export interface KeptRecord {
  readonly text: string;
  /** A whole number that grows with every change of the key, and is never given twice for one key, not even after it was deleted or expired. */
  readonly version: number;
}

/** The longest text of a record, in characters: every store takes this many, and none takes more. */
export const longestRecord: number = 4 * 1024 * 1024;

/**
 * Small texts that expire. Each key is linearizable: whatever began after a call ended sees what that call did, in any process.
 *
 * A record is there until its time is over, and no longer: none goes early to make room, and none is given after its time. `ttlMs` is a number
 * of milliseconds above 0, whole or not; an empty text is a text like any other.
 */
export interface Records {
  /**
   * Keeps a text where nothing is kept; of several that do so at once, one does.
   *
   * @returns False, with nothing changed, when something is kept under the key.
   * @throws StoreError `full`, `too-large` or `unavailable`.
   */
  add(key: string, text: string, ttlMs: number): NowOrLater<boolean>;
  /**
   * Reads a record; `undefined` where none is, or its time is over.
   *
   * @throws StoreError `unavailable`.
   */
  get(key: string): NowOrLater<KeptRecord | undefined>;
  /**
   * Keeps a text in the place of what is there, with a time of its own.
   *
   * @param version Left out, it is kept whatever is there. Above 0, only in the place of that very version. 0: only where nothing is kept, as `add`
   *   does, for who wants the version.
   * @returns The new version; `undefined`, with nothing changed, when something else than `version` says is there.
   * @throws StoreError `full`, `too-large` or `unavailable`.
   */
  put(key: string, text: string, ttlMs: number, version?: number): NowOrLater<number | undefined>;
  /**
   * Gives a record another time from now on, be it longer or shorter; text and version stay.
   *
   * @returns False when nothing is kept under the key.
   * @throws StoreError `unavailable`.
   */
  touch(key: string, ttlMs: number): NowOrLater<boolean>;
  /**
   * Forgets a record, if there is one.
   *
   * @throws StoreError `unavailable`.
   */
  delete(key: string): NowOrLater<void>;
}
