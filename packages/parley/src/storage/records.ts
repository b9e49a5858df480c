import type { MaybePromise } from './maybe-promise.ts';

/** A stored text. */
export interface StoredRecord {
  /** The stored text. */
  readonly text: string;
  /** A whole number that grows with every change of the key, and is never given twice for one key, not even after it was deleted or expired. */
  readonly version: number;
}

/** The longest text of a record, in characters: every store accepts that length, and none accepts more. */
export const maxRecordLength: number = 4 * 1024 * 1024;

/**
 * Small texts that expire. Each key is linearizable: a call that begins after another one ended sees its effect, in any
 * process.
 *
 * A record exists exactly for its lifetime: it is never dropped early to make room, and never returned late. `ttlMs` is
 * a number of milliseconds above 0, not necessarily an integer. An empty text is allowed.
 */
export interface Records {
  /**
   * Stores a text if the key is free. If several processes do so at once, one succeeds.
   *
   * @returns False, without a change, if the key is in use.
   * @throws StoreError `full`, `too-large` or `unavailable`.
   */
  add(key: string, text: string, ttlMs: number): MaybePromise<boolean>;
  /**
   * Reads a record; `undefined` if there is none, or it has expired.
   *
   * @throws StoreError `unavailable`.
   */
  get(key: string): MaybePromise<StoredRecord | undefined>;
  /**
   * Stores a text in place of the current one, with a new lifetime.
   *
   * @param version By default any version is replaced. Above 0, only that version is. With 0, the key must be free, as
   *   for `add`;
   * use it to get the version.
   * @returns The new version; `undefined`, without a change, if the current one does not match `version`.
   * @throws StoreError `full`, `too-large` or `unavailable`.
   */
  put(key: string, text: string, ttlMs: number, version?: number): MaybePromise<number | undefined>;
  /**
   * Sets a new lifetime of a record from now on, longer or shorter. Text and version stay.
   *
   * @returns False if the key has no record.
   * @throws StoreError `unavailable`.
   */
  touch(key: string, ttlMs: number): MaybePromise<boolean>;
  /**
   * Removes a record, if there is one.
   *
   * @throws StoreError `unavailable`.
   */
  delete(key: string): MaybePromise<void>;
}
