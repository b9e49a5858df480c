/** What the store of a service keeps: emptied at times, or taken over by a replica that has not heard of the last that was written. */

import type { Store } from '../../../src/store/store.ts';

/** The parts of a store that keep something. */
type Keeping = Pick<Store, 'records' | 'events' | 'limits'>;

interface Written {
  readonly at: number;
  /** What was there before; nothing where there was none. */
  readonly was: string | undefined;
  readonly ttlMs: number;
}

/** How much a replica has not heard of, in milliseconds, and for how long it has what it has: longer than any schedule. */
const unheardMs = 1_000;
const longMs = 7_200_000;

/** A store in memory that may be emptied, or taken over. */
export class KeptStore implements Keeping {
  readonly #make: () => Keeping;
  readonly #now: () => number;
  #kept: Keeping;
  /** Every record by its key, with what it was before the last moment. */
  readonly #written = new Map<string, Written>();
  readonly records: Store['records'];
  readonly events: Store['events'];
  readonly limits: Store['limits'];

  constructor(make: () => Keeping, now: () => number) {
    this.#make = make;
    this.#now = now;
    this.#kept = make();
    const put: Store['records']['put'] = (key, text, ttlMs, version) => {
      const was = this.#textOf(key);
      const written = this.#kept.records.put(key, text, ttlMs, version) as number | undefined;
      if (written !== undefined) this.#note(key, was, ttlMs);
      return written;
    };
    this.records = {
      put,
      add: (key, text, ttlMs) => put(key, text, ttlMs, 0) !== undefined,
      get: (key) => this.#kept.records.get(key),
      touch: (key, ttlMs) => this.#kept.records.touch(key, ttlMs),
      delete: (key) => {
        this.#note(key, this.#textOf(key), longMs);
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

  /** Goes on as a replica that has the records of a moment ago, with versions of its own. */
  takeOver(): void {
    const { records } = this.#make();
    for (const [key, { at, was, ttlMs }] of this.#written) {
      const text = this.#now() - at <= unheardMs ? was : this.#textOf(key);
      if (text !== undefined) void records.put(key, text, ttlMs);
    }
    this.#kept = { ...this.#kept, records };
  }

  #textOf(key: string): string | undefined {
    // In memory it is there at once.
    return (this.#kept.records.get(key) as { readonly text: string } | undefined)?.text;
  }

  #note(key: string, was: string | undefined, ttlMs: number): void {
    const before = this.#written.get(key);
    const isRecent = before !== undefined && this.#now() - before.at <= unheardMs;
    this.#written.set(key, isRecent ? { ...before, ttlMs } : { at: this.#now(), was, ttlMs });
  }
}
