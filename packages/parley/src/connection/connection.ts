import {
  isObject,
  shownId,
  type ErrorMessage,
  type Message,
  type NotificationMessage,
  type RequestId,
  type RequestMessage,
  type ResponseMessage,
} from '../jsonrpc/message.ts';
import { ConnectionError, type Clocks, type MessageOrigin } from '../jsonrpc/transport.ts';
import { errorFromWire, McpError } from '../protocol/error.ts';
import type { JsonObject } from '../protocol/features/common.ts';
import { methodOf } from '../protocol/catalogue.ts';
import { maySend } from '../protocol/method.ts';
import type { Revision } from '../protocol/revision.ts';
import { AskedRequests, type CallOptions } from './call-options.ts';
import { observed, tell } from './observe.ts';
import { aborted, abortReason, checkTimeout, type SentRequest, type PendingRequest } from './pending.ts';
import type { InFlightRequests, RunningRequest } from './in-flight-requests.ts';
import { asConnectionError, withToken } from './sending.ts';

/** Options of one message, for the end that sends it. */
export interface MessageOptions {
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Aborts the exchange that carries the message. */
  readonly signal?: AbortSignal | undefined;
  /** The peer's request whose stream carries the message. */
  readonly related?: RequestId | undefined;
  /** The clocks of a request that waits for an answer. */
  readonly clocks?: Clocks | undefined;
  /** The caller on whose behalf it is sent. */
  readonly caller?: unknown;
  /** Time that the peer may take to take the message, in milliseconds; no limit by default. */
  readonly withinMs?: number | undefined;
}

/** Parts in which the two ends of a connection differ. */
export interface ConnectionEnd {
  readonly role: 'client' | 'server';
  /** Limit of requests of ours that may wait for their answers. */
  readonly maxAsked: number;
  /** True if each of our requests has an exchange of its own, which is closed when the request is cancelled. */
  readonly exchanges?: boolean;
  /** True if messages within one of our requests that do not answer it count against its limits. */
  readonly charges?: boolean;
  /**
   * Beginning of the ids of our requests, where an answer may come to another process than the one that asked; without it
   * they are numbers.
   */
  readonly idsBegin?: string | undefined;
  /** Name of the peer for error messages. */
  readonly description?: string;
  /** Sends a message to the peer. Settles when the peer has it, if that can be determined. */
  send(message: Message, beside: MessageOptions | undefined): Promise<void> | undefined;
  /** The cancellation reason for the peer, instead of the caller's message. */
  reason?(error: ConnectionError, request: { readonly method: string; readonly options: CallOptions }): string;
  /** Receives the peer's error responses, and their origin. */
  refused?(error: McpError, about: MessageOrigin | undefined): void;
  /** Something was ignored. */
  warn?(message: string, cause?: unknown): void;
}

/** Time that the peer may take to take a cancellation. */
const cancellationMs = 15_000;

/** Time limit of a ping that decides which request an error without an id belongs to. */
const pingMs = 15_000;

/**
 * One connection as either end has it: requests of ours, each matched with its answer, and requests of the peer that
 * run here. How a message leaves, how many requests there may be, and who answers is what an end brings. README.md has
 * the rules.
 */
export class Connection<Run extends RunningRequest = RunningRequest> {
  /** The requests of the peer that run here. */
  readonly running: InFlightRequests<Run>;
  readonly #end: ConnectionEnd;
  /** Made by the first request of ours. */
  #asked: AskedRequests | undefined;
  #ended: ConnectionError | undefined;
  /** The last request before a notification that the peer may still answer with an error. */
  #notifiedAfter = Infinity;
  /** Code of the last error without an id. */
  #warnedOf: number | undefined;

  constructor(end: ConnectionEnd, running: InFlightRequests<Run>) {
    this.#end = end;
    this.running = running;
  }

  /** Reason why nothing can be sent any more, or `undefined` while the connection lives. */
  get ended(): ConnectionError | undefined {
    return this.#ended;
  }

  /** Number of requests of ours that wait for their answers. */
  get waiting(): number {
    return this.#asked?.size ?? 0;
  }

