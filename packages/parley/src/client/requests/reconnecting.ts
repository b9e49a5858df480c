import { ConnectionError, unknownSessions } from '../../jsonrpc/transport.ts';
import type { CarrierSource } from '../middleware/passing.ts';
import type { RequestOptions } from '../api/request-options.ts';
import { serverInfoOf } from '../connection/discover.ts';
import type { Negotiated } from '../api/negotiated.ts';
import type { WaitLimits } from '../api/wait-for.ts';
import type { Implementation, JsonObject } from '../../protocol/features/common.ts';
import type { SentRequest } from '../../connection/pending.ts';
import type { ClientCapabilities, ServerCapabilities } from '../../protocol/capability.ts';
import { McpError } from '../../protocol/error.ts';
import type { LoggingLevel } from '../../protocol/features/logging-level.ts';
import type { Revision } from '../../protocol/revision.ts';
import { CurrentConnection, type ConnectionObserver, type ReconnectingOptions } from './current.ts';
import type { ServerConnection, TaskSending } from '../connection/server-connection.ts';
import type { ClientSettings } from './settings.ts';
import { disproves, isRepeatable, isSessionLoss } from '../connection/retry.ts';
import { mayBeUninitialized, uninitialized } from '../connection/uninitialized.ts';

/** The options of one request that may be sent again. */
export interface RepeatableOptions extends RequestOptions {
  /** True when the request may be sent again when its answer was lost; the method decides by default. */
  readonly repeat?: boolean | undefined;
  /** Marks of a request that has to do with a task. */
  readonly task?: TaskSending | undefined;
  /** Choice that the process lives until it is answered; true by default. */
  readonly keepsAlive?: boolean | undefined;
}

/** Options of a request that cleans up. No caller waits for its result. */
export const unawaited: { readonly timeoutMs: number; readonly keepsAlive: false } = {
  timeoutMs: 15_000,
  keepsAlive: false,
};

/**
 * A negotiated connection with a server that lives as long as the client does. If it rests on a stored finding that the
 * first answer disproves, it is negotiated again. If the server lost the session or died, it is opened again.
 */
export class Reconnecting {
  readonly #settings: ClientSettings;
  readonly #current: CurrentConnection;
  #server: { readonly of: ServerConnection; readonly info: Implementation } | undefined;

  private constructor(options: ReconnectingOptions) {
    this.#settings = options.settings;
    this.#current = new CurrentConnection(options);
  }

  /** Connects; the errors are those of `negotiate`. */
  static async open(options: ReconnectingOptions): Promise<Reconnecting> {
    const connection = new Reconnecting(options);
    await connection.#current.open();
    return connection;
  }

  get revision(): Revision {
    return this.#current.settled.revision;
  }

  get capabilities(): ServerCapabilities {
    return this.#current.settled.agreement.capabilities;
  }

  get server(): Implementation | undefined {
    const { settled } = this.#current;
    return this.#server?.of === settled ? this.#server.info : settled.agreement.server;
  }

  /** Source of what middleware knows of its carrier. */
  get source(): CarrierSource {
    return this.#current;
  }

  /** Tells whether the server may send unrequested messages; known once `listening` has settled, if it is set. */
  get hears(): boolean {
    return this.#current.settled.agreement.channel.hears;
  }

  get listening(): Promise<unknown> | undefined {
    return this.#current.settled.agreement.channel.listening;
  }

  get instructions(): string | undefined {
    return this.#current.settled.agreement.instructions;
  }

  get negotiated(): Negotiated {
    return this.#current.settled.agreement.negotiated;
  }

  /** Resolves when the connection ended permanently: with the reason, or with `undefined` if this side closed it. */
  get closed(): Promise<ConnectionError | undefined> {
    return this.#current.closed;
  }

