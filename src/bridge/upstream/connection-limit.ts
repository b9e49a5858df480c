import { kindOfOwner } from '../../auth/common/owner.ts';
import { EndedSessions } from './ended-sessions.ts';
import { StartLimit } from './start-limit.ts';

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

/** The least number of connections that may be closing at once, for one owner and for all. */
const leastClosing = { own: 16, all: 32 } as const;

/** The least number of processes that may be started within a minute, for one owner and for all. */
const leastStarts = { own: 64, all: 1_024 } as const;

/**
 * Limit of the connections that may be open at once, counted over all the pools that open them, and for each owner.
 * Where they are scarce, whichever was used least recently gives way; none does in the middle of a call. What is given
 * up takes its time to close: as many as may be open may be closing, and while there are more none is opened.
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
   * @param ownLimit How many of them one owner may have.
   * @param warn Hears of sessions that were ended so that there is room.
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

  /** Ends a session that has a place, for an owner that has all of its own or since all are taken, and tells of it. */
  endSession(dismiss: () => void, owner: string | undefined): void {
    dismiss();
    this.endedSessions(1, owner);
  }

  /** Tells of sessions that were ended for their places. */
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

  /** Makes sure that there is a place to take; says what is full where all are in use. */
  makeRoom(owner?: string): Full | undefined {
    const closing = this.#tooManyClosing(owner);
    if (closing !== undefined) return closing;
    if (owner !== undefined && this.#isFull(owner)) return 'own';
    return this.#open.all < this.limit || this.#yielded() ? undefined : 'all';
  }

  /** Takes a place; says what is full where all are in use. */
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
   * Lets a place count for another owner from now on.
   *
   * @returns False, and nothing happens, where all places of that owner are in use.
   */
  handOver(place: OwnedPlace, to: string): boolean {
    if (place.owner === to) return true;
    if (this.#isFull(to)) return false;
    this.#open.add(-1, place.owner);
    place.owner = to;
    this.#open.add(1, to);
    return true;
  }

  /** Tells whether an owner has all the places that it may have, and none of them gives way. */
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
