import { kindOfOwner, ownerOf } from '../../auth/common/owner.ts';
import { monotonicNow, settledWithin } from '../../jsonrpc/timeout.ts';
import type { Call } from '../../server/runtime/call.ts';
import type { ClientOrigin, NotificationSender, ServerSession } from '../../server/runtime/server-core.ts';
import type { JsonObject } from '../../protocol/features/common.ts';
import { McpError } from '../../protocol/error.ts';
import { loggingLevels, type LoggingLevel } from '../../protocol/features/logging.ts';
import { methodOf } from '../../protocol/catalogue.ts';
import type { Revision } from '../../protocol/revision.ts';
import { withoutLogs, type ForwardedCall } from './forwarded-call.ts';
import { closedInTime } from './closing.ts';
import { Failures } from './failures.ts';
import { revisionFor } from '../forward.ts';
import { isObject } from '../../jsonrpc/message.ts';
import { isTask, taskFormBehind } from '../tasks/task-forms.ts';
import { SuspendedCalls } from './suspended/suspended-calls.ts';
import type { Full, Holder } from './connection-limit.ts';
import type { PoolOptions } from './pool-options.ts';
import { Upstream } from './upstream.ts';
import type { UpstreamConnectionOptions } from './upstream-options.ts';
import { wantedKeyOf, selfOf, selfOfSession, wantedBy, wantedOf, type WantedConnection } from './wanted.ts';

/** Number of idle connections that are kept for one principal's next calls, and of processes. */
const spares = 4;
const spareProcesses = 2;
/** Time that a call waits for the answer to a cancelled call before it uses another connection. */
const clearingMs = 250;

/**
 * The upstream connections of a bridge. For a session-based server, each downstream session has its own. Other calls
 * share by principal and, if the server may ask, by declared capabilities. A question or log message may name no call,
 * and must not reach a wrong client. So a call that may be asked shares its connection with no other such call. A call
 * that wants logs has one alone, except if that needs another process.
 */
export class Pool {
  /** Shared by calls without a principal, and followed for changes. */
  readonly main: Upstream;
  readonly #options: PoolOptions;
  readonly #failures: Failures;
  readonly #all = new Set<Upstream>();
  /** The shared connections by key, oldest first. */
  readonly #shared = new Map<string, Upstream[]>();
  readonly #suspended: SuspendedCalls;
  readonly #owned = new WeakMap<ServerSession['state'], Upstream>();
  /** The sessions of those that belong to one. */
  readonly #sessions = new Map<Upstream, ServerSession>();
  /** The levels of sessions whose connections were closed. */
  readonly #resting = new WeakMap<ServerSession['state'], LoggingLevel>();
  /** Levels of logging that sessions on a shared connection want. */
  readonly #levels = new Map<ServerSession['state'], LoggingLevel>();
  readonly #closing = new Set<Promise<void>>();
  /** Connections on which tasks were made, by the results that announce them. */
  readonly #madeOn = new WeakMap<JsonObject, Upstream>();
  /** True when the server has asked its clients something. */
  #asks = false;
  /** The sessions that are over. */
  readonly #ended = new WeakSet<ServerSession['state']>();
  #closed = false;

  constructor(options: PoolOptions) {
    this.#options = options;
    this.#failures = new Failures(options.main.onWarning, monotonicNow, options.silent);
    options.places.join(this.#holder);
    this.main = this.#add({ events: options.main, owner: ownerOf(options.principal, undefined) });
    this.#shared.set(wantedKeyOf({}), [this.main]);
    this.#suspended = new SuspendedCalls(
      { maxOfOne: Math.ceil(options.places.limit / 2), onWarning: options.main.onWarning, ...options.suspended },
      (params, forwarded, principal) => this.#share(params, forwarded, principal),
    );
  }

  /** Tells whether sessions have no connections of their own: it was wished so, or the server knows no sessions. */
  get shared(): boolean {
    return this.#options.shared === true || (this.main.latest !== undefined && this.#handshake() === undefined);
  }

