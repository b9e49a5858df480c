import { ConnectionError, type Transport } from '../../jsonrpc/transport.ts';
import { settledWithin } from '../../jsonrpc/timeout.ts';
import { factsOf } from '../../jsonrpc/transport-facts.ts';
import { harmless } from '../../options/harmless.ts';
import { IncompatibleError } from '../connection/incompatible.ts';
import type { StepLimits } from '../connection/connect-limit.ts';
import { initialize } from '../connection/initialize.ts';
import type { Negotiated } from '../api/negotiated.ts';
import { negotiate } from '../connection/negotiate.ts';
import { waitFor, type WaitLimits } from '../api/wait-for.ts';
import type { JsonObject } from '../../protocol/features/common.ts';
import type { LoggingLevel } from '../../protocol/features/logging-level.ts';
import { EarlyRequests } from '../connection/early-requests.ts';
import type { Inbound } from '../connection/open-channel.ts';
import { ServerConnection } from '../connection/server-connection.ts';
import { createInbound, type InboundHandler } from '../middleware/inbound.ts';
import type { ClientSettings } from './settings.ts';
import { Rate } from '../connection/retry.ts';
import type { LostSession } from '../connection/uninitialized.ts';
import { believable, type NegotiationCache } from '../connection/negotiation-cache.ts';

/** Options with which a connection is opened, again and again. */
export interface ReconnectingOptions {
  readonly transport: Transport;
  readonly settings: ClientSettings;
  readonly knownServers: NegotiationCache;
  readonly handlers: ReadonlyMap<string, InboundHandler>;
}

/** Observer of a connection across reconnects. None of its functions may throw. */
export interface ConnectionObserver {
  /** Tells whether a notification came on the wrong stream. It is then dropped. */
  misplaced?(method: string, params: JsonObject): boolean;
  /** A notification arrived. The user's listeners run afterwards. */
  notified?(method: string, params: JsonObject): void;
  /** The connection continues, but notifications may have been lost. */
  gap?(): void;
  /** The connection is over; another one is opened when it is needed. */
  lost?(): void;
  /** Another connection was opened; requests wait a moment for this to be done. */
  reopened?(connection: ServerConnection): void | Promise<void>;
  /** Nothing follows: it ended for a reason, or was closed here. */
  ended?(error: ConnectionError | undefined): void;
}

const rateWindowMs = 60_000;

/** Time that requests wait until a new connection has the state of the previous one, in milliseconds. */
const restoringMs = 1_000;

/** Keeps one connection with a server open. If the server lost the session or died, the next use opens another. */
export class CurrentConnection {
  readonly #options: ReconnectingOptions;
  readonly #closers = new Set<(error: ConnectionError) => void>();
  readonly #reopeners = new Set<(after: ConnectionError) => void>();
  readonly #observers: ConnectionObserver[] = [];
  readonly #stopped = new AbortController();
  readonly #reopenings: Rate;
  #current: ServerConnection | undefined;
  #opening: Promise<void> | undefined;
  #initializing: Promise<boolean> | undefined;
  #requestLevel: LoggingLevel | undefined;
  #ended: ConnectionError | undefined;
  /** The params of the last `logging/setLevel`, if the level belongs to the session. */
  sessionLevel: JsonObject | undefined;
  readonly closed: Promise<ConnectionError | undefined>;
  readonly #resolveClosed: (error: ConnectionError | undefined) => void;

  constructor(options: ReconnectingOptions) {
    this.#options = options;
    this.#reopenings = new Rate(options.settings.maxReconnects, rateWindowMs);
    let resolveClosed!: (error: ConnectionError | undefined) => void;
    this.closed = new Promise((resolve) => (resolveClosed = resolve));
    this.#resolveClosed = resolveClosed;
  }

  /** Opens the first connection; the errors are those of `negotiate`. */
  async open(): Promise<void> {
    const { settings, transport, knownServers } = this.#options;
    const given = believable(settings.negotiated, settings.now());
    await this.#settle(given ?? knownServers.of(transport, settings.clock()), settings.signal);
  }

  /** The newest negotiated connection, even if it is lost. */
  get settled(): ServerConnection {
    // It is never used before it was opened.
    return this.#current as ServerConnection;
  }

