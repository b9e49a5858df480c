/** Value of an attribute in the place of one that would make too many series. */
export const manyNames = '_OTHER';

/** Names that others choose, of which the first few are kept and all others are one: a peer makes no series without end. */
export class LimitedNames {
  readonly #names = new Set<string>();
  readonly #most: number;

  /** @param most The number of names that are kept. */
  constructor(most: number) {
    this.#most = most;
  }

  has(name: string): boolean {
    return this.#names.has(name);
  }

  /** Keeps a name, where there is room. */
  add(name: string): void {
    if (this.#names.size < this.#most) this.#names.add(name);
  }

  /** The name itself, where it is kept or there is room for it. */
  of(name: string): string {
    this.add(name);
    return this.has(name) ? name : manyNames;
  }
}