  /** Carries one call on a connection that it may use. */
  async carry(params: JsonObject, call: Call): Promise<JsonObject> {
    if (this.#options.shared === true) return await this.main.carry(params, call);
    if (call.session !== undefined && !this.shared) return await this.ownedBy(call.session).carry(params, call);
    if (this.#mayBeAsked(call, params)) return await this.#suspended.carry(params, call);
    return await this.#share(params, call, call.auth?.principal);
  }

  /** Sends a client's notification to the upstream, on a connection of that client. */
  async notify(method: string, params: JsonObject, { session, principal }: NotificationSender): Promise<void> {
    const upstream =
      session === undefined || this.shared
        ? this.#sharedBy(wantedOf({ principal }, this.#options.principal), (one) => one.free(false))
        : this.ownedBy(session);
    await upstream.notify(method, params);
  }

  /** Forgets a list that became stale, which all connections keep in one store. */
  changed(method: string, params: JsonObject): void {
    [...this.#all].find(({ latest }) => latest !== undefined)?.latest?.invalidate(method, params);
  }

  /** The connection of a handshake session. */
  ownedBy(session: ServerSession): Upstream {
    if (this.shared) return this.main;
    const known = this.ownOf(session);
    if (known !== undefined) return known;
    // A request of a session may outlast the session.
    if (this.#ended.has(session.state)) throw new McpError('internalError', 'the session is over');
    const self = selfOfSession(session, this.#handshake());
    const upstream = this.#add({
      events: this.#options.eventsOf(session),
      self,
      owner: ownerOf(session.principal, session.address),
      level: this.#resting.get(session.state),
    });
    this.#owned.set(session.state, upstream);
    this.#sessions.set(upstream, session);
    return upstream;
  }

  /**
   * Sets the log level of a session. A shared connection uses the most verbose level, and each session gets what it
   * wants.
   *
   * @throws McpError from the upstream.
   */
  async setLevel(level: LoggingLevel, session: ServerSession, call: ForwardedCall): Promise<void> {
    if (!this.shared) return await this.ownedBy(session).setLevel(level, call);
    // Without sessions, each request carries its level.
    if (this.#handshake() === undefined) return;
    this.#levels.set(session.state, level);
    const wanted = new Set(this.#levels.values());
    await this.main.setLevel(loggingLevels.find((one) => wanted.has(one)) ?? level, call);
  }

  /** The connection of a handshake session, if it has one already. */
  ownOf(session: ServerSession): Upstream | undefined {
    return this.#owned.get(session.state);
  }

  /**
   * The preferred connection for calls of a client without sessions: the one on which its task was made.
   *
   * @param within Name of that connection, for a call about a task.
   * @throws McpError invalidParams if the process of the task is gone.
   */
  preferredBy(call: Parameters<typeof wantedBy>[0], within?: string): Upstream {
    if (this.shared) return this.main;
    const home = within === undefined ? undefined : [...this.#all].find(({ id }) => id === within);
    if (home !== undefined) return home;
    if (within !== undefined && this.#areProcesses)
      throw new McpError('invalidParams', 'the process in which the task was has ended');
    const wanted = this.#wantedBy(call, call.auth?.principal);
    const preferred = this.#shared.get(wantedKeyOf(wanted))?.[0];
    return this.#sharedBy(wanted, (one) => one === preferred);
  }

  /** The name of the connection on which a task was made, by the result that announces it. */
  madeOn(result: JsonObject): string | undefined {
    return this.#madeOn.get(result)?.id;
  }

  /** The session downstream ended: its connection does too. */
  release(session: ServerSession): void {
    this.#ended.add(session.state);
    this.#levels.delete(session.state);
    const upstream = this.ownOf(session);
    if (upstream === undefined) return;
    this.#owned.delete(session.state);
    this.#sessions.delete(upstream);
    this.#drop(upstream);
  }

  /**
   * Makes room for a client that is about to open a session.
   *
   * @throws McpError busy if there is none.
   */
  admit({ principal, address }: ClientOrigin): void {
    if (this.shared) return;
    const owner = ownerOf(principal, address);
    this.#requireRoom(this.#options.places.makeRoom(owner), owner);
    if (this.#areProcesses) this.#options.places.starts.requireOne(owner);
  }

  /** Tells whether no caller waits on any connection. */
  get idle(): boolean {
    return [...this.#all].every(({ idle }) => idle);
  }

  /** Closes every connection; none is opened afterwards. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#suspended.close();
    for (const upstream of this.#all) this.#drop(upstream);
    this.#shared.clear();
    this.#options.places.leave(this.#holder);
    await Promise.all(this.#closing);
  }

  /** A session-based server asks its client. The declared capabilities decide which questions there may be. */
  #mayBeAsked(call: Call, { requestState }: JsonObject): boolean {
    if (methodOf(call.method)?.inputRequired === undefined || this.#handshake() === undefined) return false;
    return requestState !== undefined || selfOf(call, this.#handshake()) !== undefined;
  }

  /** The revision of a handshake upstream. */
  #handshake(): Revision | undefined {
    const { latest } = this.main;
    const revision = latest === undefined ? undefined : revisionFor(latest);
    return revision?.sessions === true ? revision : undefined;
  }

  async #share(params: JsonObject, forwarded: ForwardedCall, principal: string | undefined): Promise<JsonObject> {
    const wanted = this.#wantedBy(forwarded, principal);
    if (this.#handshake() === undefined) return await this.#beside(params, forwarded, wanted);
    const key = wantedKeyOf(wanted);
    const alone = !this.#areProcesses && (forwarded.ask !== undefined || forwarded.logLevel !== undefined);
    const fits = (one: Upstream): boolean => (this.#areProcesses ? this.#mayRunIn(one, forwarded) : one.free(alone));
    if (this.#areProcesses) await this.#cleared(key, forwarded);
    const upstream = this.#sharedBy(wanted, fits);
    try {
      const result = await upstream.carry(params, forwarded, alone);
      if (isTask(result, taskFormBehind(this), params['task'])) this.#becameTask(result, upstream);
      return result;
    } finally {
      this.#trim(key, upstream);
    }
  }

  /**
   * Another process would be another server, with another state. A call only avoids a process with calls or tasks that
   * may ask, or with cancelled calls of a server that is known to ask.
   */
  #mayRunIn(upstream: Upstream, { ask }: ForwardedCall): boolean {
    return ask === undefined || (upstream.calls.asksNobody && !(this.#asks && upstream.doubtful));
  }

  /** Waits a moment for the answers to cancelled calls, if only these keep a call from the process. */
  async #cleared(key: string, forwarded: ForwardedCall): Promise<void> {
    const list = this.#shared.get(key) ?? [];
    const doubtful = list.find((one) => one.doubtful && one.calls.asksNobody);
    if (doubtful === undefined || list.some((one) => this.#mayRunIn(one, forwarded))) return;
    await settledWithin(clearingMs, doubtful.cleared());
  }

  /** Takes note that a call became a task of the server. */
  #becameTask(result: JsonObject, upstream: Upstream): void {
    const { taskId } = isObject(result['task']) ? result['task'] : result;
    this.#madeOn.set(result, upstream);
    upstream.calls.began(String(taskId));
  }

  #wantedBy(forwarded: Parameters<typeof wantedBy>[0], principal: string | undefined): WantedConnection {
    return wantedBy(forwarded, principal, { handshake: this.#handshake(), own: this.#options.principal });
  }

  /** Tells whether each connection is a process of its own, with a state of its own. */
  get #areProcesses(): boolean {
    return this.#options.facts.ownsProcess;
  }

  /**
   * A stateless server logs for the requests that ask for it: a call that does may run beside any that do not. Where
   * another client's log messages may come already it has another connection, or does without its own: another process
   * would be another server, with other lists.
   */
  async #beside(params: JsonObject, forwarded: ForwardedCall, wanted: WantedConnection): Promise<JsonObject> {
    const key = wantedKeyOf(wanted);
    const [first] = this.#shared.get(key) ?? [];
    const { places, facts } = this.#options;
    const unlogged = (): Upstream | undefined =>
      facts.ownsProcess || places.makeRoom(wanted.owner) !== undefined ? first : undefined;
    const upstream = this.#sharedBy(wanted, (one) => one.maySendLogsOf(forwarded), unlogged);
    try {
      return await upstream.carry(params, upstream.maySendLogsOf(forwarded) ? forwarded : withoutLogs(forwarded));
    } finally {
      this.#trim(key, upstream);
    }
  }

  /** A matching known connection, otherwise another one: the given one, or a new one. */
  #sharedBy(
    wanted: WantedConnection,
    fits: (upstream: Upstream) => boolean,
    other: () => Upstream | undefined = () => undefined,
  ): Upstream {
    const key = wantedKeyOf(wanted);
    const { owner } = wanted;
    const known = this.#shared.get(key)?.find((one) => fits(one) && this.#takenBy(owner, one)) ?? other();
    if (known !== undefined) return known;
    this.#retire(key);
    const upstream: Upstream = this.#add({
      events: this.#options.eventsBy(wanted.principal, () => upstream),
      self: wanted.self,
      owner,
    });
    this.#shared.set(key, [...(this.#shared.get(key) ?? []), upstream]);
    return upstream;
  }

  /** Moves an unused connection to a new owner's account: one owner must not use up what others may have. */
  #takenBy(owner: string | undefined, upstream: Upstream): boolean {
    const mayMove = owner !== undefined && upstream !== this.main && upstream.quiet;
    return !mayMove || this.#options.places.handOver(upstream, owner);
  }

  /** Refuses for now if a limit is reached. */
  #requireRoom(full: Full | undefined, owner: string | undefined): void {
    const { limit, ownLimit } = this.#options.places;
    if (full === undefined) return;
    const what =
      full === 'all' || owner === undefined
        ? `its ${limit} upstream connections`
        : `the ${ownLimit} upstream connections of one ${kindOfOwner(owner)}`;
    throw new McpError('busy', `the bridge has ${what} in use; try again later`);
  }

  #add(
    options: Omit<UpstreamConnectionOptions, 'open' | 'facts' | 'onAsked' | 'failures' | 'waiting' | 'tick'>,
  ): Upstream {
    if (this.#closed) throw new McpError('internalError', 'the bridge is closed');
    const { places, open, facts, main, waiting } = this.#options;
    if (this.#areProcesses) places.starts.requireOne(options.owner);
    this.#requireRoom(places.take(options.owner), options.owner);
    if (this.#areProcesses) places.starts.take(options.owner);
    const upstream = new Upstream({
      open: open(options.events === main),
      facts,
      onAsked: () => void (this.#asks = true),
      failures: this.#failures,
      waiting,
      tick: () => places.tick(),
      ...options,
    });
    this.#all.add(upstream);
    return upstream;
  }

  /** Connections that can be closed, with the function that does so. None is in use or has subscriptions. */
  *#idle(): Generator<readonly [Upstream, (owner?: string) => void]> {
    for (const [key, list] of this.#shared)
      for (const upstream of list)
        if (upstream.idle && !upstream.followed && upstream !== this.main)
          yield [upstream, () => this.#forget(key, upstream)];
    for (const [upstream, session] of this.#sessions) {
      if (!upstream.idle) continue;
      const { dismiss } = session;
      if (!upstream.stateful) yield [upstream, () => this.#rest(session, upstream)];
      // The client learns that its state in the server is gone, and begins again.
      else if (dismiss !== undefined) yield [upstream, (owner) => this.#options.places.endSession(dismiss, owner)];
    }
  }

  #idlest(owner: string | undefined): readonly [Upstream, (owner?: string) => void] | undefined {
    const own = [...this.#idle()].filter(([upstream]) => owner === undefined || upstream.owner === owner);
    return own.toSorted(([one], [other]) => one.usedAt - other.usedAt)[0];
  }

  readonly #holder: Holder = {
    idleSince: (owner) => this.#idlest(owner)?.[0].usedAt,
    giveUp: (owner) => this.#idlest(owner)?.[1](owner),
  };

  /** The session lives on, and gets another connection when it is used again. */
  #rest(session: ServerSession, upstream: Upstream): void {
    const { level } = upstream;
    if (level !== undefined) this.#resting.set(session.state, level);
    this.#owned.delete(session.state);
    this.#sessions.delete(upstream);
    this.#drop(upstream);
  }

  /** After a burst of calls only some connections are kept: the oldest, in which calls have left most. */
  #trim(key: string, upstream: Upstream): void {
    const list = this.#shared.get(key) ?? [];
    if (!list.includes(upstream)) return;
    const kept = this.#areProcesses ? spareProcesses : spares;
    for (const one of list.filter(({ quiet }) => quiet).slice(kept))
      if (one.idle && !one.followed && !one.calls.hasTasks && one !== this.main) this.#forget(key, one);
  }

  /** Retires a connection that only waits for the answer to a cancelled call, which may never come. */
  #retire(key: string): void {
    const doubtful = this.#shared.get(key)?.find((upstream) => upstream.quiet && upstream.doubtful);
    if (doubtful !== undefined && doubtful !== this.main) this.#forget(key, doubtful);
  }

  #forget(key: string, upstream: Upstream): void {
    const rest = (this.#shared.get(key) ?? []).filter((other) => other !== upstream);
    if (rest.length === 0) this.#shared.delete(key);
    else this.#shared.set(key, rest);
    this.#drop(upstream);
  }

  #drop(upstream: Upstream): void {
    const { onWarning } = this.#options.main;
    const closing = closedInTime(upstream, onWarning).finally(() => this.#closing.delete(closing));
    this.#closing.add(closing);
    if (this.#all.delete(upstream)) this.#options.places.giveBack(upstream.owner, closing);
  }
}