  /**
   * Sends a request. Answers to cancelled requests are ignored.
   *
   * @throws TypeError for an invalid time limit or progress token.
   * @throws ConnectionError if nothing was sent: `aborted`, `busy`, or the reason why the connection ended.
   */
  call(method: string, params: JsonObject | undefined, options: CallOptions): SentRequest {
    checkTimeout(options.timeoutMs);
    checkTimeout(options.maxTotalTimeoutMs);
    if (this.#ended !== undefined) throw this.#ended;
    const asked = (this.#asked ??= new AskedRequests(
      {
        over: (pending) => this.#asked?.remove(pending),
        givenUp: (pending, error) => this.#givenUp(pending, error),
      },
      this.#end,
    ));
    const { maxAsked, exchanges } = this.#end;
    if (asked.size >= maxAsked)
      throw new ConnectionError(
        'busy',
        `${method} was not sent: more than ${maxAsked} requests wait for their answers`,
      );
    if (options.signal?.aborted === true) throw aborted(method, options.signal);
    const { onProgress } = options;
    const pending = asked.add({ method, params }, options, (progress) => {
      if (onProgress !== undefined) this.guard('onProgress', () => onProgress(progress));
    });
    const id = asked.idOf(pending);
    const { token } = pending;
    if (exchanges === true) pending.exchange = new AbortController();
    const sent = token === undefined ? params : withToken(params, token);
    const message: RequestMessage =
      sent === undefined ? { jsonrpc: '2.0', id, method } : { jsonrpc: '2.0', id, method, params: sent };
    const { headers, related, revision, caller } = options;
    const signal = pending.exchange?.signal;
    const beside =
      headers === undefined && related === undefined && signal === undefined
        ? undefined
        : { headers, related, signal, clocks: pending, caller };
    this.send(message, revision, beside)?.catch((error: unknown) => pending.settle(asConnectionError(error, method)));
    return pending;
  }

