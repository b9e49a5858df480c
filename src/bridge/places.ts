/** How many connections may be open at once, counted over all the pools that open them. */
export class Places {
  readonly limit: number;
  readonly #yielding = new Set<() => boolean>();
  #taken = 0;

  constructor(limit: number) {
    this.limit = limit;
  }

  /** A pool takes part: where places are scarce it is asked to give up a connection that nobody uses. */
  join(makeRoom: () => boolean): void {
    this.#yielding.add(makeRoom);
  }

  leave(makeRoom: () => boolean): void {
    this.#yielding.delete(makeRoom);
  }

  /** Makes sure that there is a place to take; gives `false` where all are in use. */
  makeRoom(): boolean {
    // Giving up a connection gives its place back.
    return this.#taken < this.limit || [...this.#yielding].some((makeRoom) => makeRoom());
  }

  /** Takes a place; gives `false` where all are in use. */
  take(): boolean {
    if (!this.makeRoom()) return false;
    this.#taken++;
    return true;
  }

  giveBack(): void {
    this.#taken--;
  }
}
