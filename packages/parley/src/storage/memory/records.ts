import { maxRecordLength, type StoredRecord, type Records } from '../records.ts';
import { StoreError } from '../store.ts';
import { Heap } from './heap.ts';

/** Bounds of records in memory. */
export interface MemoryRecordsBounds {
  readonly maxRecords: number;
  readonly maxBytes: number;
  now(): number;
}

interface Kept extends StoredRecord {
  expires: number;
}

/** Records of this process. Expired ones are removed on writes, so that there are no timers. */
export class MemoryRecords implements Records {
  readonly #bounds: MemoryRecordsBounds;
  readonly #kept = new Map<string, Kept>();
  /**
   * Times at which records expire, or earlier ones: a record with an extended time is put back when its old time comes.
   */
  readonly #ends = new Heap<string>();
  #bytes = 0;
  /** One counter for all keys, so that deleted keys need not be remembered. */
  #version = 0;

  constructor(bounds: MemoryRecordsBounds) {
    this.#bounds = bounds;
  }

  add(key: string, text: string, ttlMs: number): boolean {
    return this.put(key, text, ttlMs, 0) !== undefined;
  }

  get(key: string): StoredRecord | undefined {
    const kept = this.#live(key, this.#bounds.now());
    return kept && { text: kept.text, version: kept.version };
  }

  put(key: string, text: string, ttlMs: number, version?: number): number | undefined {
    const now = this.#bounds.now();
    const before = this.#live(key, now);
    if (version !== undefined && version !== (before?.version ?? 0)) return undefined;
    if (text.length > maxRecordLength)
      throw new StoreError('too-large', `a record has up to ${maxRecordLength} characters, not ${text.length}`);
    this.#expire(now);
    const bytes = this.#bytes + sizeOf(key, text) - (before === undefined ? 0 : sizeOf(key, before.text));
    const records = this.#kept.size + (before === undefined ? 1 : 0);
    if (bytes > this.#bounds.maxBytes || records > this.#bounds.maxRecords)
      throw new StoreError('full', `the records in memory take ${this.#kept.size} places and ${this.#bytes} bytes`);
    this.#bytes = bytes;
    this.#kept.set(key, { text, version: ++this.#version, expires: now + ttlMs });
    this.#ends.set(key, now + ttlMs);
    return this.#version;
  }

  touch(key: string, ttlMs: number): boolean {
    const now = this.#bounds.now();
    const kept = this.#live(key, now);
    if (kept === undefined) return false;
    const isLater = now + ttlMs >= kept.expires;
    kept.expires = now + ttlMs;
    if (!isLater) this.#ends.set(key, kept.expires);
    return true;
  }

  delete(key: string): void {
    const kept = this.#kept.get(key);
    if (kept === undefined) return;
    this.#kept.delete(key);
    this.#ends.delete(key);
    this.#bytes -= sizeOf(key, kept.text);
  }

  #live(key: string, now: number): Kept | undefined {
    const kept = this.#kept.get(key);
    return kept === undefined || kept.expires <= now ? undefined : kept;
  }

  #expire(now: number): void {
    for (let first = this.#ends.first(); first !== undefined && first.at <= now; first = this.#ends.first()) {
      const kept = this.#kept.get(first.thing);
      if (kept === undefined || kept.expires <= now) this.delete(first.thing);
      else this.#ends.set(first.thing, kept.expires);
    }
  }
}

/** Bytes of a record, about: strings take up to two bytes a character, and whatever finds it some more. */
function sizeOf(key: string, text: string): number {
  return 2 * (key.length + text.length) + 160;
}
