import type { RequestId } from '../../jsonrpc/message.ts';
import { ConnectionError } from '../../jsonrpc/transport.ts';
import type { RequestOptions } from './caller.ts';
import { serverInfoOf } from './discover.ts';
import type { Verdict } from './negotiate.ts';
import type { Impatience } from '../../peer/wait-for.ts';
import type { JsonObject } from '../../peer/waiting.ts';
import type { ServerCapabilities } from '../../protocol/capability.ts';
import type { Implementation } from '../../protocol/features/common.ts';
import { McpError } from '../../protocol/error.ts';
import type { LoggingLevel } from '../../protocol/features/logging-level.ts';
import { methodOf } from '../../protocol/catalogue.ts';
import { maySend } from '../../protocol/method.ts';
import type { Revision } from '../../protocol/revision.ts';
import { toWire } from '../../protocol/compile/to-wire.ts';
import type { Conversation } from './conversation.ts';
import { Lifeline, type SessionObserver, type SessionOptions } from './reconnecting.ts';
import { tapListens } from '../subscriptions/listen-tap.ts';
import type { ClientSettings } from '../options.ts';
import { disproves, isRepeatable, isSessionLoss } from './retry.ts';

export type { SessionObserver, SessionOptions } from './reconnecting.ts';

/** The options of one request in a session. */
export interface SessionRequestOptions extends RequestOptions {
  /** Whether the request may be sent again when its answer was lost; the method decides by default. */
  readonly repeat?: boolean | undefined;
}

/** How long a listen request is open, and what it is known by. */
export interface ListenOptions {
  readonly signal: AbortSignal;
  /** Called with the id of the request before it is sent. */
  opened(id: RequestId): void;
}

/**
 * A settled conversation with a server that lives as long as the client does. Where it rests on a stored verdict
 * that the first answer disproves, it is settled anew; where the server forgot it or died, it is opened again.
 */
export class Session {
  readonly #settings: ClientSettings;
  readonly #lifeline: Lifeline;
  /** Who opens a listen request right now. */
  #listening: ((id: RequestId) => void) | undefined;
  #server: { readonly of: Conversation; readonly info: Implementation } | undefined;

  private constructor(options: SessionOptions) {
    const { settings, transport } = options;
    this.#settings = settings;
    const tapped = tapListens(transport, {
      opened: (id) => this.#listening?.(id),
      misplaced: (method) => settings.onWarning?.(`a notification on a listen stream was ignored: ${method}`),
    });
    this.#lifeline = new Lifeline(options, tapped);
  }

  /** Connects; the errors are those of `negotiate`. */
  static async open(options: SessionOptions): Promise<Session> {
    const session = new Session(options);
    await session.#lifeline.open();
    return session;
  }

  get revision(): Revision {
    return this.#lifeline.settled.revision;
  }

  get capabilities(): ServerCapabilities {
    return this.#lifeline.settled.agreement.capabilities;
  }

  get server(): Implementation | undefined {
    const { settled } = this.#lifeline;
    return this.#server?.of === settled ? this.#server.info : settled.agreement.server;
  }

  /** Whether the server may say anything unasked; settled once `listening` is, where it is there. */
  get hears(): boolean {
    return this.#lifeline.settled.agreement.calls.hears;
  }

  get listening(): Promise<unknown> | undefined {
    return this.#lifeline.settled.agreement.calls.listening;
  }

  get instructions(): string | undefined {
    return this.#lifeline.settled.agreement.instructions;
  }

  get verdict(): Verdict {
    return this.#lifeline.settled.agreement.verdict;
  }

  /** Resolves when the session ended for good: with why, or with nothing when it was closed here. */
  get closed(): Promise<ConnectionError | undefined> {
    return this.#lifeline.closed;
  }