  /** Sends a message unchanged, and shows it to observers. Settles when the peer has it, if that can be determined. */
  send(message: Message, revision: Revision | undefined, beside?: MessageOptions): Promise<void> | undefined {
    if (observed()) tell({ from: this.#end.role, revision, message });
    if ('method' in message && !('id' in message)) this.#notifiedAfter = this.#asked?.lastId ?? 0;
    try {
      return this.#end.send(message, beside);
    } catch (error) {
      // Senders may reject or throw. Callers see both as a rejection with an error.
      return Promise.reject(error as Error);
    }
  }

  /** Takes an answer of the peer. Late and repeated answers are no error, and ignored. */
  answered(message: ResponseMessage, about?: MessageOrigin, bytes?: number): void {
    const { id } = message;
    // `classify` lets no result through without an id.
    if (id === undefined || id === null) return this.#withoutId((message as ErrorMessage).error, about);
    const pending = this.#asked?.find(id);
    if (pending !== undefined) {
      if (pending.id > this.#notifiedAfter) this.#notifiedAfter = Infinity;
      return pending.settle('result' in message ? message.result : this.#failure(message.error, about, pending));
    }
    if (!this.admits(message, about, bytes)) return;
    const late = this.#asked?.takeLate(id);
    if (late !== undefined) this.guard('onLateAnswer', () => late(message));
    if (this.#asked?.wasSent(id) === true) return;
    this.#asked?.strayed(id);
    this.warn(
      `a response to a request that was never sent was ignored: id ${JSON.stringify(shownId(id)).slice(0, 100)}`,
    );
  }

  /**
   * Takes an error without an id. It belongs to a request only if it reports an unreadable message and only one request
   * is pending. Some peers answer notifications with such errors too. Then a ping decides: a peer that answers in order
   * answers the request first.
   */
  #withoutId(error: ErrorMessage['error'], about: MessageOrigin | undefined): void {
    // Over HTTP the exchange names the request, and the transport has put its id in.
    const isUnread = (error.code === -32700 || error.code === -32600) && about?.request === undefined;
    const only = isUnread ? this.#asked?.only() : undefined;
    const isUnsure = this.#notifiedAfter !== Infinity;
    if (only === undefined || isUnsure) this.#warnOnce(error);
    if (only === undefined) return;
    const fail = (): void => only.settle(this.#failure(error, about, only));
    if (!isUnsure) return fail();
    this.#notifiedAfter = Infinity;
    const { revision } = only.options;
    const ping = methodOf('ping');
    if (ping === undefined || revision === undefined || !maySend(this.#end.role, ping, revision)) return;
    if (this.waiting >= this.#end.maxAsked) return;
    this.call('ping', undefined, { revision, tellCancelled: false, timeoutMs: pingMs }).answer.then(
      fail,
      (answer: unknown) => answer instanceof McpError && fail(),
    );
  }

  #warnOnce({ code, message }: ErrorMessage['error']): void {
    if (this.#warnedOf === code) return;
    this.#warnedOf = code;
    this.warn(`an error without an id was ignored: ${code} ${message.slice(0, 200)}`);
  }

  /** Takes an answer of which only the id could be read; false if no request waits for it. */
  unreadable(id: unknown, error: (method: string) => Error): boolean {
    const pending = this.#asked?.find(id);
    pending?.settle(error(pending.method));
    return pending !== undefined;
  }

  /**
   * Fails the request whose answer is malformed. A message with a method concerns none of our requests, whatever its
   * id; false for it.
   */
  malformed(value: unknown, { id, reason }: { readonly id: RequestId | undefined; readonly reason: string }): boolean {
    if (isObject(value) && Object.hasOwn(value, 'method')) return false;
    return this.unreadable(
      id,
      (method) => new ConnectionError('invalid-message', `the response to ${method} is malformed: ${reason}`),
    );
  }

  /** Fails the only pending request, with an error that can only concern it; false if there is not exactly one. */
  failOnly(error: Error): boolean {
    const only = this.#asked?.only();
    only?.settle(error);
    return only !== undefined;
  }

  /** The request of ours in flight that a report of progress is about. */
  reported({ params }: NotificationMessage): number | undefined {
    return this.#asked?.reported(params);
  }

  /** A progress report with the original token, if the peer repeats the number as text. */
  spelledAsAsked(message: NotificationMessage): NotificationMessage {
    const given = message.params?.['progressToken'];
    const own = this.#asked?.ownToken(given);
    return own === undefined || own === given
      ? message
      : { ...message, params: { ...message.params, progressToken: own } };
  }

  /** Takes a report of progress; gives whether it is about a request of ours in flight, and well formed. */
  progressed({ params }: NotificationMessage): boolean {
    return this.#asked?.hear(params) ?? false;
  }

  /**
   * Charges a message that is not an answer to our request within which it came.
   *
   * @param bytes Its size, if its text is part of a larger one.
   * @returns False if that exceeded the limit: the request was cancelled, and the message is ignored.
   */
  admits(value: unknown, about: MessageOrigin | undefined, bytes?: number): boolean {
    return this.#end.charges !== true || (this.#asked?.admits(value, about, bytes) ?? true);
  }

  /**
   * Records a likely cause, in case a pending request gets an error response; for any of them if the request is
   * unknown.
   */
  blame(cause: unknown, id?: RequestId): void {
    const one = this.#asked?.find(id);
    for (const pending of one === undefined ? (this.#asked?.all() ?? []) : [one]) pending.blamed = cause;
  }

  /**
   * Stops the clocks of our request for which the peer asks a question; of all pending ones if it is unknown.
   *
   * @returns Starts them again; calling it twice is fine.
   */
  questioned(id: RequestId | undefined): () => void {
    const one = this.#asked?.find(id);
    const still = id === undefined ? [...(this.#asked?.each() ?? [])] : one === undefined ? [] : [one];
    for (const pending of still) pending.questioned(true);
    return () => {
      for (const pending of still.splice(0)) pending.questioned(false);
    };
  }

  /** Calls `run` if our request ends without an answer of the peer: its caller aborted it, or its exchange broke off. */
  onUnanswered(id: RequestId | undefined, run: (error: ConnectionError) => void): void {
    this.#asked?.find(id)?.answer.catch((error: unknown) => error instanceof ConnectionError && run(error));
  }

  /** Ends it: running requests are aborted, and pending ones reject. Ending it twice is fine. */
  end(error: ConnectionError): void {
    if (this.#ended !== undefined) return;
    this.running.end(error);
    this.#ended ??= error;
    this.#asked?.forgetLate();
    for (const pending of this.#asked?.all() ?? []) pending.settle(error);
  }

  /** Runs a user's function. Its failure is a warning. */
  guard(what: string, run: () => void): void {
    try {
      run();
    } catch (error) {
      this.warn(`the listener of ${what.slice(0, 100)} threw`, error);
    }
  }

  warn(message: string, cause?: unknown): void {
    try {
      this.#end.warn?.(message, cause);
    } catch {
      // If the warning listener itself throws, there is no one to report to.
    }
  }

  /**
   * Spec, Cancellation: a cancelled request sends a notification, except for `initialize`; or its exchange is closed.
   */
  #givenUp(pending: PendingRequest<CallOptions>, error: ConnectionError): void {
    const { method, options, exchange } = pending;
    options.onGivenUp?.();
    if (this.#ended === undefined) {
      this.#asked?.awaitLate(pending);
      if (options.tellCancelled && method !== 'initialize') this.#cancel(pending, this.#reason(error, pending));
    }
    exchange?.abort(error);
  }

  #reason(error: ConnectionError, pending: PendingRequest<CallOptions>): string {
    if (this.#end.reason !== undefined) return this.#end.reason(error, pending);
    return error.reason === 'aborted' ? abortReason(pending.options.signal) : (pending.overdue ?? error.message);
  }

  #cancel(pending: PendingRequest<CallOptions>, reason: string): void {
    const { revision, related } = pending.options;
    const requestId = this.#asked?.idOf(pending);
    const message: NotificationMessage = {
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId, ...(reason === '' ? {} : { reason }) },
    };
    const beside = { withinMs: cancellationMs, ...(related === undefined ? {} : { related }) };
    this.send(message, revision, beside)?.catch((cause: unknown) => this.undelivered('a cancellation', cause));
  }

  /** A message did not reach the peer. After the end of a connection that does not matter. */
  undelivered(what: string, error: unknown): void {
    if (this.#ended === undefined) this.warn(`${what} was not delivered`, error);
  }

  #failure(error: ErrorMessage['error'], about: MessageOrigin | undefined, { blamed }: PendingRequest): McpError {
    const failure = errorFromWire(error, blamed);
    this.#end.refused?.(failure, about);
    return failure;
  }
}
