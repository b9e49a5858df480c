import type { AuthInfo } from '../../host/endpoint.ts';

/**
 * Counts places that are taken, altogether and by each principal, so that none takes them all. Without a principal
 * there is nobody to count for, and only the number of all holds.
 */
export class Shares {
  readonly #limit: number;
  readonly #ownLimit: number;
  readonly #own = new Map<string, number>();
  #taken = 0;

  constructor(limit: number, ownLimit: number) {
    this.#limit = limit;
    this.#ownLimit = ownLimit;
  }

  /** Whether all places are taken, or all that one principal may have; `undefined` while there is one left. */
  full(auth: AuthInfo | undefined): 'all' | 'own' | undefined {
    if (this.#taken >= this.#limit) return 'all';
    if (auth === undefined) return undefined;
    return (this.#own.get(auth.principal) ?? 0) >= this.#ownLimit ? 'own' : undefined;
  }

  take(auth: AuthInfo | undefined): void {
    this.#taken++;
    if (auth !== undefined) this.#own.set(auth.principal, (this.#own.get(auth.principal) ?? 0) + 1);
  }

  give(auth: AuthInfo | undefined): void {
    this.#taken--;
    if (auth === undefined) return;
    const own = (this.#own.get(auth.principal) ?? 0) - 1;
    if (own > 0) this.#own.set(auth.principal, own);
    else this.#own.delete(auth.principal);
  }
}