  /**
   * What cursors belong to: the session, where there is one. Another value means that those from before are void,
   * and a value of its own that there is no session now.
   */
  get cursorScope(): unknown {
    return this.revision.era === 'handshake' ? (this.#lifeline.usable ?? Symbol('no session')) : 'every request';
  }

  /** The level that each request asks for, where requests say so. */
  set logLevel(level: LoggingLevel | undefined) {
    this.#lifeline.requestLevel = level;
  }

  /** Adds somebody who follows the session as long as it lives. */
  observe(observer: SessionObserver): void {
    this.#lifeline.observe(observer);
  }

  /**
   * Sends a request in the words of the settled revision. Where its answer was lost and it may be repeated, it is sent
   * once more, under a new id.
   *
   * @param params In the canonical model for methods of the protocol, else as they go on the wire.
   * @returns The result as it came.
   * @throws McpError methodNotFound, before anything is sent, when the revision or the server lacks the method.
   * @throws ConnectionError `session-lost` when the server forgot the session and the request is not to be repeated.
   */
  async request(
    method: string,
    params: JsonObject | undefined,
    options: SessionRequestOptions = {},
  ): Promise<JsonObject> {
    const { clock } = this.#settings;
    const begun = clock();
    let tried: Set<Remedy> | undefined;
    let conversation = this.#lifeline.usable ?? (await this.#lifeline.conversation(this.#impatience(method, options)));
    for (let limits = options; ; limits = this.#within(options, clock() - begun)) {
      const believed = !conversation.confirmed;
      try {
        const result = await conversation.request(method, params, limits);
        this.#answered(conversation, { method, params, result });
        return result;
      } catch (error) {
        const failure = this.#failure(conversation, error);
        const cursor = params?.['cursor'];
        tried ??= new Set();
        const refused = isRefusal(error, conversation);
        const attempt = { method, options, believed, tried, cursor, refused };
        conversation = await this.#another(conversation, failure, attempt);
      }
    }
  }

  /** Sends `subscriptions/listen` and waits, without a time limit, for the response that ends it. */
  async listen(params: JsonObject, { signal, opened }: ListenOptions): Promise<JsonObject> {
    const method = 'subscriptions/listen';
    const conversation =
      this.#lifeline.usable ?? (await this.#lifeline.conversation(this.#impatience(method, { signal })));
    // An open channel is handed the message before `request` returns, so that the id can only be this one's.
    this.#listening = opened;
    const answer = conversation.request(method, params, { signal, timeoutMs: 0, maxTotalTimeoutMs: 0 });
    this.#listening = undefined;
    try {
      return await answer;
    } catch (error) {
      throw this.#failure(conversation, error);
    }
  }

  /** Makes sure that there is a conversation, and that what is known of the server is what it says. */
  async ensureOpen(signal?: AbortSignal): Promise<void> {
    const conversation = await this.#lifeline.conversation(this.#impatience('connecting', { signal }));
    if (conversation.confirmed) return;
    // Whatever the server makes of it: an answer that is none of this revision settles the session anew.
    await this.request('server/discover', undefined, { signal }).catch((error: unknown) => {
      if (!(error instanceof McpError)) throw error;
    });
  }

  /** Sends a notification in the words of the settled revision. */
  async notify(method: string, params: JsonObject | undefined): Promise<void> {
    const conversation = this.#lifeline.usable ?? (await this.#lifeline.conversation(this.#impatience(method, {})));
    const { caller, revision } = conversation;
    const row = methodOf(method);
    if (row !== undefined && !maySend('client', row, revision)) {
      throw new McpError('methodNotFound', `${method} is no notification of a client in ${revision.date}`);
    }
    // The row of a method says the type of its params.
    const wire =
      row?.params === undefined || params === undefined ? params : toWire(revision, row.params, params as never);
    try {
      await caller.notify(method, wire);
    } catch (error) {
      throw this.#failure(conversation, error);
    }
  }

  /** Calls a listener when the session ends for good from the other side. */
  onClose(listener: (error: ConnectionError) => void): () => void {
    return this.#lifeline.onClose(listener);
  }

  /** Calls a listener whenever another conversation took the place of one that was lost. */
  onReconnect(listener: (after: ConnectionError) => void): () => void {
    return this.#lifeline.onReconnect(listener);
  }

  /** Ends the connection; what waits is rejected. Closing twice is fine. */
  close(): Promise<void> {
    return this.#lifeline.close();
  }

  /** Keeps what a result tells of the server, and what the server was told. */
  #answered(conversation: Conversation, { method, params, result }: Answered): void {
    const info = conversation.revision.era === 'stateless' ? serverInfoOf(result) : undefined;
    if (info !== undefined) this.#server = { of: conversation, info };
    if (method === 'logging/setLevel') this.#lifeline.sessionLevel = params;
  }

