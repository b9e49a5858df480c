import {
  classify,
  isObject,
  type ErrorMessage,
  type Message,
  type NotificationMessage,
  type Received,
  type RequestId,
  type RequestMessage,
  type ResponseMessage,
} from '../jsonrpc/message.ts';
import {
  ConnectionError,
  type Channel,
  type MessageOrigin,
  type SendOptions,
  type Transport,
} from '../jsonrpc/transport.ts';
import { factsOf, type SettledFacts } from '../jsonrpc/transport-facts.ts';
import { errorFromWire, type McpError } from '../protocol/error.ts';
import type { Revision } from '../protocol/revision.ts';
import { utf8Bytes } from './budget.ts';
import { chargedFor } from './charge.ts';
import { deliver, inTime, tryMs } from './deliver.ts';
import { observed, tell } from './observe.ts';
import { ProgressRoutes, type Progress, type ProgressToken } from './progress.ts';
import type { Respond } from './respond.ts';
import { asConnectionError, sendOptions, withToken } from './sending.ts';
import { aborted, checkTimeout, Waiting, type JsonObject, type WaitOptions } from './waiting.ts';

/** How often an answer is sent where nothing says whether the peer still waits for it. */
const mostTries = 5;

/** Who hears what the peer sends besides responses. What a callback throws becomes a warning. */
export interface Inbound {
  /** Whether numbers of the peer keep their spelling, since they are passed on. */
  readonly exactNumbers?: boolean | undefined;
  /** @param respond Sends the answer, whenever it is ready; before the revision is settled too. */
  request(message: RequestMessage, respond: Respond): void;
  /** A request that cannot be read, but for its id. */
  malformed?(id: RequestId, reason: string, respond: Respond): void;
  /** Every notification but progress that nobody waits for. */
  notification(message: NotificationMessage): void;
  /** Something was ignored: a malformed message, a response to nothing. */
  warning(message: string, cause?: unknown): void;
  /** The peer went away; not called after `close`. */
  closed(error: ConnectionError): void;
}

/** How one request is sent, and how long its answer may take. */
export interface CallOptions extends WaitOptions {
  /** The revision that the message is written in, for observers. */
  readonly revision?: Revision | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Whether the peer is told with `notifications/cancelled` when the request is given up. */
  readonly tellCancelled: boolean;
  readonly progressToken?: ProgressToken | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** Hears that the request was given up after it was sent; must not throw. */
  readonly onGivenUp?: (() => void) | undefined;
  /** Hears that the answer came after the request was given up. */
  readonly onLateAnswer?: (() => void) | undefined;
}

/** How many requests that were given up are remembered for who wants to hear of their answers. */
const mostGivenUp = 1_000;

/** One open conversation as its client side uses it: requests out, each matched with its answer. */
export class Calls {
  /** The facts of what carries it. */
  readonly facts: SettledFacts;
  readonly #inbound: Inbound;
  readonly #description: string;
  readonly #pending = new Map<number, Waiting>();
  /** Who wants to hear of the answers of requests that were given up. */
  readonly #givenUp = new Map<number, () => void>();
  readonly #progress = new ProgressRoutes();
  readonly #statuses = new WeakMap<Error, number>();
  #opening: Promise<Channel> | undefined;
  #channel: Channel | undefined;
  #ended: ConnectionError | undefined;
  #lastId = 0;
  #firstUnreadable: Error | undefined;
  /** Whether anything may come that belongs to no request: not where the server refused the stream for it. */
  hears = true;
  /** Settles when it is known whether the server can say anything unasked; there from the moment that it matters. */
  listening: Promise<boolean> | undefined;

  private constructor(transport: Transport, inbound: Inbound) {
    this.facts = factsOf(transport);
    this.#description = transport.description;
    this.#inbound = inbound;
  }