  /**
   * Scope of cursors: the session, if there is one. A different value means that earlier cursors are void. A separate
   * value means that there is no session now.
   */
  get cursorScope(): unknown {
    return this.revision.sessions ? (this.#current.usable ?? Symbol('no session')) : 'every request';
  }

  /** The log level of each request, in revisions where requests carry it. */
  set logLevel(level: LoggingLevel | undefined) {
    this.#current.requestLevel = level;
  }

  /** Adds an observer for the life of the connection. */
  observe(observer: ConnectionObserver): void {
    this.#current.observe(observer);
  }

  /**
   * Sends a request in the form of the negotiated revision. If its answer was lost and it may be repeated, it is sent
   * once more, under a new id.
   *
   * @param params In the canonical model for methods of the protocol, otherwise in wire form.
   * @returns The received result.
   * @throws McpError methodNotFound, before anything is sent, if the revision or the server lacks the method.
   * @throws ConnectionError `session-lost` if the server lost the session and the request must not be repeated.
   */
  async request(method: string, params: JsonObject | undefined, options: RepeatableOptions = {}): Promise<JsonObject> {
    const { clock } = this.#settings;
    const begun = clock();
    // While a person is asked no time passes.
    const still = this.#total(options) === 0 ? undefined : { ms: 0 };
    let tried: Set<Retry> | undefined;
    let connection = this.#current.usable ?? (await this.#current.connection(this.#limits(method, options)));
    for (let limits = options; ; limits = this.#within(options, clock() - begun - (still?.ms ?? 0))) {
      const believed = !connection.confirmed;
      try {
        const result = await connection.request(method, params, still === undefined ? limits : { ...limits, still });
        this.#answered(connection, { method, params, result });
        options.task?.took?.(clock() - begun - (still?.ms ?? 0));
        return result;
      } catch (error) {
        const begunAnew = mayBeUninitialized(method, error)
          ? await this.#initialized(connection, method, error)
          : undefined;
        const failure = begunAnew ?? this.#failure(connection, error);
        const cursor = params?.['cursor'];
        tried ??= new Set();
        const refused = begunAnew !== undefined || isRefusal(error);
        const attempt = { method, options, believed, tried, cursor, refused };
        connection = await this.#another(connection, failure, attempt);
      }
    }
  }

  /** The connection to listen in, opened anew if it must be. */
  async ready(method: string, signal: AbortSignal | undefined): Promise<ServerConnection> {
    return this.#current.usable ?? (await this.#current.connection(this.#limits(method, { signal })));
  }

  /** Sends `subscriptions/listen`, whose answer ends the subscription. */
  listen(
    connection: ServerConnection,
    params: JsonObject,
    { signal, capabilities }: { readonly signal: AbortSignal; readonly capabilities?: ClientCapabilities },
  ): SentRequest {
    const { id, answer, settle } = connection.listen(params, signal, capabilities);
    return {
      id,
      settle,
      answer: answer.catch((error: unknown) => {
        throw this.#failure(connection, error);
      }),
    };
  }

  /** Makes sure that there is a connection, and that the server confirmed the stored findings. */
  async ensureOpen(signal?: AbortSignal): Promise<void> {
    const connection = await this.#current.connection(this.#limits('connecting', { signal }));
    if (connection.confirmed) return;
    // Any outcome is fine: an answer that does not fit this revision starts a new negotiation.
    await this.request('server/discover', undefined, { signal }).catch((error: unknown) => {
      if (!(error instanceof McpError)) throw error;
    });
  }

  /** Sends a notification in the form of the negotiated revision. */
  async notify(method: string, params: JsonObject | undefined): Promise<void> {
    const connection = this.#current.usable ?? (await this.#current.connection(this.#limits(method, {})));
    try {
      await connection.notify(method, params);
    } catch (error) {
      throw this.#failure(connection, error);
    }
  }

  /** Calls a listener when the server's side ends the connection permanently. */
  onClose(listener: (error: ConnectionError) => void): () => void {
    return this.#current.onClose(listener);
  }

  /** Calls a listener whenever another connection took the place of one that was lost. */
  onReconnect(listener: (after: ConnectionError) => void): () => void {
    return this.#current.onReconnect(listener);
  }

  /** Ends the connection; pending requests reject. Closing twice is fine. */
  close(): Promise<void> {
    return this.#current.close();
  }

  /** Stores the server's description from a result, and the state that the request set at the server. */
  #answered(connection: ServerConnection, { method, params, result }: Answered): void {
    const info = connection.revision.serverNamed === 'each-result' ? serverInfoOf(result) : undefined;
    if (info !== undefined && !isKnown(info, this.server)) this.#server = { of: connection, info };
    if (method === 'logging/setLevel') this.#current.sessionLevel = params;
  }

