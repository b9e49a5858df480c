/** Entries of a file that are kept, from whomever it came. */

import type { RecordingEntry } from './entry.ts';

/** Limits: servers, entries of each, and characters of all. */
interface KeptLimits {
  readonly servers: number;
  readonly entries: number;
  readonly characters: number;
}

const mostRead: KeptLimits = { servers: 16, entries: 20_000, characters: 256 * 1024 ** 2 };

interface Kept {
  readonly entry: RecordingEntry;
  readonly characters: number;
}

/** Entries that are kept: as in memory, the oldest of a server make way, and where all are too much the oldest of all. */
export class KeptEntries {
  readonly #most: KeptLimits;
  readonly #servers = new Map<string, Map<number, Kept>>();
  /** Sequence of the last entry of each server that made way: what is told of such later comes too late. */
  readonly #left = new Map<string, number>();
  #characters = 0;

  constructor(most: Partial<KeptLimits> = {}) {
    this.#most = { ...mostRead, ...most };
  }

  get all(): readonly RecordingEntry[] {
    return [...this.#servers.values()]
      .flatMap((own) => [...own.values()].map(({ entry }) => entry))
      .toSorted((one, another) => one.sequence - another.sequence);
  }

  /** Keeps an entry, in the place of what was known of it. @returns How many are lost for it. */
  add(entry: RecordingEntry, characters: number): number {
    const own = this.#servers.get(entry.server) ?? new Map<number, Kept>();
    if (!this.#servers.has(entry.server)) {
      if (this.#servers.size >= this.#most.servers) return 1;
      this.#servers.set(entry.server, own);
    }
    if (entry.sequence <= (this.#left.get(entry.server) ?? 0)) return 0;
    this.#characters += characters - (own.get(entry.sequence)?.characters ?? 0);
    own.set(entry.sequence, { entry, characters });
    let lost = 0;
    for (; own.size > this.#most.entries; lost++) this.#leave(entry.server);
    for (; this.#characters > this.#most.characters; lost++) this.#leave(this.#oldest);
    return lost;
  }

  /** Server of the oldest entry. */
  get #oldest(): string {
    let oldest = { server: '', sequence: Infinity };
    for (const [server, own] of this.#servers) {
      const [sequence = Infinity] = own.keys();
      if (sequence < oldest.sequence) oldest = { server, sequence };
    }
    return oldest.server;
  }

  /** Has the oldest entry of a server make way. */
  #leave(server: string): void {
    const own = this.#servers.get(server);
    const [sequence = 0] = own?.keys() ?? [];
    this.#characters -= own?.get(sequence)?.characters ?? 0;
    own?.delete(sequence);
    this.#left.set(server, Math.max(sequence, this.#left.get(server) ?? 0));
  }
}
