import type { RequestId } from '../jsonrpc/message.ts';
import { ConnectionError, type Transport } from '../jsonrpc/transport.ts';
import type { RequestOptions } from '../peer/caller.ts';
import type { Inbound } from '../peer/calls.ts';
import { serverInfoOf } from '../peer/discover.ts';
import { IncompatibleError } from '../peer/incompatible.ts';
import { negotiate, type Agreement, type Verdict } from '../peer/negotiate.ts';
import type { JsonObject } from '../peer/waiting.ts';
import type { ServerCapabilities } from '../protocol/capability.ts';
import type { Implementation } from '../protocol/common.ts';
import { McpError } from '../protocol/error.ts';
import type { LoggingLevel } from '../protocol/logging-level.ts';
import { maySend, methodOf } from '../protocol/method.ts';
import type { Revision } from '../protocol/revision.ts';
import { toWire } from '../protocol/to-wire.ts';
import { Conversation } from './conversation.ts';
import { createInbound, type InboundHandler } from './inbound.ts';
import { tapListens } from './listen-tap.ts';
import type { ClientSettings } from './options.ts';
import { disproves, isRepeatable, isSessionLoss, Rate, waitFor } from './recover.ts';
import type { Verdicts } from './verdicts.ts';

/** What a session needs beside the options of its user. */
export interface SessionOptions {
  readonly transport: Transport;
  readonly settings: ClientSettings;
  readonly verdicts: Verdicts;
  readonly handlers: ReadonlyMap<string, InboundHandler>;
}

/** The options of one request in a session. */
export interface SessionRequestOptions extends RequestOptions {
  /** Whether the request may be sent again when its answer was lost; the method decides by default. */
  readonly repeat?: boolean | undefined;
}

/** Who follows a session; none of its functions may throw. */
export interface SessionObserver {
  /** A notification came; the user hears of it afterwards. */
  notified?(method: string, params: JsonObject): void;
  /** The conversation is over; another one is opened when it is needed. */
  lost?(): void;
  /** Another conversation was opened; requests wait until this is done. */
  reopened?(conversation: Conversation): void | Promise<void>;
  /** Nothing follows: it ended for a reason, or was closed here. */
  ended?(error: ConnectionError | undefined): void;
}

/** How long a listen request is open, and what it is known by. */
export interface ListenOptions {
  readonly signal: AbortSignal;
  /** Called with the id of the request before it is sent. */
  opened(id: RequestId): void;
}

const rateWindowMs = 60_000;

/**
 * A settled conversation with a server that lives as long as the client does. Where it rests on a stored verdict
 * that the first answer disproves, it is settled anew; where the server forgot it or died, it is opened again.
 */
export class Session {
  readonly #options: SessionOptions;
  readonly #transport: Transport;
  readonly #closers = new Set<(error: ConnectionError) => void>();
  readonly #reopeners = new Set<(after: ConnectionError) => void>();
  readonly #observers: SessionObserver[] = [];
  readonly #stopped = new AbortController();
  readonly #reopenings: Rate;
  #current: Conversation | undefined;
  #server: Implementation | undefined;
  #opening: Promise<void> | undefined;
  #listening: ((id: RequestId) => void) | undefined;
  #requestLevel: LoggingLevel | undefined;
  #sessionLevel: JsonObject | undefined;
  #ended: ConnectionError | undefined;
  /** Resolves when the session ended for good: with why, or with nothing when it was closed here. */
  readonly closed: Promise<ConnectionError | undefined>;
  readonly #resolveClosed: (error: ConnectionError | undefined) => void;