  /** Initializes a server again that began anew behind an open stream. Resolves to the loss of its session, if it did. */
  async #initialized(
    connection: ServerConnection,
    method: string,
    error: unknown,
  ): Promise<ConnectionError | undefined> {
    if (!this.#settings.reconnect || connection.lost !== undefined) return undefined;
    const session = await uninitialized(connection, method, error);
    return session !== undefined && (await this.#current.initializeAgain(connection, session))
      ? session.lost
      : undefined;
  }

  /** Outcome of a request, once it is known what became of its connection. */
  #failure(connection: ServerConnection, error: unknown): unknown {
    if (!(error instanceof ConnectionError)) return error;
    if (isSessionLoss(error)) {
      const lost = new ConnectionError('session-lost', 'the server no longer knows the session', of(error));
      this.#current.lose(connection, lost);
      // Spec 2025-11-25, Transports, Session Management: the client must begin a new session.
      if (this.#settings.reconnect) this.#current.reopen().catch(() => {});
      return connection.lost?.reason === 'session-lost' ? connection.lost : error;
    }
    // Requests that were under way when another request found the session lost were closed with it.
    return connection.lost?.reason === 'session-lost' && error.reason === 'closed' ? connection.lost : error;
  }

  /**
   * The connection in which a failed request may be sent again. Each way is tried once.
   *
   * @throws The failure, if there is none.
   */
  async #another(connection: ServerConnection, failure: unknown, attempt: Attempt): Promise<ServerConnection> {
    const { method, options, believed, tried } = attempt;
    if (options.signal?.aborted === true || this.#current.stopped) throw failure;
    const limits = this.#limits(method, options);
    if (believed && disproves(failure) && (await this.#current.renew(connection)))
      return await this.#current.connection(limits);
    const way = this.#settings.reconnect ? retryOf(failure, connection) : undefined;
    if (way === undefined || tried.has(way)) throw failure;
    tried.add(way);
    // Spec, Pagination: cursors are not valid across sessions.
    const ofSession = way === 'new session' && attempt.cursor !== undefined;
    const harmless = attempt.refused && this.#settings.sessionLost === 'repeat';
    if (ofSession || !isRepeatable(method, options.repeat ?? (harmless || undefined)))
      throw way === 'new session' ? unrepeated(attempt, failure) : failure;
    return await this.#current.connection(limits).catch((cause: unknown) => {
      throw way === 'new session' ? notReopened(cause) : cause;
    });
  }

  #limits(method: string, { signal, timeoutMs }: RepeatableOptions): WaitLimits {
    return { method, signal, ms: timeoutMs ?? this.#settings.timeoutMs };
  }

  /** The longest time that a request may take, in milliseconds; 0 means no limit. */
  #total({ maxTotalTimeoutMs }: RepeatableOptions): number {
    return maxTotalTimeoutMs ?? this.#settings.maxTotalTimeoutMs ?? 0;
  }

  /** The options with the remaining part of a request's longest time. */
  #within(options: RepeatableOptions, passedMs: number): RepeatableOptions {
    const total = this.#total(options);
    return total === 0 ? options : { ...options, maxTotalTimeoutMs: Math.max(1, total - passedMs) };
  }
}

interface Answered {
  readonly method: string;
  readonly params: JsonObject | undefined;
  readonly result: JsonObject;
}

/** Way of trying again that may help against a failure. */
type Retry = 'new session' | 'once more';

interface Attempt {
  readonly method: string;
  readonly options: RepeatableOptions;
  /** True if the server's revision comes from a stored finding alone. */
  readonly believed: boolean;
  readonly tried: Set<Retry>;
  readonly cursor: unknown;
  /** True when the server refused the request since it does not know the session, and so ran nothing. */
  readonly refused: boolean;
}

/**
 * Tells whether the server rejected this request itself because it does not know the session. The loss of the session
 * says nothing about other requests under way.
 */
function isRefusal(error: unknown): boolean {
  return error instanceof ConnectionError && unknownSessions.has(error);
}

function retryOf(failure: unknown, connection: ServerConnection): Retry | undefined {
  if (!(failure instanceof ConnectionError)) return undefined;
  if (failure.reason === 'session-lost') return 'new session';
  // Spec 2026-07-28, Streamable HTTP: a request that broke off is sent again as a new request. A server that restarted
  // also breaks pooled connections, which looks as if it could not be reached.
  const broke = failure.reason === 'closed' || failure.reason === 'refused';
  return broke && connection.agreement.channel.facts.cancelsByClosing ? 'once more' : undefined;
}

function of(cause: unknown): { readonly cause: unknown; readonly status?: number } {
  const status = cause instanceof ConnectionError ? cause.status : undefined;
  return { cause, ...(status === undefined ? {} : { status }) };
}

function unrepeated({ method, refused, cursor }: Attempt, lost: unknown): ConnectionError {
  const next = 'the next request has a new session';
  const message =
    cursor !== undefined
      ? `the server lost the session, and the cursor of ${method} with it; ${next}`
      : refused
        ? `the server no longer knows the session and refused ${method}, so that nothing ran: it may be sent again; ${next}`
        : `the server lost the session while ${method} was under way, which may have run; ${next}`;
  return new ConnectionError('session-lost', message, of(lost));
}

function notReopened(cause: unknown): unknown {
  const own = cause instanceof ConnectionError && ['aborted', 'timeout', 'closed'].includes(cause.reason);
  const why = cause instanceof Error ? `: ${cause.message}` : '';
  return own
    ? cause
    : new ConnectionError('session-lost', `the session was lost, and no new one opened${why}`, { cause });
}

/**
 * Tells whether a name and version, which are all that most results have, belong to a server whose full description is
 * known.
 */
function isKnown(info: Implementation, known: Implementation | undefined): boolean {
  return Object.keys(info).length === 2 && info.name === known?.name && info.version === known.version;
}
