import { maxRecordLength, type StoredRecord, type Records } from '../../records.ts';
import { StoreError } from '../../store.ts';
import { wholeMs } from '../../task-times.ts';
import type { Calls } from './calls.ts';
import type { RedisKeys } from './keys.ts';
import { storeScripts } from './store-scripts.ts';

/** Records in Redis: each is a text that expires by itself. */
export class RedisRecords implements Records {
  readonly #calls: Calls;
  readonly #keys: RedisKeys;
  /** Identifies this process as a writer, so that a retry is recognized. */
  readonly #writer: string = crypto.randomUUID().replaceAll('-', '').slice(0, 12);
  readonly #longest: number;
  #puts = 0;

  /** @param room Times that a text may be longer than a record of a user. */
  constructor(calls: Calls, keys: RedisKeys, room: number) {
    this.#longest = maxRecordLength * room;
    this.#calls = calls;
    this.#keys = keys;
  }

  async add(key: string, text: string, ttlMs: number): Promise<boolean> {
    return (await this.put(key, text, ttlMs, 0)) !== undefined;
  }

  async get(key: string): Promise<StoredRecord | undefined> {
    const kept = await this.#calls.send('get', this.#keys.record(key));
    return typeof kept === 'string' ? recordOf(kept) : undefined;
  }

  async put(key: string, text: string, ttlMs: number, version?: number): Promise<number | undefined> {
    if (text.length > this.#longest)
      throw new StoreError('too-large', `a record has up to ${maxRecordLength} characters, not ${text.length}`);
    const mark = `${this.#writer}${(++this.#puts).toString(36)}`;
    const values = [version ?? '', mark, wholeTtl(ttlMs), text];
    const written = await this.#calls.run(storeScripts.put, [this.#keys.record(key)], values);
    return written === null ? undefined : Number(written);
  }

  async touch(key: string, ttlMs: number): Promise<boolean> {
    return (await this.#calls.send('pexpire', this.#keys.record(key), wholeTtl(ttlMs))) === 1;
  }

  async delete(key: string): Promise<void> {
    await this.#calls.send('unlink', this.#keys.record(key));
  }
}

/** Whole milliseconds, at least one, which Redis takes. */
export function wholeTtl(ms: number): number {
  return Math.max(1, wholeMs(ms));
}

/** Splits a stored value: the version, the mark of its writer, and the text. */
function recordOf(kept: string): StoredRecord | undefined {
  const version = kept.indexOf(' ');
  const mark = kept.indexOf(' ', version + 1);
  return mark < 0 ? undefined : { text: kept.slice(mark + 1), version: Number(kept.slice(0, version)) };
}
