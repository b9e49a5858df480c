/** Files that a server writes whenever it starts, such as its log: they are no change for which it is started anew. */

/** Time after a start within which what changes may be of its making, in milliseconds. */
const soonMs = 3_000;

/** Starts in a row after each of which a file changed, until it is taken for one that the server writes. */
const enough = 3;

/** Most files that are counted. */
const most = 1_000;

/** Files that a person writes: they are never taken for those of a server. */
const source = /\.(?:[cm]?[jt]sx?|py|rb|go|rs|java|kts?|cs|fs|php|lua|exs?|swift|html|css)$/i;

/** Tells what a person changed from what a server does. */
export class OwnWrites {
  readonly #now: () => number;
  readonly #counts = new Map<string, number>();
  readonly #own = new Set<string>();
  #started = Number.NEGATIVE_INFINITY;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Says that the server is started. */
  started(): void {
    this.#started = this.#now();
  }

  /** Tells of files that changed which of them are the server's own since now, and whether any other did. */
  changed(names: readonly string[]): { readonly isFresh: boolean; readonly found: readonly string[] } {
    const isSoon = this.#now() - this.#started < soonMs;
    const found: string[] = [];
    let isFresh = false;
    for (const name of names) {
      if (this.#own.has(name)) continue;
      const count = isSoon && !source.test(name) ? (this.#counts.get(name) ?? 0) + 1 : 0;
      if (this.#counts.size < most || this.#counts.has(name)) this.#counts.set(name, count);
      if (count < enough) isFresh = true;
      else {
        this.#own.add(name);
        found.push(name);
      }
    }
    return { isFresh, found };
  }
}
