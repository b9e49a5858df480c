import { kindOfOwner } from '../../auth/common/owner.ts';
import { EndedSessions } from './ended-sessions.ts';
import { StartLimit } from './start-limit.ts';

/** Holder of places: a pool that is asked to give one up where they are scarce. */
export interface Holder {
  /**
   * Time of the last use of the connection that it would close, in ticks of the places; `undefined` if all are in use.
   *
   * @param owner Considers only those of one owner.
   */
  idleSince(owner?: string): number | undefined;
  /** Gives that connection up, and its place back. */
  giveUp(owner?: string): void;
}

/** A taken place, and its owner. */
export interface OwnedPlace {
  /** The owner that it counts for. */
  owner: string | undefined;
}

/** Places that are all taken: those of everybody, or the owner's own. */
export type Full = 'all' | 'own';

/** The least number of connections that may be closing at once, for one owner and for all. */
const leastClosing = { own: 16, all: 32 } as const;

/** The least number of processes that may be started within a minute, for one owner and for all. */
const leastStarts = { own: 64, all: 1_024 } as const;

/**
 * Limit of open connections, for all pools together and for each owner. If places are scarce, the least recently used
 * connection is closed, but never in the middle of a call. Closing takes time: as many as may be open may be closing.
 * Beyond that, none is opened.
 */
export class ConnectionLimit {
  readonly limit: number;
  readonly ownLimit: number;
  readonly #holders = new Set<Holder>();
  readonly #open = new Count();
  readonly #closing = new Count();
  readonly #ended: EndedSessions;
  /** Limit of how often processes are started. */
  readonly starts: StartLimit;
  #ticks = 0;

  /**
   * @param ownLimit The number that one owner may have.
   * @param warn Receives warnings about sessions that were ended to make room.
   */
  constructor(limit: number, ownLimit: number, warn: (message: string) => void = () => undefined) {
    this.limit = limit;
    this.ownLimit = ownLimit;
    this.#ended = new EndedSessions(warn);
    this.starts = new StartLimit({
      own: Math.max(leastStarts.own, 2 * ownLimit),
      all: Math.max(leastStarts.all, 16 * limit),
    });
  }

  /** Ends a session that has a place, because its owner has used up its own or all are taken, and reports it. */
  endSession(dismiss: () => void, owner: string | undefined): void {
    dismiss();
    this.endedSessions(1, owner);
  }

  /** Reports sessions that were ended for their places. */
  endedSessions(count: number, owner: string | undefined): void {
    if (owner === undefined)
      return this.#ended.add(count, `all ${this.limit} upstream connections`, 'maxUpstreams (--max-upstreams)');
    const own = `the ${this.ownLimit} upstream connections of one ${kindOfOwner(owner)}`;
    this.#ended.add(count, own, 'maxUpstreamsPerClient (--max-upstreams-per-client)');
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

  /** Tells whether an owner has a place. */
  holds(owner: string | undefined): boolean {
    return owner !== undefined && this.#open.of(owner) > 0;
  }

  /** Makes sure that there is a free place; returns which limit is full if all are in use. */
  makeRoom(owner?: string): Full | undefined {
    const closing = this.#tooManyClosing(owner);
    if (closing !== undefined) return closing;
    if (owner !== undefined && this.#isFull(owner)) return 'own';
    return this.#open.all < this.limit || this.#yielded() ? undefined : 'all';
  }

  /** Takes a place; returns which limit is full if all are in use. */
  take(owner?: string): Full | undefined {
    const full = this.makeRoom(owner);
    if (full === undefined) this.#open.add(1, owner);
    return full;
  }

  /**
   * Gives a place back.
   *
   * @param closed Settles when what had the place is closed; it never rejects.
   */
  giveBack(owner: string | undefined, closed: Promise<void>): void {
    this.#open.add(-1, owner);
    this.#closing.add(1, owner);
    void closed.then(() => this.#closing.add(-1, owner));
  }

  /**
   * Moves a place to another owner.
   *
   * @returns False, without a change, if all places of that owner are in use.
   */
  handOver(place: OwnedPlace, to: string): boolean {
    if (place.owner === to) return true;
    if (this.#isFull(to)) return false;
    this.#open.add(-1, place.owner);
    place.owner = to;
    this.#open.add(1, to);
    return true;
  }

  /** Tells whether an owner has used up its places, and none of them can be freed. */
  #isFull(owner: string): boolean {
    return this.#open.of(owner) >= this.ownLimit && !this.#yielded(owner);
  }

  #tooManyClosing(owner: string | undefined): Full | undefined {
    const own = owner === undefined ? 0 : this.#closing.of(owner);
    if (own >= Math.max(this.ownLimit, leastClosing.own)) return 'own';
    return this.#closing.all >= Math.max(this.limit, leastClosing.all) ? 'all' : undefined;
  }

  #yielded(owner?: string): boolean {
    if (this.#tooManyClosing(owner) !== undefined) return false;
    let longest: { readonly holder: Holder; readonly since: number } | undefined;
    for (const holder of this.#holders) {
      const since = holder.idleSince(owner);
      if (since !== undefined && since < (longest?.since ?? Number.POSITIVE_INFINITY)) longest = { holder, since };
    }
    longest?.holder.giveUp(owner);
    return longest !== undefined;
  }
}

/** Number of connections, of all and of each owner. */
class Count {
  readonly #own = new Map<string, number>();
  #all = 0;

  get all(): number {
    return this.#all;
  }

  of(owner: string): number {
    return this.#own.get(owner) ?? 0;
  }

  add(count: 1 | -1, owner: string | undefined): void {
    this.#all += count;
    if (owner === undefined) return;
    const own = this.of(owner) + count;
    if (own > 0) this.#own.set(owner, own);
    else this.#own.delete(owner);
  }
}
