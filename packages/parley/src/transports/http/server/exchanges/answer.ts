import type { StreamMaker } from './long-stream.ts';
import type { InFlightEntry } from '../../../../jsonrpc/in-flight-list.ts';
import type { Message, RequestId, ResponseMessage } from '../../../../jsonrpc/message.ts';
import { toJson as responseText, toJsonPieces as responsePieces, type JsonPieces } from '../../../../jsonrpc/encode.ts';
import { lackedScopes } from '../../../../server/runtime/protection.ts';
import { McpError } from '../../../../protocol/error.ts';
import type { HttpCall } from './call.ts';
import type { HttpContext } from './context.ts';
import { errorBody, retryHeaders } from './status.ts';
import type { Silent } from './keep-alive.ts';
import type { EventStream } from './stream.ts';

/** Receiver of the messages of an answer once it is an event stream. */
interface Outlet {
  readonly ended: boolean;
  readonly isTaken?: boolean;
  send(json: string): void;
  end(json?: string): void;
  pause(retryMs: number): void;
}

/**
 * The answer to one POST: JSON in one piece, or an event stream from the moment that something is sent before the
 * last response, or that there was nothing to send for too long.
 */
export class HttpAnswer implements Silent {
  readonly #context: HttpContext;
  readonly #call: HttpCall;
  readonly #streams: StreamMaker | undefined;
  #connection: EventStream | undefined;
  #outlet: Outlet | undefined;
  #gone = false;
  /** True if the stream begins with an event to resume from. */
  #isPrimed = false;
  #silence: InFlightEntry | undefined;

  /** @param streams Makes the stream of an answer in a session, which may outlive its connections. */
  constructor(context: HttpContext, call: HttpCall, streams?: StreamMaker) {
    this.#context = context;
    this.#call = call;
    this.#streams = streams;
    if (call.accepted.streamNamed) this.#silence = context.silence.add(this);
  }

  /** Tells whether nothing can be sent any more: the answer is complete, or its client disconnected permanently. */
  get gone(): boolean {
    return this.#gone || this.#outlet?.ended === true;
  }

  /** Tells whether another process ended it. Messages of this process then come after its end. */
  get isTaken(): boolean {
    return this.#outlet?.isTaken === true;
  }

  /** Tells whether the answer is an event stream by now. */
  get streaming(): boolean {
    return this.#outlet !== undefined;
  }

  /** Tells whether it would be an event stream, if not too many were open. */
  get lacksStream(): boolean {
    const { accepted } = this.#call;
    return !this.streaming && accepted.stream && this.#context.streams.full(this.#call) !== undefined;
  }

  /** The client disconnected. A resumable event stream continues without it. */
  closed(): void {
    this.#connection?.closed();
    if (this.#outlet === undefined) this.#over();
    if (!this.gone) this.#call.comeBack();
  }

  /** Breaks the connection of an event stream that can be resumed, and asks the client to come back. */
  disconnect(retryMs: number): void {
    if (!this.gone && this.#begin()) this.#outlet?.pause(retryMs);
  }

  /**
   * Sends a message ahead of the response.
   *
   * @returns True if it was sent. It is not sent if the client is gone, accepts no event stream, or no further stream
   * may be opened.
   */
  message(json: string): boolean {
    if (this.gone || !this.#begin()) return false;
    this.#outlet?.send(json);
    return !this.gone;
  }

  /** Completes the answer with one response. */
  respond(status: number, response: ResponseMessage | undefined): void {
    if (response === undefined) return this.finish(status, undefined);
    const scopes = this.streaming ? undefined : lackedScopes.get(response);
    if (scopes !== undefined) return this.#lacks(scopes, response);
    if (this.streaming || this.#wantsStream(status)) return this.finish(status, responseJson(this.#context, response));
    if (this.gone) return;
    this.#over();
    this.#call.reply.send(
      status,
      toPieces(this.#context, response),
      status === 503 || status === 429 ? retryHeaders(response) : undefined,
    );
  }

  /** Completes the answer: with JSON text, or without content if the request was cancelled. */
  finish(status: number, json: string | undefined): void {
    if (this.gone) return;
    if (json !== undefined && this.#wantsStream(status)) this.#begin();
    this.#over();
    if (this.#outlet !== undefined) this.#outlet.end(json);
    else if (json === undefined) this.#empty();
    else this.#call.reply.send(status, json);
  }

  /**
   * Nothing was sent for so long that a proxy may close the connection. So the answer becomes an event stream, whose
   * comments keep it open. A client that does not accept event streams waits.
   */
  breakSilence(): void {
    if (this.gone || this.streaming || this.#call.ended) return;
    try {
      // The head is sent with the first data: a stored event to resume from, or a comment.
      if (!this.#begin()) this.#silence = this.#context.silence.add(this);
      else if (!this.#isPrimed) this.#connection?.comment();
    } catch (cause) {
      this.#context.settings.onError(new Error('an answer could not become an event stream', { cause }));
    }
  }

  /** Reports missing scopes by the status. The endpoint's protection knows where to get them. */
  #lacks(scopes: readonly string[], response: ResponseMessage): void {
    const { protection } = this.#context.endpoint;
    if (protection === undefined || this.gone) return this.finish(403, responseJson(this.#context, response));
    this.#over();
    protection.insufficient(this.#call, scopes);
  }

  #over(): void {
    this.#gone = true;
    this.#silence?.leave();
  }

  /**
   * Tells whether an answer must be an event stream. A client that accepts nothing else gets one, unless the status
   * says more.
   */
  #wantsStream(status: number): boolean {
    return status === 200 && !this.#call.accepted.json;
  }

  /** A request without a response (it was cancelled) leaves an empty stream, from which nothing can be resumed. */
  #empty(): void {
    const { accepted, reply } = this.#call;
    if (!accepted.stream || this.#context.streams.full(this.#call) !== undefined) reply.send(202);
    else this.#context.streams.open(reply, { client: this.#call }).end();
  }

  #begin(): boolean {
    if (this.#outlet !== undefined) return true;
    const { accepted, reply } = this.#call;
    if (!accepted.stream || this.#context.streams.full(this.#call) !== undefined) return false;
    const connection = this.#context.streams.open(reply, { client: this.#call, withFirst: true });
    this.#silence?.leave();
    const stream = this.#streams?.begin();
    this.#connection = connection;
    this.#outlet = stream ?? connection;
    this.#isPrimed = stream?.primes === true;
    stream?.open(connection);
    this.#call.leave();
    return true;
  }
}

/** The JSON text of a message ahead of a response. A message that is not JSON is dropped, and reported to the owner. */
export function messageJson(context: HttpContext, message: Message): string | undefined {
  try {
    return responseText(message);
  } catch (cause) {
    context.settings.onError(new Error('a message to a client could not be written as JSON', { cause }));
    return undefined;
  }
}

/** The JSON text of a response. A response that is not JSON becomes an internal error, and is reported to the owner. */
export function responseJson(context: HttpContext, response: ResponseMessage): string {
  return written(context, response, responseText);
}

/** The JSON text in pieces, if that avoids much writing. */
function toPieces(context: HttpContext, response: ResponseMessage): JsonPieces {
  return written(context, response, responsePieces);
}

function written<T>(
  context: HttpContext,
  response: ResponseMessage,
  write: (response: ResponseMessage) => T,
): T | string {
  try {
    return write(response);
  } catch (cause) {
    context.settings.onError(new Error('a result could not be written as JSON', { cause }));
    const id: RequestId | undefined = response.id ?? undefined;
    return errorBody(new McpError('internalError', 'internal error'), undefined, id);
  }
}