  private constructor(options: SessionOptions) {
    this.#options = options;
    const { onWarning, maxReconnects } = options.settings;
    this.#reopenings = new Rate(maxReconnects, rateWindowMs);
    this.#transport = tapListens(options.transport, {
      opened: (id) => this.#listening?.(id),
      misplaced: (method) => onWarning?.(`a notification on a listen stream was ignored: ${method}`),
    });
    let resolveClosed!: (error: ConnectionError | undefined) => void;
    this.closed = new Promise((resolve) => (resolveClosed = resolve));
    this.#resolveClosed = resolveClosed;
  }

  /** Connects; the errors are those of `negotiate`. */
  static async open(options: SessionOptions): Promise<Session> {
    const session = new Session(options);
    const { settings, transport, verdicts } = options;
    await session.#settle(settings.prior ?? verdicts.of(transport, settings.now()), settings.signal);
    return session;
  }

  get revision(): Revision {
    return this.#settled.revision;
  }

  get capabilities(): ServerCapabilities {
    return this.#settled.capabilities;
  }

  get server(): Implementation | undefined {
    return this.#server;
  }

  get instructions(): string | undefined {
    return this.#settled.instructions;
  }

  get verdict(): Verdict {
    return this.#settled.verdict;
  }

  /** The level that each request asks for, where requests say so. */
  set logLevel(level: LoggingLevel | undefined) {
    this.#requestLevel = level;
    if (this.#current !== undefined) this.#current.caller.logLevel = level;
  }

  /** Adds somebody who follows the session as long as it lives. */
  observe(observer: SessionObserver): void {
    this.#observers.push(observer);
  }

  /**
   * Sends a request in the words of the settled revision. Where its answer was lost and it may be repeated, it is sent
   * once more, under a new id.
   *
   * @param params In the canonical model for methods of the protocol, else as they go on the wire.
   * @returns The result as it came.
   * @throws McpError methodNotFound, before anything is sent, when the revision or the server lacks the method.
   * @throws ConnectionError `session-lost` when the server forgot the session and the request cannot be repeated.
   */
  async request(
    method: string,
    params: JsonObject | undefined,
    options: SessionRequestOptions = {},
  ): Promise<JsonObject> {
    const { now } = this.#options.settings;
    const begun = now();
    const conversation = this.#usable ?? (await this.#awaitOpen(method, options));
    const believed = !conversation.confirmed;
    try {
      return await this.#send(conversation, { method, params, options });
    } catch (error) {
      const again = await this.#another(conversation, this.#failure(conversation, error), {
        method,
        options,
        believed,
      });
      return await this.#send(again, { method, params, options: this.#within(options, now() - begun) });
    }
  }

  /** Sends `subscriptions/listen` and waits, without a time limit, for the response that ends it. */
  async listen(params: JsonObject, { signal, opened }: ListenOptions): Promise<JsonObject> {
    const method = 'subscriptions/listen';
    const conversation = this.#usable ?? (await this.#awaitOpen(method, { signal }));
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
    const conversation = this.#usable ?? (await this.#awaitOpen('connecting', { signal }));
    if (conversation.confirmed) return;
    // Whatever the server makes of it, an answer in another revision settles the session anew.
    await this.request('server/discover', undefined, { signal }).catch((error: unknown) => {
      if (!(error instanceof McpError)) throw error;
    });
  }

  /** Sends a notification in the words of the settled revision. */
  async notify(method: string, params: JsonObject | undefined): Promise<void> {
    const conversation = this.#usable ?? (await this.#awaitOpen(method, {}));
    const { caller, revision } = conversation;
    const row = methodOf(method);
    if (row !== undefined && !maySend('client', row, revision)) {
      throw new McpError('methodNotFound', `${method} is no notification of a client in ${revision.date}`);
    }
    try {
      // The row of a method says the type of its params.
      const wire =
        row?.params === undefined || params === undefined ? params : toWire(revision, row.params, params as never);
      await caller.notify(method, wire);
    } catch (error) {
      throw this.#failure(conversation, error);
    }
  }

  /** Calls a listener when the session ends for good from the other side. */
  onClose(listener: (error: ConnectionError) => void): () => void {
    this.#closers.add(listener);
    return () => void this.#closers.delete(listener);
  }

  /** Calls a listener whenever another conversation took the place of one that was lost. */
  onReconnect(listener: (after: ConnectionError) => void): () => void {
    this.#reopeners.add(listener);
    return () => void this.#reopeners.delete(listener);
  }

  /** Ends the connection; what waits is rejected. Closing twice is fine. */
  async close(): Promise<void> {
    const first = !this.#stopped.signal.aborted;
    this.#ended ??= new ConnectionError('closed', 'the client was closed');
    this.#stopped.abort(this.#ended);
    if (first) for (const observer of this.#observers) observer.ended?.(undefined);
    await this.#opening?.catch(() => {});
    await this.#current?.agreement.calls.close();
    this.#resolveClosed(undefined);
  }

  get #settled(): Agreement {
    // `open` hands a session out only after it was settled.
    return (this.#current as Conversation).agreement;
  }

  /** The conversation, where nothing needs to be done first. */
  get #usable(): Conversation | undefined {
    if (this.#ended !== undefined) throw this.#ended;
    return this.#opening === undefined && this.#current?.lost === undefined ? this.#current : undefined;
  }

  async #send(
    conversation: Conversation,
    { method, params, options }: Outgoing & { readonly params: JsonObject | undefined },
  ): Promise<JsonObject> {
    const result = await conversation.request(method, params, options);
    if (conversation.revision.era === 'stateless') this.#server = serverInfoOf(result) ?? this.#server;
    if (method === 'logging/setLevel') this.#sessionLevel = params;
    return result;
  }

  /** What became of a request, once it is known what became of its conversation. */
  #failure(conversation: Conversation, error: unknown): unknown {
    if (!(error instanceof ConnectionError)) return error;
    if (conversation.confirmed && isSessionLoss(error, conversation.revision)) {
      const status = error.status === undefined ? {} : { status: error.status };
      this.#lose(
        conversation,
        new ConnectionError('session-lost', 'the server no longer knows the session', { cause: error, ...status }),
      );
      // Spec 2025-11-25, Transports, Session Management: whoever hears of it begins a new session.
      if (this.#options.settings.reconnect) this.#open().catch(() => {});
    }
    // What was under way when another request found the session lost is closed with it.
    const taken = conversation.lost?.reason === 'session-lost' && error.reason === 'closed';
    return taken || conversation.lost?.cause === error ? conversation.lost : error;
  }

  /**
   * The conversation in which a failed request may be sent again.
   *
   * @throws The failure, when there is none.
   */
  async #another(
    conversation: Conversation,
    failure: unknown,
    { method, options, believed }: Outgoing & { readonly believed: boolean },
  ): Promise<Conversation> {
    if (options.signal?.aborted === true || this.#stopped.signal.aborted) throw failure;
    if (believed && disproves(failure) && (await this.#renew(conversation))) return await this.#awaitOpen(method, options);
    if (!(failure instanceof ConnectionError) || !this.#options.settings.reconnect) throw failure;
    const repeats = isRepeatable(method, options.repeat);
    if (failure.reason === 'session-lost') {
      if (!repeats) throw unrepeated(method, failure);
      return await this.#awaitOpen(method, options).catch((cause: unknown) => {
        throw cause instanceof ConnectionError && (cause.reason === 'aborted' || cause.reason === 'timeout')
          ? cause
          : new ConnectionError('session-lost', 'the session was lost, and no new one could be opened', { cause });
      });
    }
    // Spec 2026-07-28, Streamable HTTP: what broke off is asked again as a new request.
    const dropped = failure.reason === 'closed' && conversation.agreement.calls.kind === 'http';
    if (dropped && repeats && conversation.lost === undefined) return conversation;
    throw failure;
  }

  /** What is left of the longest time that a request may take. */
  #within(options: SessionRequestOptions, passedMs: number): SessionRequestOptions {
    const total = options.maxTotalTimeoutMs ?? this.#options.settings.maxTotalTimeoutMs;
    if (total === undefined || total === 0) return options;
    return { ...options, maxTotalTimeoutMs: Math.max(1, total - passedMs) };
  }

  async #awaitOpen(method: string, { signal, ...limits }: SessionRequestOptions): Promise<Conversation> {
    const { settings } = this.#options;
    const ms = limits.timeoutMs ?? settings.timeoutMs;
    await waitFor(this.#open(), { method, signal, ms });
    const conversation = this.#usable;
    // What was opened may be lost again by now.
    if (conversation === undefined) throw this.#current?.lost ?? new ConnectionError('closed', 'the connection is lost');
    return conversation;
  }

  /** Opens another conversation in the place of one that is lost; however many want it, it is opened once. */
  #open(): Promise<void> {
    const lost = this.#current?.lost;
    if (this.#opening !== undefined) return this.#opening;
    return lost === undefined ? Promise.resolve() : this.#openBy(() => this.#reopen(lost));
  }

  #openBy(open: () => Promise<void>): Promise<void> {
    const opening = open().finally(() => (this.#opening = undefined));
    this.#opening = opening;
    return opening;
  }

  async #reopen(lost: ConnectionError): Promise<void> {
    const { settings } = this.#options;
    if (this.#ended !== undefined) throw this.#ended;
    if (this.#reopenings.exhausted(settings.now())) throw this.#end(tooOften(lost, settings.maxReconnects));
    const { revision } = this.#settled.verdict;
    try {
      await this.#settle({ revision }, this.#stopped.signal);
    } catch (error) {
      // What could not be reached did not fail again.
      if (!(error instanceof ConnectionError) || error.reason !== 'refused') this.#reopenings.note(settings.now());
      throw error instanceof IncompatibleError ? this.#end(error) : error;
    }
    this.#reopenings.note(settings.now());
    await this.#restore();
    for (const heard of [settings.onReconnect, ...this.#reopeners]) this.#guard(() => heard?.(lost));
  }

  /** Tells a new conversation what the one before was told. */
  async #restore(): Promise<void> {
    const conversation = this.#current;
    if (conversation === undefined || conversation.lost !== undefined) return;
    for (const observer of this.#observers) await observer.reopened?.(conversation);
    if (this.#sessionLevel === undefined || conversation.revision.logging !== 'session') return;
    await conversation.request('logging/setLevel', this.#sessionLevel).catch((error: unknown) => {
      this.#options.settings.onWarning?.('the log level could not be set again', error);
    });
  }

  async #settle(prior: Verdict | undefined, signal: AbortSignal | undefined): Promise<void> {
    const { transport, settings, verdicts } = this.#options;
    const settled: { conversation?: Conversation } = {};
    const agreement = await negotiate({
      ...settings,
      signal,
      transport: this.#transport,
      prior,
      self: () => settings,
      inbound: this.#inbound(settled),
    });
    const conversation = new Conversation(agreement, settings);
    conversation.caller.logLevel = this.#requestLevel;
    settled.conversation = conversation;
    this.#current = conversation;
    this.#server = agreement.server;
    if (agreement.confirmed) verdicts.remember(transport, agreement.verdict);
    if (agreement.calls.ended !== undefined) this.#lose(conversation, agreement.calls.ended);
  }

  #inbound(settled: { readonly conversation?: Conversation }): Inbound {
    const { settings, handlers } = this.#options;
    const inbound = createInbound({
      revision: () => settled.conversation?.revision,
      ended: (error) => settled.conversation !== undefined && this.#lose(settled.conversation, error),
      settings,
      handlers,
    });
    return {
      ...inbound,
      notification: (message) => {
        for (const observer of this.#observers) observer.notified?.(message.method, message.params ?? {});
        inbound.notification(message);
      },
    };
  }

  /** Asks the server after all; gives whether it speaks something else than was believed. */
  async #renew(believed: Conversation): Promise<boolean> {
    if (this.#current === believed && this.#opening === undefined) void this.#openBy(() => this.#settleAnew(believed));
    await this.#opening;
    return this.revision !== believed.revision;
  }

  async #settleAnew(believed: Conversation): Promise<void> {
    await believed.agreement.calls.close();
    try {
      await this.#settle(undefined, this.#stopped.signal);
    } catch (error) {
      this.#end(
        new ConnectionError(
          'closed',
          'the server is not what was remembered of it, and connecting anew failed',
          { cause: error },
        ),
      );
      throw error;
    }
  }

  #lose(conversation: Conversation, error: ConnectionError): void {
    if (this.#ended !== undefined || this.#current !== conversation) return;
    if (conversation.lost !== undefined && conversation.lost !== error) return;
    conversation.lost = error;
    // Nobody waits for what is left of it.
    void conversation.agreement.calls.close();
    if (!this.#options.settings.reconnect) return void this.#end(error);
    for (const observer of this.#observers) observer.lost?.();
  }

  /** Ends the session for good, and gives back why. */
  #end(error: ConnectionError): ConnectionError {
    if (this.#ended !== undefined) return this.#ended;
    this.#ended = error;
    this.#resolveClosed(error);
    for (const observer of this.#observers) observer.ended?.(error);
    for (const closer of [this.#options.settings.onClose, ...this.#closers]) this.#guard(() => closer?.(error));
    return error;
  }

  #guard(tell: () => void): void {
    try {
      tell();
    } catch (error) {
      this.#options.settings.onWarning?.('a listener of the connection threw', error);
    }
  }
}

interface Outgoing {
  readonly method: string;
  readonly options: SessionRequestOptions;
}

function unrepeated(method: string, lost: ConnectionError): ConnectionError {
  const message = `the server lost the session, and ${method} may not be sent twice; the next request opens a new session`;
  const status = lost.status === undefined ? {} : { status: lost.status };
  return new ConnectionError('session-lost', message, { cause: lost, ...status });
}

function tooOften(lost: ConnectionError, most: number): ConnectionError {
  const message = `the connection was opened again ${most} times within a minute, and lost again: ${lost.message}`;
  return new ConnectionError(lost.reason, message, { cause: lost });
}
