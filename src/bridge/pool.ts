import type { Call } from '../peer/call.ts';
import type { Settled } from '../peer/host.ts';
import type { JsonObject } from '../protocol/common.ts';
import { McpError } from '../protocol/error.ts';
import { Upstream, type OpenClient, type UpstreamEvents } from './upstream.ts';

/** What a pool needs to know of its bridge. */
export interface PoolOptions {
  readonly open: OpenClient;
  /** How many connections there may be at once. */
  readonly limit: number;
  /** What the connection of calls without a principal tells. */
  readonly main: UpstreamEvents;
  /** What the own connection of a handshake session tells. */
  eventsOf(session: Settled): UpstreamEvents;
}

/** How many quiet connections are kept for one principal's next calls. */
const spares = 4;

/**
 * The upstream connections of a bridge. Each handshake session downstream has one of its own. Stateless calls share
 * those of their principal; one that wants log messages has a connection to itself while it runs, since a log message
 * names no call and must reach nobody else.
 */
export class Pool {
  /** Shared by calls without a principal, and followed for changes. */
  readonly main: Upstream;
  readonly #options: PoolOptions;
  readonly #all = new Set<Upstream>();
  /** The shared ones by principal, oldest first. */
  readonly #shared = new Map<string | undefined, Upstream[]>();
  readonly #owned = new WeakMap<Settled['state'], Upstream>();
  readonly #closing = new Set<Promise<void>>();
  #closed = false;

  constructor(options: PoolOptions) {
    this.#options = options;
    this.main = this.#add(options.main);
    this.#shared.set(undefined, [this.main]);
  }

  /** Carries one call on a connection that it may use. */
  async carry(params: JsonObject, call: Call): Promise<JsonObject> {
    if (call.settled !== undefined) return this.ownedBy(call.settled).carry(params, call);
    const alone = call.logLevel !== undefined;
    const principal = call.auth?.principal;
    const upstream = this.#sharedBy(principal, alone);
    try {
      return await upstream.carry(params, call, alone);
    } finally {
      this.#trim(principal, upstream);
    }
  }

  /** The connection of a handshake session. */
  ownedBy(session: Settled): Upstream {
    const known = this.ownOf(session);
    if (known !== undefined) return known;
    const upstream = this.#add(this.#options.eventsOf(session));
    this.#owned.set(session.state, upstream);
    return upstream;
  }

  /** The connection of a handshake session, if it has one already. */
  ownOf(session: Settled): Upstream | undefined {
    return this.#owned.get(session.state);
  }

  /** Runs something with a connection of its own, which is closed afterwards. */
  async withOwn<T>(events: UpstreamEvents, run: (upstream: Upstream) => Promise<T>): Promise<T> {
    const upstream = this.#add(events);
    try {
      return await run(upstream);
    } finally {
      this.#drop(upstream);
    }
  }

  /** The session downstream ended: its connection does too. */
  release(session: Settled): void {
    const upstream = this.ownOf(session);
    if (upstream === undefined) return;
    this.#owned.delete(session.state);
    this.#drop(upstream);
  }

  /** Closes every connection; none is opened afterwards. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const upstream of this.#all) this.#drop(upstream);
    this.#shared.clear();
    await Promise.all(this.#closing);
  }

  #sharedBy(principal: string | undefined, alone: boolean): Upstream {
    const known = this.#shared.get(principal) ?? [];
    const free = known.find((upstream) => upstream.free(alone));
    if (free !== undefined) return free;
    const upstream = this.#add({ onWarning: this.#options.main.onWarning });
    this.#shared.set(principal, [...known, upstream]);
    return upstream;
  }

  #add(events: UpstreamEvents): Upstream {
    if (this.#closed) throw new McpError('internalError', 'the bridge is closed');
    const { limit, open } = this.#options;
    if (this.#all.size >= limit && !this.#makeRoom())
      throw new McpError('internalError', `the bridge has its ${limit} upstream connections in use; try again later`);
    const upstream = new Upstream(open, events);
    this.#all.add(upstream);
    return upstream;
  }

  /** Drops a shared connection that nobody uses. */
  #makeRoom(): boolean {
    for (const [principal, list] of this.#shared) {
      const quiet = list.find((upstream) => upstream.quiet && upstream !== this.main);
      if (quiet === undefined) continue;
      this.#forget(principal, quiet);
      return true;
    }
    return false;
  }

  /** After a burst of calls only some connections are kept. */
  #trim(principal: string | undefined, upstream: Upstream): void {
    const list = this.#shared.get(principal) ?? [];
    if (upstream === this.main || !upstream.quiet || !list.includes(upstream)) return;
    if (list.filter(({ quiet }) => quiet).length > spares) this.#forget(principal, upstream);
  }

  #forget(principal: string | undefined, upstream: Upstream): void {
    const rest = (this.#shared.get(principal) ?? []).filter((other) => other !== upstream);
    if (rest.length === 0) this.#shared.delete(principal);
    else this.#shared.set(principal, rest);
    this.#drop(upstream);
  }

  #drop(upstream: Upstream): void {
    this.#all.delete(upstream);
    const closing = upstream.close().finally(() => this.#closing.delete(closing));
    this.#closing.add(closing);
  }
}