  /**
   * Opens a conversation.
   *
   * @throws ConnectionError when the peer cannot be reached.
   */
  static async open(transport: Transport, inbound: Inbound): Promise<Calls> {
    const calls = new Calls(transport, inbound);
    calls.#opening = transport.open({
      exactNumbers: inbound.exactNumbers,
      message: (value, about) => calls.#receive(value, about),
      problem: (error, about) => calls.#unreadable(error, about),
      closed: (error) => calls.#peerClosed(error),
    });
    calls.#channel = await calls.#opening;
    return calls;
  }

  /**
   * A message that cannot be read answers the request that it was to answer, as far as that can be told; one that was too
   * large else answers the only request that waits. Nobody waits for it in vain.
   */
  #unreadable(error: Error, about: MessageOrigin | undefined): void {
    const isTooLarge = error instanceof ConnectionError && error.reason === 'too-large';
    const answered = about?.answered;
    const known = typeof answered === 'number' ? this.#pending.get(answered) : undefined;
    const waiting = known ?? (isTooLarge && answered === undefined ? this.#onlyWaiting() : undefined);
    this.#firstUnreadable ??= error;
    if (waiting !== undefined) waiting.settle(error);
    else if (this.#admits(undefined, about)) this.#warn(`unreadable message from ${this.#description}`, error);
  }

  /** The only request that waits for an answer; listen requests, which wait for none, count where nothing else waits. */
  #onlyWaiting(): Waiting | undefined {
    const all = [...this.#pending.values()];
    const answered = all.filter(({ method }) => method !== 'subscriptions/listen');
    const [only, another] = answered.length === 0 ? all : answered;
    return another === undefined ? only : undefined;
  }

  /** What was wrong with the first message that could not be read, if there was one. */
  get firstUnreadable(): Error | undefined {
    return this.#firstUnreadable;
  }

  /** Why nothing can be sent any more, or `undefined` while the conversation is open. */
  get ended(): ConnectionError | undefined {
    return this.#ended;
  }

  /** The HTTP status of the response that carried an error of `call`, where there was one. */
  statusOf(error: unknown): number | undefined {
    return error instanceof Error ? this.#statuses.get(error) : undefined;
  }

  /**
   * Sends a request and waits for its answer; late answers of a request that was given up are ignored.
   *
   * @returns The result as it came.
   * @throws McpError that the peer answered with.
   * @throws ConnectionError when no answer came: `closed`, `timeout`, `aborted`, or what the transport reports.
   */
  call(method: string, params: JsonObject | undefined, options: CallOptions): Promise<JsonObject> {
    // No async function: each costs turns, and many are between a caller and the answer as it is.
    try {
      return this.#call(method, params, options);
    } catch (error) {
      // What is thrown here is an error.
      return Promise.reject(error as Error);
    }
  }

  #call(method: string, params: JsonObject | undefined, options: CallOptions): Promise<JsonObject> {
    checkTimeout(options.timeoutMs);
    checkTimeout(options.maxTotalTimeoutMs);
    if (this.#ended !== undefined) throw this.#ended;
    if (options.signal?.aborted === true) throw aborted(method, options.signal);
    const id = this.#lastId + 1;
    const token = this.#claim(id, options);
    this.#lastId = id;
    const exchange = this.facts.cancelsByClosing ? new AbortController() : undefined;
    const waiting = new Waiting(method, options, {
      over: () => {
        this.#pending.delete(id);
        if (token !== undefined) this.#progress.release(token);
      },
      givenUp: (error, reason) => {
        options.onGivenUp?.();
        this.#awaitLate(id, options);
        this.#cancel(id, reason, options);
        exchange?.abort(error);
      },
    });
    this.#pending.set(id, waiting);
    const sent = token === undefined ? params : withToken(params, token);
    const message: RequestMessage =
      sent === undefined ? { jsonrpc: '2.0', id, method } : { jsonrpc: '2.0', id, method, params: sent };
    this.#send(message, options.revision, sendOptions(options.headers, exchange?.signal)).catch((error: unknown) =>
      waiting.settle(asConnectionError(error, method)),
    );
    return waiting.answer;
  }

  /** Sends a notification; a server that never takes it leaves nothing behind where there is a `timeoutMs`. */
  async notify(
    method: string,
    params?: JsonObject,
    options: {
      readonly revision?: Revision | undefined;
      readonly headers?: Readonly<Record<string, string>> | undefined;
      readonly timeoutMs?: number | undefined;
    } = {},
  ): Promise<void> {
    if (this.#ended !== undefined) throw this.#ended;
    const message: NotificationMessage = { jsonrpc: '2.0', method, ...(params && { params }) };
    const { revision, headers, timeoutMs = 0 } = options;
    await inTime(timeoutMs, (signal) => this.#send(message, revision, sendOptions(headers, signal)));
  }

  /** Sets the headers of every later message, where the transport has headers. */
  setHeaders(headers: Readonly<Record<string, string>>): void {
    this.#channel?.setHeaders?.(headers);
  }

  /** Opens the stream of messages that belong to no request, where the transport has one; failing is a warning. */
  async listen(): Promise<void> {
    try {
      this.listening = this.#channel?.listen?.();
      this.hears = ((await this.listening) ?? true) || this.#ended !== undefined;
    } catch (error) {
      this.hears = this.#ended !== undefined;
      if (!this.hears) this.#warn('the stream for messages of the server was not opened', error);
    }
  }

  /** Closes the conversation; what waits for an answer is rejected. Closing twice is fine. */
  async close(): Promise<void> {
    this.#end(new ConnectionError('closed', `the connection to ${this.#description} was closed here`));
    await this.#channel?.close();
  }

  readonly #respond: Respond = async (message, revision, { signal, cause } = {}) => {
    if (this.#ended !== undefined) return;
    if (cause !== undefined) for (const waiting of this.#pending.values()) waiting.blamed = cause;
    const lives = (tries: number): boolean =>
      this.#ended === undefined && signal?.aborted !== true && (this.#pending.size > 0 || tries < mostTries);
    try {
      if (!this.facts.cancelsByClosing) await this.#send(message, revision);
      else await deliver({ send: (limit) => this.#send(message, revision, { signal: limit }), lives, signal });
    } catch (error) {
      this.#undelivered('an answer', error);
    }
  };

  async #send(message: Message, revision: Revision | undefined, options?: SendOptions): Promise<void> {
    // While the channel opens, only answers to early requests of the peer get here.
    const channel = this.#channel ?? (await this.#opening);
    if (observed()) tell({ from: 'client', revision, message });
    await channel?.send(message, options);
  }

  #claim(id: number, { progressToken, onProgress }: CallOptions): ProgressToken | undefined {
    if (progressToken === undefined && onProgress === undefined) return undefined;
    return this.#progress.claim(progressToken, {
      request: id,
      hear: (progress) => {
        this.#pending.get(id)?.touch();
        if (onProgress !== undefined) this.#guard('onProgress', () => onProgress(progress));
      },
    });
  }

  #cancel(id: number, reason: string, options: CallOptions): void {
    if (!options.tellCancelled || this.#ended !== undefined) return;
    const params = { requestId: id, ...(reason === '' ? {} : { reason }) };
    this.notify('notifications/cancelled', params, { revision: options.revision, timeoutMs: tryMs }).catch(
      (error: unknown) => this.#undelivered('a cancellation', error),
    );
  }

  #awaitLate(id: number, { onLateAnswer }: CallOptions): void {
    if (onLateAnswer === undefined || this.#ended !== undefined) return;
    const [oldest] = this.#givenUp.keys();
    if (this.#givenUp.size >= mostGivenUp && oldest !== undefined) this.#givenUp.delete(oldest);
    this.#givenUp.set(id, onLateAnswer);
  }

  #receive(value: unknown, about: MessageOrigin | undefined): void {
    if (this.#ended !== undefined) return;
    if (!Array.isArray(value)) return this.#receiveOne(value, about);
    if (value.length === 0) return this.#warn('an empty batch was ignored');
    const share = utf8Bytes(about?.text ?? '') / value.length;
    for (const one of value) this.#receiveOne(one, about, share);
  }

  /** @param bytes How large it is, where its text is that of more. */
  #receiveOne(value: unknown, about: MessageOrigin | undefined, bytes?: number): void {
    const received = classify(value);
    if (received.kind !== 'response' && !this.#admits(value, about, bytes)) return;
    switch (received.kind) {
      case 'request':
        return this.#guard(received.message.method, () => this.#inbound.request(received.message, this.#respond));
      case 'notification':
        return this.#notified(received.message);
      case 'response':
        return this.#answered(received.message, about, bytes);
      case 'malformed':
        return this.#malformed(value, received);
    }
  }

  #malformed(value: unknown, { id, reason }: Received & { readonly kind: 'malformed' }): void {
    // A request with our id is not about our request, however malformed it is.
    const asks = isObject(value) && Object.hasOwn(value, 'method');
    const pending = !asks && typeof id === 'number' ? this.#pending.get(id) : undefined;
    if (pending === undefined) this.#warn(`a malformed message was ignored: ${reason}`);
    else
      pending.settle(
        new ConnectionError('invalid-message', `the response to ${pending.method} is malformed: ${reason}`),
      );
    // Whoever asks waits for an answer.
    if (asks && id !== undefined) this.#guard('malformed', () => this.#inbound.malformed?.(id, reason, this.#respond));
  }

  /** Charges what is no answer to the request that it came within; false when that was too much. */
  #admits(value: unknown, about: MessageOrigin | undefined, bytes?: number): boolean {
    const charged = chargedFor(value, about, { pending: this.#pending, progress: this.#progress });
    return charged === undefined || charged.spend(bytes ?? utf8Bytes(about?.text ?? ''));
  }

  #notified(message: NotificationMessage): void {
    // Progress that nobody waits for is dropped, as the spec wants it of reports that crossed the result.
    if (message.method === 'notifications/progress' && !this.#progress.hear(message.params)) return;
    this.#guard(message.method, () => this.#inbound.notification(message));
  }

  #answered(message: ResponseMessage, about: MessageOrigin | undefined, bytes?: number): void {
    const { id } = message;
    const status = about?.status;
    if (id === undefined || id === null) {
      // An error about a message whose id could not be read: with one request in flight it is that one's.
      const only = this.#onlyWaiting();
      const { error } = message as ErrorMessage; // `classify` lets no result through without an id.
      if (only === undefined)
        return this.#warn(`an error without id was ignored: ${error.code} ${error.message.slice(0, 200)}`);
      return only.settle(this.#failure(error, status, only));
    }
    const pending = typeof id === 'number' ? this.#pending.get(id) : undefined;
    if (pending !== undefined)
      return pending.settle('result' in message ? message.result : this.#failure(message.error, status, pending));
    if (!this.#admits(message, about, bytes)) return;
    const late = typeof id === 'number' ? this.#givenUp.get(id) : undefined;
    if (typeof id === 'number' && this.#givenUp.delete(id)) this.#guard('onLateAnswer', () => late?.());
    // What was asked once and is not waited for any more came late or twice, which is nobody's fault.
    const known = typeof id === 'number' && id > 0 && id <= this.#lastId;
    if (!known)
      this.#warn(`a response to a request that was never sent was ignored: id ${JSON.stringify(id).slice(0, 100)}`);
  }

  #failure(error: ErrorMessage['error'], status: number | undefined, { blamed }: Waiting): McpError {
    const failure = errorFromWire(error, blamed);
    if (status !== undefined) this.#statuses.set(failure, status);
    return failure;
  }

  #peerClosed(error: ConnectionError): void {
    if (this.#ended !== undefined) return;
    this.#end(error);
    this.#guard('closed', () => this.#inbound.closed(error));
  }

  #end(error: ConnectionError): void {
    this.#ended ??= error;
    this.#givenUp.clear();
    for (const pending of this.#pending.values()) pending.settle(error);
  }

  #guard(what: string, run: () => void): void {
    try {
      run();
    } catch (error) {
      this.#warn(`the listener of ${what.slice(0, 100)} threw`, error);
    }
  }

  /** At the end of a conversation nobody needs what was still on its way. */
  #undelivered(what: string, error: unknown): void {
    if (this.#ended === undefined) this.#warn(`${what} was not delivered`, error);
  }

  #warn(message: string, cause?: unknown): void {
    try {
      this.#inbound.warning(message, cause);
    } catch {
      // A listener of warnings that throws has nobody left to be told.
    }
  }
}
