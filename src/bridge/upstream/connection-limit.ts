/** Holder of places: a pool that is asked to give one up where they are scarce. */
export interface Holder {
  /**
   * Time of the last use of the connection that it would give up, by the ticks of the places; `undefined` where all are
   * in use.
   *
   * @param owner Asks for those of one owner alone.
   */
  idleSince(owner?: string): number | undefined;
  /** Gives that connection up, and its place back. */
  giveUp(owner?: string): void;
}

/** Place that is taken, and whose it is. */
export interface OwnedPlace {
  /** Owner that it counts for. */
  owner: string | undefined;
}

/** Places that are all taken: those of everybody, or the owner's own. */
export type Full = 'all' | 'own';

/**
 * Limit of the connections that may be open at once, counted over all the pools that open them, and for each owner.
 * Where they are scarce, whichever was used least recently gives way; none does in the middle of a call.
 */
export class ConnectionLimit {
  readonly limit: number;
  readonly ownLimit: number;
  readonly #holders = new Set<Holder>();
  readonly #own = new Map<string, number>();
  #taken = 0;
  #ticks = 0;

  /** @param ownLimit How many of them one owner may have. */
  constructor(limit: number, ownLimit: number) {
    this.limit = limit;
    this.ownLimit = ownLimit;
  }

  /** The order in which connections are used. */
  tick(): number {
    return ++this.#ticks;
  }

  join(holder: Holder): void {
    this.#holders.add(holder);
  }

  leave(holder: Holder): void {
    this.#holders.delete(holder);
  }

  /** Makes sure that there is a place to take; says what is full where all are in use. */
  makeRoom(owner?: string): Full | undefined {
    if (owner !== undefined && this.#isFull(owner)) return 'own';
    return this.#taken < this.limit || this.#yielded() ? undefined : 'all';
  }

  /** Takes a place; says what is full where all are in use. */
  take(owner?: string): Full | undefined {
    const full = this.makeRoom(owner);
    if (full !== undefined) return full;
    this.#taken++;
    this.#count(owner, 1);
    return undefined;
  }

  giveBack(owner?: string): void {
    this.#taken--;
    this.#count(owner, -1);
  }

  /**
   * Lets a place count for another owner from now on.
   *
   * @returns False, and nothing happens, where all places of that owner are in use.
   */
  handOver(place: OwnedPlace, to: string): boolean {
    if (place.owner === to) return true;
    if (this.#isFull(to)) return false;
    this.#count(place.owner, -1);
    place.owner = to;
    this.#count(to, 1);
    return true;
  }

  /** Tells whether an owner has all the places that it may have, and none of them gives way. */
  #isFull(owner: string): boolean {
    return (this.#own.get(owner) ?? 0) >= this.ownLimit && !this.#yielded(owner);
  }

  #count(owner: string | undefined, places: 1 | -1): void {
    if (owner === undefined) return;
    const own = (this.#own.get(owner) ?? 0) + places;
    if (own > 0) this.#own.set(owner, own);
    else this.#own.delete(owner);
  }

  #yielded(owner?: string): boolean {
    let longest: { readonly holder: Holder; readonly since: number } | undefined;
    for (const holder of this.#holders) {
      const since = holder.idleSince(owner);
      if (since !== undefined && since < (longest?.since ?? Number.POSITIVE_INFINITY)) longest = { holder, since };
    }
    longest?.holder.giveUp(owner);
    return longest !== undefined;
  }
}
