import type { Call } from '../peer/call.ts';
import type { Settled } from '../peer/host.ts';
import type { JsonObject } from '../protocol/common.ts';
import { McpError } from '../protocol/error.ts';
import type { LoggingMessageNotificationParams } from '../protocol/logging.ts';
import { Upstream, type OpenClient } from './upstream.ts';

/** What the pool tells of upstream connections. */
export interface PoolEvents {
  /** A notification that belongs to no call. `session` is the downstream session whose connection it came on. */
  onNotification(method: string, params: JsonObject, session: Settled | undefined): void;
  /** A log message that no single call can be named for, on a connection that several stateless calls share. */
  onUnattributedLog(message: LoggingMessageNotificationParams): void;
}

const own = Symbol('upstream connection');

/**
 * The upstream connections of a bridge. Each handshake session downstream has one of its own; stateless calls share
 * one per principal, and a stateless call that wants log messages has one to itself while it runs, so that no
 * message reaches a caller it does not belong to.
 */
export class Pool {
  readonly #open: OpenClient;
  readonly #events: PoolEvents;
  readonly #limit: number;
  readonly #all = new Set<Upstream>();
  readonly #shared = new Map<string | undefined, Upstream>();
  readonly #idle = new Map<string | undefined, Upstream[]>();

  /** @param limit How many connections may be open at once. */
  constructor(open: OpenClient, events: PoolEvents, limit: number) {
    this.#open = open;
    this.#events = events;
    this.#limit = limit;
  }

  /** The connection that calls without a principal share; it also hears of changes. */
  get main(): Upstream {
    return this.#sharedBy(undefined);
  }

  /** Carries one call on the connection that it belongs to. */
  async carry(params: JsonObject, call: Call): Promise<JsonObject> {
    if (call.settled !== undefined) return this.#ownedBy(call.settled).carry(params, call);
    if (call.logLevel === undefined) return this.#sharedBy(call.auth?.principal).carry(params, call);
    const leased = this.#takeIdle(call.auth?.principal) ?? this.#add(undefined);
    try {
      return await leased.carry(params, call);
    } finally {
      this.#giveBack(call.auth?.principal, leased);
    }
  }

  /** Passes the level of a session on at once, if it has an upstream connection already. */
  async setLevel(call: Call): Promise<void> {
    const upstream = call.settled?.state.get(own) as Upstream | undefined;
    await upstream?.setLevel(call.logLevel);
  }

  /** The downstream session ended: its connection does too. */
  release(session: Settled): void {
    // Only this file writes under the symbol.
    const upstream = session.state.get(own) as Upstream | undefined;
    if (upstream === undefined) return;
    session.state.delete(own);
    this.#drop(upstream);
  }

  async close(): Promise<void> {
    const all = [...this.#all];
    this.#all.clear();
    this.#shared.clear();
    this.#idle.clear();
    await Promise.all(all.map((upstream) => upstream.close()));
  }

  #ownedBy(session: Settled): Upstream {
    const known = session.state.get(own) as Upstream | undefined;
    if (known !== undefined) return known;
    const upstream = this.#add(session);
    session.state.set(own, upstream);
    return upstream;
  }

  #sharedBy(principal: string | undefined): Upstream {
    const known = this.#shared.get(principal);
    if (known !== undefined) return known;
    const upstream = this.#add(undefined, principal === undefined);
    this.#shared.set(principal, upstream);
    return upstream;
  }

  #add(session: Settled | undefined, main = false): Upstream {
    if (this.#all.size >= this.#limit) {
      const spare = this.#spare();
      if (spare === undefined) throw new McpError('internalError', `the bridge has its ${this.#limit} upstream connections in use; try again later`);
      this.#drop(spare);
    }
    const upstream = new Upstream(this.#open, {
      onLog: (message) => {
        if (session === undefined) this.#events.onUnattributedLog(message);
        else session.notify('notifications/message', { ...message });
      },
      onNotification: (method, params) => {
        if (session !== undefined || main) this.#events.onNotification(method, params, session);
      },
    });
    this.#all.add(upstream);
    return upstream;
  }

  /** A connection that nobody uses and nobody owns: one kept for the next lease, or shared and quiet. */
  #spare(): Upstream | undefined {
    for (const principal of this.#idle.keys()) return this.#takeIdle(principal);
    for (const [principal, upstream] of this.#shared) {
      if (principal === undefined || upstream.running > 0) continue;
      this.#shared.delete(principal);
      return upstream;
    }
    return undefined;
  }

  #takeIdle(principal: string | undefined): Upstream | undefined {
    const list = this.#idle.get(principal);
    const upstream = list?.pop();
    if (list?.length === 0) this.#idle.delete(principal);
    return upstream;
  }

  #giveBack(principal: string | undefined, upstream: Upstream): void {
    const list = this.#idle.get(principal) ?? [];
    if (list.length >= 4 || !this.#all.has(upstream)) return this.#drop(upstream);
    list.push(upstream);
    this.#idle.set(principal, list);
  }

  #drop(upstream: Upstream): void {
    this.#all.delete(upstream);
    // Nobody waits for it, and closing never rejects.
    void upstream.close();
  }
}
