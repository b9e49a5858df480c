/** What the store of a service keeps: emptied at times, or taken over by a replica that has not heard of the last that was written. */

import type { StoredRecord } from '../../../packages/parley/src/storage/records.ts';
import type { Store } from '../../../packages/parley/src/storage/store.ts';

/** The parts of a store that keep something. */
type Keeping = Pick<Store, 'records' | 'events' | 'limits'>;

interface Written {
  readonly at: number;
  /** What was there before; nothing where there was none. */
  readonly was: StoredRecord | undefined;
  readonly ttlMs: number;
}

/** How much a replica has not heard of, in milliseconds, and for how long it has what it has: longer than any schedule. */
const unheardMs = 1_000;
const longMs = 7_200_000;

/**
 * A store in memory that may be emptied, or taken over. As in Redis, where they are times, versions grow over that, and a replica has those of its records. It
 * lacks records alone: that the last events of a stream are lost too is left out.
 */
export class KeptStore implements Keeping {
  readonly #make: () => Keeping;
  readonly #now: () => number;
  #kept: Keeping;
  /** Every record by its key, with what it was before the last moment. */
  readonly #written = new Map<string, Written>();
  /** The version of each record, which the memory that keeps it has another for. */
  readonly #versions = new Map<string, number>();
  #newest = 0;
  readonly records: Store['records'];
  readonly events: Store['events'];
  readonly limits: Store['limits'];

  constructor(make: () => Keeping, now: () => number) {
    this.#make = make;
    this.#now = now;
    this.#kept = make();
    const put = (key: string, text: string, ttlMs: number, version?: number): number | undefined => {
      const was = this.#recordAt(key);
      if (this.#putAs(this.#newest + 1, [key, text, ttlMs], this.#versionIn(key, version)) === undefined)
        return undefined;
      this.#newest++;
      this.#note(key, was, ttlMs);
      return this.#newest;
    };
    this.records = {
      put,
      add: (key, text, ttlMs) => put(key, text, ttlMs, 0) !== undefined,
      get: (key) => this.#recordAt(key),
      touch: (key, ttlMs) => this.#kept.records.touch(key, ttlMs),
      delete: (key) => {
        this.#note(key, this.#recordAt(key), longMs);
        return this.#kept.records.delete(key);
      },
    };
    this.events = {
      open: (session) => ({
        write: (...given) => this.#kept.events.open(session).write(...given),
        read: (...given) => this.#kept.events.open(session).read(...given),
        clear: () => this.#kept.events.open(session).clear(),
      }),
    };
    this.limits = { take: (...given) => this.#kept.limits.take(...given) };
  }

  /** Has nothing any more. */
  empty(): void {
    this.#kept = this.#make();
    this.#written.clear();
  }

  /** Goes on as a replica that has the records of a moment ago. */
  takeOver(): void {
    const [before, made] = [this.#kept, this.#make()];
    const known = [...this.#written].map(([key, { at, was, ttlMs }]) => {
      return { key, ttlMs, record: this.#now() - at <= unheardMs ? was : this.#recordAt(key) };
    });
    this.#kept = { ...before, records: made.records };
    for (const { key, ttlMs, record } of known)
      if (record !== undefined) this.#putAs(record.version, [key, record.text, ttlMs]);
  }

  /** @returns What the memory says of it: `undefined` where it is not put. */
  #putAs(version: number, written: readonly [key: string, text: string, ttlMs: number], isNow?: number): unknown {
    // In memory it is put at once, or refused.
    const put = this.#kept.records.put(...written, isNow);
    if (put !== undefined) this.#versions.set(written[0], version);
    return put;
  }

  /** The version of the memory where one here is that of now, and one that it never has where it is not: the memory judges. */
  #versionIn(key: string, version: number | undefined): number | undefined {
    if (version === undefined) return undefined;
    const inMemory = this.#kept.records.get(key) as StoredRecord | undefined;
    const isNow = version === (inMemory === undefined ? 0 : this.#versions.get(key));
    return isNow ? (inMemory?.version ?? 0) : -1;
  }

  #recordAt(key: string): StoredRecord | undefined {
    // In memory it is there at once.
    const kept = this.#kept.records.get(key) as StoredRecord | undefined;
    return kept && { text: kept.text, version: this.#versions.get(key) ?? 0 };
  }

  #note(key: string, was: StoredRecord | undefined, ttlMs: number): void {
    const before = this.#written.get(key);
    const isRecent = before !== undefined && this.#now() - before.at <= unheardMs;
    this.#written.set(key, isRecent ? { ...before, ttlMs } : { at: this.#now(), was, ttlMs });
  }
}