  /**
   * The connection, where nothing needs to be done first.
   *
   * @throws ConnectionError when the end was final.
   */
  get usable(): ServerConnection | undefined {
    if (this.#ended !== undefined) throw this.#ended;
    return this.#opening === undefined && this.#current?.lost === undefined ? this.#current : undefined;
  }

  get stopped(): boolean {
    return this.#stopped.signal.aborted;
  }

  /** The log level of each request, in revisions where requests carry it. */
  set requestLevel(level: LoggingLevel | undefined) {
    this.#requestLevel = level;
    this.settled.logLevel = level;
  }

  observe(observer: ConnectionObserver): void {
    this.#observers.push(observer);
  }

  onClose(listener: (error: ConnectionError) => void): () => void {
    this.#closers.add(listener);
    return () => void this.#closers.delete(listener);
  }

  onReconnect(listener: (after: ConnectionError) => void): () => void {
    this.#reopeners.add(listener);
    return () => void this.#reopeners.delete(listener);
  }

  /** The connection, opened anew if it must be. However many wait for it, it is opened once. */
  async connection(impatience: WaitLimits): Promise<ServerConnection> {
    for (let opened = 0; ; opened++) {
      const usable = this.usable;
      if (usable !== undefined) return usable;
      // The new connection may be lost again by now. This request was not sent in it, so it may wait once more.
      if (opened === 2) throw this.settled.lost ?? new ConnectionError('closed', 'the connection is lost');
      try {
        await waitFor(this.reopen(), impatience);
      } catch (error) {
        throw this.#ended ?? error;
      }
    }
  }

  /** Opens another connection if this one is lost. */
  reopen(): Promise<void> {
    const lost = this.#current?.lost;
    if (this.#opening !== undefined) return this.#opening;
    return lost === undefined ? Promise.resolve() : this.#openBy(() => this.#reopen(lost));
  }

  /** Probes the server after all. Tells whether it speaks something other than assumed. */
  async renew(believed: ServerConnection): Promise<boolean> {
    if (this.#current === believed && this.#opening === undefined) {
      // Another request got its answer meanwhile.
      if (believed.confirmed) return false;
      void this.#openBy(async () => {
        if (!(await this.#isStill(believed))) await this.#settleAnew(believed);
      });
    }
    await this.#opening;
    return this.settled.revision !== believed.revision;
  }

  /** Initializes a server again in the same channel, once for all requests that it refused. Tells whether it is initialized now. */
  initializeAgain(connection: ServerConnection, session: LostSession): Promise<boolean> {
    this.#initializing ??= this.#initializeAgain(connection, session).finally(() => (this.#initializing = undefined));
    return this.#initializing;
  }

  async #initializeAgain(connection: ServerConnection, { lost, refuses }: LostSession): Promise<boolean> {
    const { settings } = this.#options;
    const { agreement, revision } = connection;
    if (this.#reopenings.exhausted(settings.clock())) return false;
    this.#reopenings.note(settings.clock());
    const limits = (): StepLimits => ({ timeoutMs: settings.connectTimeoutMs, signal: this.#stopped.signal });
    try {
      await initialize(agreement.channel, revision, { revisions: [revision], self: () => settings, limits });
    } catch (error) {
      this.#warn('a restarted server could not be initialized again', error);
      return false;
    }
    if (await refuses()) return false;
    this.#warn(`${agreement.channel.description} restarted, and was initialized again`, lost);
    await settledWithin(restoringMs, this.#restore(connection));
    for (const heard of [settings.onReconnect, ...this.#reopeners]) this.#tell(heard, lost);
    return true;
  }

  /** A connection is over: its pending requests reject. Only the current connection counts, and only once. */
  lose(connection: ServerConnection, error: ConnectionError): void {
    if (this.#ended !== undefined || this.#current !== connection) return;
    if (connection.lost !== undefined && connection.lost !== error) return;
    connection.lost = error;
    // No caller waits for the rest of it.
    connection.end(error).catch((cause: unknown) => this.#warn('a lost connection did not close', cause));
    const { settings, transport } = this.#options;
    if (!settings.reconnect || transport.opensOnce === true) return void this.#end(error);
    for (const observer of this.#observers) observer.lost?.();
  }

  /** Closes the connection; pending requests reject. Closing twice is fine. */
  async close(): Promise<void> {
    const first = this.#ended === undefined;
    this.#ended ??= new ConnectionError('closed', 'the client was closed');
    this.#stopped.abort(this.#ended);
    if (first) for (const observer of this.#observers) observer.ended?.(undefined);
    // Requests that restore the state of a new connection are still pending in it.
    const closing = this.#current?.agreement.channel.close();
    // A failure is reported below.
    closing?.catch(() => {});
    await this.#opening?.catch(() => {});
    await closing;
    await this.#current?.agreement.channel.close();
    this.#resolveClosed(undefined);
  }

  #openBy(open: () => Promise<void>): Promise<void> {
    const opening = open().finally(() => (this.#opening = undefined));
    // Callers that wait for it handle a failure. There may be none left.
    opening.catch(() => {});
    this.#opening = opening;
    return opening;
  }

  async #reopen(lost: ConnectionError): Promise<void> {
    const { settings, transport } = this.#options;
    if (this.#ended !== undefined) throw this.#ended;
    if (this.#reopenings.exhausted(settings.clock())) throw this.#end(tooOften(lost, settings.maxReconnects));
    // Capabilities are requested again. The negotiated revision stays valid however old it is, since a client keeps its
    // revision.
    const { discovered: _, ...negotiated } = this.settled.agreement.negotiated;
    try {
      await this.#settle(negotiated, this.#stopped.signal);
    } catch (error) {
      // A server that did not answer was not lost once more.
      if (!isUnanswered(error, transport)) this.#reopenings.note(settings.clock());
      throw error instanceof IncompatibleError ? this.#end(error) : error;
    }
    this.#reopenings.note(settings.clock());
    // A server that does not answer this delays nothing further.
    await settledWithin(restoringMs, this.#restore(this.settled));
    for (const heard of [settings.onReconnect, ...this.#reopeners]) this.#tell(heard, lost);
  }

  /** Sends a new connection the state of the previous one. */
  async #restore(connection: ServerConnection): Promise<void> {
    if (connection.lost !== undefined) return;
    await Promise.all([
      this.#restoreLevel(connection),
      ...this.#observers.map((observer) => observer.reopened?.(connection)),
    ]);
  }

  async #restoreLevel(connection: ServerConnection): Promise<void> {
    if (this.sessionLevel === undefined || connection.revision.logging !== 'session') return;
    await connection
      .request('logging/setLevel', this.sessionLevel)
      .catch((error: unknown) => this.#warn('the log level could not be set again', error));
  }

  /**
   * Asks whether the server still speaks the assumed revision. If so, running requests of the connection are not lost.
   */
  async #isStill(believed: ServerConnection): Promise<boolean> {
    if (!believed.busy) return false;
    const { probeTimeoutMs: timeoutMs } = this.#options.settings;
    try {
      // Older servers may not answer this.
      await believed.request('server/discover', undefined, { timeoutMs, signal: this.#stopped.signal });
      return true;
    } catch {
      // Reconnecting finds out in any case.
      return false;
    }
  }

  async #settleAnew(believed: ServerConnection): Promise<void> {
    await believed.end(new ConnectionError('closed', 'the client probes the server again'));
    try {
      await this.#settle(undefined, this.#stopped.signal);
    } catch (cause) {
      const message = 'the stored protocol version is wrong, and connecting again failed';
      this.#end(new ConnectionError('closed', message, { cause }));
      throw cause;
    }
  }

  async #settle(negotiated: Negotiated | undefined, signal: AbortSignal | undefined): Promise<void> {
    const { transport, settings, knownServers } = this.#options;
    const settled: { connection?: ServerConnection } = {};
    const early = new EarlyRequests();
    const agreement = await negotiate({
      ...settings,
      signal,
      transport,
      negotiated,
      self: () => settings,
      inbound: this.#inbound(settled, early),
      begun: () => early.begin(),
    });
    const connection = new ServerConnection(agreement, { ...settings, self: () => settings });
    connection.logLevel = this.#requestLevel;
    settled.connection = connection;
    this.#current = connection;
    if (agreement.asked) knownServers.remember(transport, agreement.negotiated, settings.clock());
    if (agreement.channel.ended !== undefined) this.lose(connection, agreement.channel.ended);
    early.end();
  }

  #inbound(settled: { readonly connection?: ServerConnection }, early: EarlyRequests): Inbound {
    const { settings, handlers } = this.#options;
    const inbound = createInbound({
      revision: () => settled.connection?.revision,
      ended: (error) => settled.connection !== undefined && this.lose(settled.connection, error),
      settings,
      handlers,
      source: this,
    });
    return {
      ...inbound,
      request: (message, by) => {
        const run = (): void => inbound.request(message, by);
        if (!early.keeps(message.method, run)) run();
      },
      misplaced: (message, place) =>
        inbound.misplaced?.(message, place) === true ||
        this.#observers.some((observer) => observer.misplaced?.(message.method, message.params ?? {}) === true),
      notification: (message, within) => {
        for (const observer of this.#observers) observer.notified?.(message.method, message.params ?? {});
        inbound.notification(message, within);
      },
      gap: () => {
        for (const observer of this.#observers) observer.gap?.();
      },
    };
  }

  /** Ends it permanently, and returns the reason. */
  #end(error: ConnectionError): ConnectionError {
    if (this.#ended !== undefined) return this.#ended;
    this.#ended = error;
    this.#resolveClosed(error);
    for (const observer of this.#observers) observer.ended?.(error);
    for (const closer of [this.#options.settings.onClose, ...this.#closers]) this.#tell(closer, error);
    return error;
  }

  #tell(listener: ((error: ConnectionError) => void) | undefined, error: ConnectionError): void {
    const { failed } = this.#options.settings;
    if (listener) harmless(listener, (cause) => failed('a listener of the connection threw', cause))(error);
  }

  #warn(message: string, cause: unknown): void {
    this.#options.settings.onWarning?.(message, cause);
  }
}

/** Tells whether no server answered; over HTTP a proxy before a server that starts closes the connection. */
function isUnanswered(error: unknown, transport: Transport): boolean {
  if (!(error instanceof ConnectionError)) return false;
  const { reason, status } = error;
  return reason === 'refused' || (reason === 'closed' && status === undefined && factsOf(transport).cancelsByClosing);
}

function tooOften(lost: ConnectionError, most: number): ConnectionError {
  const message = `the connection was opened again ${most} times within a minute, and lost again: ${lost.message}`;
  return new ConnectionError(lost.reason, message, { cause: lost });
}
