/** Counts used places, in total and for each owner, so that no owner takes them all. */
export class Shares {
  readonly #limit: number;
  readonly #own = new Map<string, number>();
  #taken = 0;

  /** @param limit Number of all places; one owner has half of them. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /**
   * The limit that this many more places would exceed: the total, or the half of it that one owner may have. Without an
   * owner, only the total applies.
   */
  exceeded(count: number, owner: string | undefined): number | undefined {
    if (this.#taken + count > this.#limit) return this.#limit;
    const own = this.#limit / 2;
    return owner !== undefined && (this.#own.get(owner) ?? 0) + count > own ? own : undefined;
  }

  /** Takes places, or frees them if the count is negative. */
  add(count: number, owner: string | undefined): void {
    this.#taken += count;
    if (owner === undefined) return;
    const own = (this.#own.get(owner) ?? 0) + count;
    if (own > 0) this.#own.set(owner, own);
    else this.#own.delete(owner);
  }
}