  /** What became of a request, once it is known what became of its conversation. */
  #failure(conversation: Conversation, error: unknown): unknown {
    if (!(error instanceof ConnectionError)) return error;
    if (isSessionLoss(error, conversation.revision)) {
      const lost = new ConnectionError('session-lost', 'the server no longer knows the session', of(error));
      this.#lifeline.lose(conversation, lost);
      // Spec 2025-11-25, Transports, Session Management: whoever hears of it begins a new session.
      if (this.#settings.reconnect) this.#lifeline.reopen().catch(() => {});
      return conversation.lost?.reason === 'session-lost' ? conversation.lost : error;
    }
    // What was under way when another request found the session lost was closed with it.
    return conversation.lost?.reason === 'session-lost' && error.reason === 'closed' ? conversation.lost : error;
  }

  /**
   * The conversation in which a failed request may be sent again; each remedy is tried once.
   *
   * @throws The failure, when there is none.
   */
  async #another(conversation: Conversation, failure: unknown, attempt: Attempt): Promise<Conversation> {
    const { method, options, believed, tried } = attempt;
    if (options.signal?.aborted === true || this.#lifeline.stopped) throw failure;
    const impatience = this.#impatience(method, options);
    if (believed && disproves(failure) && (await this.#lifeline.renew(conversation)))
      return await this.#lifeline.conversation(impatience);
    const remedy = this.#settings.reconnect ? remedyOf(failure, conversation) : undefined;
    if (remedy === undefined || tried.has(remedy)) throw failure;
    tried.add(remedy);
    // Spec, Pagination: cursors are not kept across sessions.
    const ofSession = remedy === 'new session' && attempt.cursor !== undefined;
    const harmless = attempt.refused && this.#settings.onSessionLost === 'repeat';
    if (ofSession || !isRepeatable(method, options.repeat ?? (harmless || undefined)))
      throw remedy === 'new session' ? unrepeated(attempt, failure) : failure;
    return await this.#lifeline.conversation(impatience).catch((cause: unknown) => {
      throw remedy === 'new session' ? notReopened(cause) : cause;
    });
  }

  #impatience(method: string, { signal, timeoutMs }: SessionRequestOptions): Impatience {
    return { method, signal, ms: timeoutMs ?? this.#settings.timeoutMs };
  }

  /** The options for what is left of the longest time that a request may take. */
  #within(options: SessionRequestOptions, passedMs: number): SessionRequestOptions {
    const total = options.maxTotalTimeoutMs ?? this.#settings.maxTotalTimeoutMs ?? 0;
    return total === 0 ? options : { ...options, maxTotalTimeoutMs: Math.max(1, total - passedMs) };
  }
}

interface Answered {
  readonly method: string;
  readonly params: JsonObject | undefined;
  readonly result: JsonObject;
}

/** What may help against a failure. */
type Remedy = 'new session' | 'once more';

interface Attempt {
  readonly method: string;
  readonly options: SessionRequestOptions;
  /** Whether nobody but a stored verdict said what the server speaks. */
  readonly believed: boolean;
  readonly tried: Set<Remedy>;
  readonly cursor: unknown;
  /** Whether the server refused the request since it does not know the session, and so ran nothing. */
  readonly refused: boolean;
}

/** Whether the request itself was answered like that; another one's 404 says nothing of what was under way beside it. */
function isRefusal(error: unknown, { revision }: Conversation): boolean {
  return error instanceof ConnectionError && error.reason === 'http' && isSessionLoss(error, revision);
}

function remedyOf(failure: unknown, conversation: Conversation): Remedy | undefined {
  if (!(failure instanceof ConnectionError)) return undefined;
  if (failure.reason === 'session-lost') return 'new session';
  // Spec 2026-07-28, Streamable HTTP: what broke off is asked again as a new request. A server that restarted also
  // breaks the connections that were kept for the next requests, which looks as if it could not be reached.
  const broke = failure.reason === 'closed' || failure.reason === 'refused';
  return broke && conversation.agreement.calls.facts.cancelsByClosing ? 'once more' : undefined;
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
  return own ? cause : new ConnectionError('session-lost', 'the session was lost, and no new one opened', { cause });
}
