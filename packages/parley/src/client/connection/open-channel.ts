import {
  classify,
  isObject,
  type Message,
  type NotificationMessage,
  type Received,
  type RequestId,
  type RequestMessage,
} from '../../jsonrpc/message.ts';
import { ConnectionError, type Channel, type MessageOrigin, type Transport } from '../../jsonrpc/transport.ts';
import { factsOf, type SettledFacts } from '../../jsonrpc/transport-facts.ts';
import type { McpError } from '../../protocol/error.ts';
import type { JsonObject } from '../../protocol/features/common.ts';
import type { Revision } from '../../protocol/revision.ts';
import { Connection, type MessageOptions, type ConnectionEnd } from '../../connection/connection.ts';
import { InFlightRequests } from '../../connection/in-flight-requests.ts';
import { utf8Bytes } from '../../connection/budget.ts';
import { deliver, inTime } from './deliver.ts';
import type { Respond } from './respond.ts';

/** Number of tries to send an answer if the transport cannot tell whether the server still waits for it. */
const maxTries = 5;

/** Limit of questions of a server that are answered at once; a server that sends more is flooding the client. */
export const maxAtOnce = 100;

/** Limit of answers that are on their way to a server, refusals and pongs among them: over HTTP each is a request of its own. */
const maxAnswers = 500;

/**
 * Limit of requests of one client that may wait at once: far more than a server answers, and still no more than tens of
 * megabytes, should a program ask in a loop a server that answers nothing.
 */
const maxAsked = 100_000;

/** Circumstances of a request of the server, and the way to answer it. */
export interface Questioned {
  readonly connection: Connection;
  /** Sends the answer, whenever it is ready; before the revision is settled too. */
  readonly respond: Respond;
  /** Our request in whose exchange it came, if that is known. */
  readonly request: number | undefined;
}

/** The stream of a notification, and the request that it concerns; unknown parts are left out. */
export interface NotificationPlace {
  /** Our request in whose exchange it came. */
  readonly within: number | undefined;
  /** The request of ours that it is about. */
  readonly about: number | undefined;
}

/** Listener to messages of a server other than responses. Errors of a callback become warnings. */
export interface Inbound {
  /** True when numbers of the server keep their spelling, since they are passed on. */
  readonly exactNumbers?: boolean | undefined;
  request(message: RequestMessage, by: Questioned): void;
  /** A request that cannot be read, but for its id. */
  malformed?(id: RequestId, reason: string, by: Questioned): void;
  /** Tells whether a notification came on the wrong stream and must be dropped. */
  misplaced?(message: NotificationMessage, where: NotificationPlace): boolean;
  /**
   * Any other notification, except progress without a listener, and cancellations before those.
   *
   * @param within Our request in whose exchange it came, if that is known.
   */
  notification(message: NotificationMessage, within: number | undefined): void;
  /** Notifications may have been lost, with the stream on which they would have come. */
  gap?(): void;
  /** Something was ignored: a malformed message, a response to nothing. */
  warning(message: string, cause?: unknown): void;
  /** The server closed the connection. Not called after `close`. */
  closed(error: ConnectionError): void;
}

/** Options of sending a notification. */
interface NotifyOptions {
  readonly revision?: Revision | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Time that the server may take to take it, in milliseconds; 0 and Infinity mean no limit. */
  readonly timeoutMs?: number | undefined;
}

/** An open channel to a server: the client's end of a connection, whatever revision is or will be settled in it. */
export class OpenChannel implements ConnectionEnd {
  readonly role = 'client';
  readonly charges = true;
  readonly maxAsked: number = maxAsked;
  readonly exchanges: boolean;
  /** The facts of what carries it. */
  readonly facts: SettledFacts;
  /** Requests of both sides that are under way. */
  readonly connection: Connection = new Connection(this, new InFlightRequests(maxAtOnce));
  readonly #inbound: Inbound;
  readonly description: string;
  readonly #statuses = new WeakMap<Error, number>();
  #opening: Promise<Channel> | undefined;
  #channel: Channel | undefined;
  #firstUnreadable: Error | undefined;
  /** Number of answers that are on their way. */
  #answers = 0;
  /** True if messages may come that belong to no request: not if the server refused the stream for them. */
  hears = true;
  /** Settles when it is known whether the server can send unrequested messages. Set when that first matters. */
  listening: Promise<boolean> | undefined;

