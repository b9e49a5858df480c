import type { AuthInfo } from '../../../../server/runtime/request-handler.ts';

/** The client that something counts for. */
export interface QuotaClient {
  readonly auth?: AuthInfo | undefined;
  /** Its principal, or its network address; see `ownerOf`. */
  readonly owner?: string | undefined;
}

/** Places that are all taken: those of everybody, or those that one owner may have. */
export type FullQuota = 'all' | 'own';

/** Counts used amounts, in total and by owner. */
class Count {
  readonly #own = new Map<string, number>();
  all = 0;

  of(owner: string | undefined): number {
    return (owner !== undefined && this.#own.get(owner)) || 0;
  }

  add(owner: string | undefined, amount: number): void {
    this.all += amount;
    if (owner === undefined) return;
    const own = this.of(owner) + amount;
    if (own > 0) this.#own.set(owner, own);
    else this.#own.delete(owner);
  }
}

/**
 * Counts used places, in total and by owner, so that no owner takes them all: an owner may take as many as it leaves
 * free. A single owner has half of them, since the one address may be a proxy with all clients. Without an owner only
 * the total applies.
 */
export class Quota {
  readonly #limit: number;
  readonly #ownLimit: number;
  readonly #count = new Count();
  /**
   * Ends an idle session, for a client that needs a place. Returns whether it then has one. Set by the code that owns
   * the sessions.
   */
  makeRoom: ((client: QuotaClient) => boolean) | undefined;

  /** @param ownLimit Places of one principal at most. */
  constructor(limit: number, ownLimit: number = Number.POSITIVE_INFINITY) {
    this.#limit = limit;
    this.#ownLimit = ownLimit;
  }

  /** The limit that is full, if any; `undefined` while there is a place for the client. */
  full(client: QuotaClient): FullQuota | undefined {
    const free = this.#limit - this.#count.all;
    if (free <= 0) return 'all';
    const isTaken = client.owner !== undefined && this.#count.of(client.owner) >= free;
    return isTaken || this.ownFull(client) ? 'own' : undefined;
  }

  /** Tells whether a principal has all that it may have, however many are free. */
  ownFull({ auth, owner }: QuotaClient): boolean {
    return auth !== undefined && this.#count.of(owner) >= this.#ownLimit;
  }

  /** Number of places that an owner has. */
  of(owner: string | undefined): number {
    return this.#count.of(owner);
  }

  take({ owner }: QuotaClient): void {
    this.#count.add(owner, 1);
  }

  give({ owner }: QuotaClient): void {
    this.#count.add(owner, -1);
  }
}

/** Counts the bytes of bodies that are being read or answered, those of event streams among them. */
export class Bodies {
  readonly #limit: number;
  readonly #count = new Count();

  constructor(limit: number) {
    this.#limit = limit;
  }

  /**
   * Takes room for an owner, who may take as much as it leaves free. A single body always has room: another limit
   * bounds its size.
   *
   * @param held Bytes of the same body that were taken before.
   * @returns The limit that is full, and then nothing is taken; or `undefined`.
   */
  take(bytes: number, owner?: string, held = 0): FullQuota | undefined {
    const free = this.#limit - this.#count.all - bytes;
    if (this.#count.all > 0 && free < 0) return 'all';
    const own = this.#count.of(owner);
    if (own > held && own + bytes > free) return 'own';
    this.#count.add(owner, bytes);
    return undefined;
  }

  give(bytes: number, owner?: string): void {
    this.#count.add(owner, -bytes);
  }
}

/** Place of a request among those being answered. */
export interface RequestPlace {
  readonly client: QuotaClient;
  /** The limit that was full, if it has a place beyond that limit: it may continue running work, but begin none. */
  readonly beyond: FullQuota | undefined;
}

/** Counts everything that is being answered, so that its end can be waited for. */
export class ServingCount {
  #running = 0;
  #idle: (() => void) | undefined;

  enter(): void {
    this.#running++;
  }

  leave(): void {
    this.#running--;
    if (this.#running === 0) this.#idle?.();
  }

  /** Resolves when nothing is being answered. */
  async idle(): Promise<void> {
    if (this.#running > 0) await new Promise<void>((resolve) => (this.#idle = resolve));
  }
}

/** Limits the requests being answered. */
export class InFlight {
  readonly #places: Quota;
  /** As many places again, for what others may be waiting for. */
  readonly #beyond: Quota;

  constructor(limit: number) {
    this.#places = new Quota(limit);
    this.#beyond = new Quota(limit);
  }

  /**
   * Admits one request, or returns which limit is full.
   *
   * @param goesOn True if it continues open work, and may have a place beyond the limit.
   */
  enter(client: QuotaClient = {}, goesOn = false): RequestPlace | FullQuota {
    const beyond = this.#places.full(client);
    if (beyond !== undefined && !(goesOn && this.#beyond.full(client) === undefined)) return beyond;
    const place = { client, beyond };
    this.rejoin(place);
    return place;
  }

  /** Moves an admitted request to another client, or returns which limit is full. Then it keeps its place. */
  move(place: RequestPlace, client: QuotaClient): RequestPlace | FullQuota {
    this.leave(place);
    const next = this.enter(client, true);
    if (typeof next === 'string') this.rejoin(place);
    return next;
  }

  /** Takes back one that left, even above the limit: it is running already. */
  rejoin(place: RequestPlace): void {
    this.#quotaOf(place).take(place.client);
  }

  leave(place: RequestPlace): void {
    this.#quotaOf(place).give(place.client);
  }

  #quotaOf({ beyond }: RequestPlace): Quota {
    return beyond === undefined ? this.#places : this.#beyond;
  }
}
