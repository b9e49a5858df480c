import type { AuthInfo } from '../../host/endpoint.ts';

/**
 * Counts places that are taken, altogether and by each principal, so that none takes them all. Without a principal
 * there is nobody to count for, and only the number of all holds.
 */
export class Quota {
  readonly #limit: number;
  readonly #ownLimit: number;
  readonly #own = new Map<string, number>();
  #taken = 0;
  /** Ends what is idle, for a principal that needs a place; set by whoever can. */
  makeRoom: ((auth: AuthInfo | undefined) => void) | undefined;

  constructor(limit: number, ownLimit: number) {
    this.#limit = limit;
    this.#ownLimit = ownLimit;
  }

  /**
   * Places that are all taken, if any are: everybody's, or all that one principal may have; `undefined` while there is
   * one left.
   */
  full(auth: AuthInfo | undefined): 'all' | 'own' | undefined {
    if (this.#taken >= this.#limit) return 'all';
    return this.ownFull(auth) ? 'own' : undefined;
  }

  /** Tells whether one principal has all that it may have. */
  ownFull(auth: AuthInfo | undefined): boolean {
    return auth !== undefined && (this.#own.get(auth.principal) ?? 0) >= this.#ownLimit;
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

/** Counts the bytes of bodies that are being read or answered, those of event streams among them. */
export class Bodies {
  readonly #limit: number;
  #taken = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Takes room, or not. One body alone has it always: how large that may be is another limit. */
  take(bytes: number): boolean {
    if (this.#taken > 0 && this.#taken + bytes > this.#limit) return false;
    this.#taken += bytes;
    return true;
  }

  give(bytes: number): void {
    this.#taken -= bytes;
  }
}

/** Counts the requests being answered, so that they can be limited and waited for. */
export class InFlight {
  readonly #limit: number;
  #running = 0;
  #idle: (() => void) | undefined;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Admits one request, or not. */
  enter(): boolean {
    if (this.#running >= this.#limit) return false;
    this.#running++;
    return true;
  }

  /** Admits one beyond the limit, which others may be waiting for; there are as many places again for these. */
  enterBeyond(): boolean {
    if (this.#running >= this.#limit * 2) return false;
    this.#running++;
    return true;
  }

  /** Takes back one that left, even above the limit: it is running already. */
  rejoin(): void {
    this.#running++;
  }

  leave(): void {
    this.#running--;
    if (this.#running === 0) this.#idle?.();
  }

  /** Resolves when no request is being answered. */
  async idle(): Promise<void> {
    if (this.#running > 0) await new Promise<void>((resolve) => (this.#idle = resolve));
  }
}