  private constructor(transport: Transport, inbound: Inbound) {
    this.facts = factsOf(transport);
    this.exchanges = this.facts.cancelsByClosing;
    this.description = transport.description;
    this.#inbound = inbound;
  }

  /**
   * Opens a channel.
   *
   * @throws ConnectionError when the server cannot be reached.
   */
  static async open(transport: Transport, inbound: Inbound): Promise<OpenChannel> {
    const open = new OpenChannel(transport, inbound);
    open.#opening = transport.open({
      exactNumbers: inbound.exactNumbers,
      message: (value, about) => open.#receive(value, about),
      problem: (error, about) => open.#unreadable(error, about),
      gap: () => open.connection.guard('gap', () => inbound.gap?.()),
      closed: (error) => open.#closed(error),
    });
    open.#channel = await open.#opening;
    return open;
  }

  /** Fault of the first message that could not be read, if there was one. */
  get firstUnreadable(): Error | undefined {
    return this.#firstUnreadable;
  }

  /** Reason why nothing can be sent any more, or `undefined` while the channel is open. */
  get ended(): ConnectionError | undefined {
    return this.connection.ended;
  }

  /** The HTTP status of the response that carried an error, if there was one. */
  statusOf(error: unknown): number | undefined {
    return error instanceof Error ? this.#statuses.get(error) : undefined;
  }

  /** Sends a notification. With a `timeoutMs`, a server that never accepts it leaves nothing behind. */
  async notify(method: string, params?: JsonObject, options: NotifyOptions = {}): Promise<void> {
    if (this.ended !== undefined) throw this.ended;
    const message: NotificationMessage = { jsonrpc: '2.0', method, ...(params && { params }) };
    const { revision, headers, timeoutMs: withinMs } = options;
    await this.connection.send(message, revision, { headers, withinMs });
  }

  /** Sets the headers of every later message, if the transport has headers. */
  setHeaders(headers: Readonly<Record<string, string>>): void {
    this.#channel?.setHeaders?.(headers);
  }

  /** Opens the stream of messages that belong to no request, if the transport has one. A failure is a warning. */
  async listen(): Promise<void> {
    try {
      this.listening = this.#channel?.listen?.();
      this.hears = ((await this.listening) ?? true) || this.ended !== undefined;
    } catch (error) {
      this.hears = this.ended !== undefined;
      if (!this.hears) this.warn('the stream for messages of the server was not opened', error);
    }
  }

  /** Closes the channel. Pending requests reject, and running answers are aborted. Closing twice is fine. */
  async close(
    error: ConnectionError = new ConnectionError('closed', `the connection to ${this.description} was closed here`),
  ): Promise<void> {
    this.connection.end(error);
    await this.#channel?.close();
  }

  send(message: Message, beside: MessageOptions | undefined): Promise<void> {
    if (beside?.withinMs === undefined) return this.#hand(message, beside);
    return inTime(beside.withinMs, (signal) => this.#hand(message, { ...beside, signal }));
  }

  refused(error: McpError, about: MessageOrigin | undefined): void {
    if (about?.status !== undefined) this.#statuses.set(error, about.status);
  }

  warn(message: string, cause?: unknown): void {
    this.#inbound.warning(message, cause);
  }

  async #hand(message: Message, beside: MessageOptions | undefined): Promise<void> {
    // While the channel opens, only answers to early requests of the server get here.
    const channel = this.#channel ?? (await this.#opening);
    if (channel === undefined) return;
    const { headers, signal, clocks, caller } = beside ?? {};
    const options =
      headers === undefined && signal === undefined
        ? undefined
        : { ...(headers && { headers }), ...(signal && { signal }), clocks, caller };
    await channel.send(message, options);
  }

  readonly #respond: Respond = async (message, revision, { signal, cause, request } = {}) => {
    const { connection } = this;
    if (connection.ended !== undefined) return;
    if (this.#answers >= maxAnswers)
      return this.warn(`a request of the server is not answered: it has not taken ${maxAnswers} answers yet`);
    this.#answers++;
    if (cause !== undefined) connection.blame(cause, request);
    const lives = (tries: number): boolean =>
      connection.ended === undefined && signal?.aborted !== true && (connection.waiting > 0 || tries < maxTries);
    try {
      if (!this.exchanges) await connection.send(message, revision);
      else
        await deliver({ send: async (limit) => connection.send(message, revision, { signal: limit }), lives, signal });
    } catch (error) {
      // The pending requests would wait in vain.
      if (error instanceof ConnectionError && error.reason === 'session-lost')
        this.#closed(new ConnectionError('session-lost', 'the server no longer knows the session', { cause: error }));
      else connection.undelivered('an answer', error);
    } finally {
      this.#answers--;
    }
  };

  #closed(error: ConnectionError): void {
    if (this.ended !== undefined) return;
    this.connection.end(error);
    this.connection.guard('closed', () => this.#inbound.closed(error));
  }

  /**
   * An unreadable message counts as the answer to its request, if that can be determined. Otherwise a message that was
   * too large answers the only pending request. So no caller waits in vain.
   */
  #unreadable(error: Error, about: MessageOrigin | undefined): void {
    const { connection } = this;
    const answered = about?.answered;
    this.#firstUnreadable ??= error;
    if (connection.unreadable(answered, () => error)) return;
    // Over HTTP an exchange fails its own request. A message on a stream of no request answers none.
    const isTooLarge = !this.exchanges && error instanceof ConnectionError && error.reason === 'too-large';
    if (isTooLarge && answered === undefined && connection.failOnly(error)) return;
    if (connection.admits(undefined, about))
      connection.warn(`unreadable message from ${this.description}: ${error.message}`, error);
  }

  #receive(value: unknown, about: MessageOrigin | undefined): void {
    if (this.ended !== undefined) return;
    if (!Array.isArray(value)) return this.#receiveOne(value, about);
    if (value.length === 0) return this.connection.warn('an empty batch was ignored');
    const share = utf8Bytes(about?.text ?? '') / value.length;
    for (const one of value) this.#receiveOne(one, about, share);
  }

  /** @param bytes How large it is, where its text is that of more. */
  #receiveOne(value: unknown, about: MessageOrigin | undefined, bytes?: number): void {
    const { connection } = this;
    const received = classify(value);
    if (received.kind !== 'response' && !connection.admits(value, about, bytes)) return;
    switch (received.kind) {
      case 'request': {
        const { message } = received;
        return connection.guard(message.method, () => this.#inbound.request(message, this.#questioned(about)));
      }
      case 'notification':
        return this.#notified(received.message, about);
      case 'response':
        return connection.answered(received.message, about, bytes);
      case 'malformed':
        return this.#malformed(value, received, about);
    }
  }

  #questioned(about: MessageOrigin | undefined): Questioned {
    return { connection: this.connection, respond: this.#respond, request: requestOf(about) };
  }

  #notified(received: NotificationMessage, origin: MessageOrigin | undefined): void {
    const { connection } = this;
    const isProgress = received.method === 'notifications/progress';
    const message = isProgress ? connection.spelledAsAsked(received) : received;
    connection.guard(message.method, () => {
      const about = isProgress ? connection.reported(message) : undefined;
      const within = requestOf(origin);
      if (this.#inbound.misplaced?.(message, { within, about }) === true) return;
      if (message.method === 'notifications/cancelled') connection.running.cancelled(message.params);
      // Progress without a listener is dropped, as the spec demands for reports that crossed the result.
      if (isProgress && !connection.progressed(message)) return;
      this.#inbound.notification(message, within);
    });
  }

  #malformed(
    value: unknown,
    received: Received & { readonly kind: 'malformed' },
    about: MessageOrigin | undefined,
  ): void {
    const { connection } = this;
    const { id, reason } = received;
    if (!connection.malformed(value, received)) connection.warn(`a malformed message was ignored: ${reason}`);
    // A request needs an answer.
    if (isObject(value) && Object.hasOwn(value, 'method') && id !== undefined)
      connection.guard('malformed', () => this.#inbound.malformed?.(id, reason, this.#questioned(about)));
  }
}

/** Our request in whose exchange a message came. Our ids are numbers. */
function requestOf(about: MessageOrigin | undefined): number | undefined {
  return typeof about?.request === 'number' ? about.request : undefined;
}
