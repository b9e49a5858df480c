/** Entries of a file that are kept, from whomever it came. */

import type { RecordingEntry } from './entry.ts';

/** Limits: servers, entries of each, and characters of all. */
interface KeptLimits {
  readonly servers: number;
  readonly entries: number;
  readonly characters: number;
}

const maxRead: KeptLimits = { servers: 16, entries: 20_000, characters: 256 * 1024 ** 2 };

interface Kept {
  readonly entry: RecordingEntry;
  readonly characters: number;
}

/** Entries of one server. */
class Own {
  readonly entries = new Map<number, Kept>();
  /** Their sequences in the order in which they came, of which those before `#first` have left: to look for the first in a map of which many have left takes long. */
  #sequences: number[] = [];
  #first = 0;

  /** Sequence of the entry that came first; `undefined` where there is none. */
  get oldest(): number | undefined {
    return this.#sequences[this.#first];
  }

  set(kept: Kept): void {
    const { sequence } = kept.entry;
    if (!this.entries.has(sequence)) this.#sequences.push(sequence);
    this.entries.set(sequence, kept);
  }

  /** Removes the oldest entry. */
  leave(): Kept | undefined {
    const sequence = this.oldest;
    if (sequence === undefined) return undefined;
    const kept = this.entries.get(sequence);
    this.entries.delete(sequence);
    if (++this.#first > this.#sequences.length / 2) {
      this.#sequences = this.#sequences.slice(this.#first);
      this.#first = 0;
    }
    return kept;
  }
}

/** Entries that are kept: as in memory, the oldest of a server make way, and where all are too much the oldest of all. */
export class KeptEntries {
  readonly #most: KeptLimits;
  readonly #servers = new Map<string, Own>();
  /** Sequence of the last removed entry of each server: later updates of such entries are ignored. */
  readonly #left = new Map<string, number>();
  #characters = 0;

  constructor(most: Partial<KeptLimits> = {}) {
    this.#most = { ...maxRead, ...most };
  }

  get all(): readonly RecordingEntry[] {
    return [...this.#servers.values()]
      .flatMap((own) => [...own.entries.values()].map(({ entry }) => entry))
      .toSorted((one, another) => one.sequence - another.sequence);
  }

  /** Stores an entry, or replaces it. @returns The number of entries that were removed for it. */
  add(entry: RecordingEntry, characters: number): number {
    const own = this.#servers.get(entry.server) ?? new Own();
    if (!this.#servers.has(entry.server)) {
      if (this.#servers.size >= this.#most.servers) return 1;
      this.#servers.set(entry.server, own);
    }
    if (entry.sequence <= (this.#left.get(entry.server) ?? 0)) return 0;
    this.#characters += characters - (own.entries.get(entry.sequence)?.characters ?? 0);
    own.set({ entry, characters });
    let lost = 0;
    for (; own.entries.size > this.#most.entries; lost++) this.#leave(entry.server);
    for (; this.#characters > this.#most.characters; lost++) this.#leave(this.#oldest);
    return lost;
  }

  /** Server of the oldest entry. */
  get #oldest(): string {
    let oldest = { server: '', sequence: Infinity };
    for (const [server, own] of this.#servers) {
      const sequence = own.oldest ?? Infinity;
      if (sequence < oldest.sequence) oldest = { server, sequence };
    }
    return oldest.server;
  }

  /** Has the oldest entry of a server make way. */
  #leave(server: string): void {
    const left = this.#servers.get(server)?.leave();
    this.#characters -= left?.characters ?? 0;
    this.#left.set(server, Math.max(left?.entry.sequence ?? 0, this.#left.get(server) ?? 0));
  }
}
