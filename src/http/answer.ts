import type { Message, RequestId, ResponseMessage } from '../jsonrpc/message.ts';
import { McpError } from '../protocol/error.ts';
import type { Edge, Visit } from './edge.ts';
import { errorBody } from './status.ts';
import type { EventStream } from './stream.ts';

/**
 * The answer to one POST: JSON in one piece, or an event stream from the moment that something is sent before the
 * last response.
 */
export class Answer {
  readonly #edge: Edge;
  readonly #visit: Visit;
  #stream: EventStream | undefined;
  #gone = false;

  constructor(edge: Edge, visit: Visit) {
    this.#edge = edge;
    this.#visit = visit;
  }

  /** Whether nothing can be sent any more: the answer is complete, or its client went away. */
  get gone(): boolean {
    return this.#gone || this.#stream?.ended === true;
  }

  /** Whether the answer is an event stream by now. */
  get streaming(): boolean {
    return this.#stream !== undefined;
  }

  /** The client went away. */
  closed(): void {
    this.#gone = true;
    this.#stream?.closed();
  }

  /**
   * Sends a message ahead of the response.
   *
   * @returns Whether it was sent; it is not when the client is gone, takes no event stream, or no further stream
   *   may be opened.
   */
  message(json: string): boolean {
    if (this.gone || !this.#begin()) return false;
    this.#stream?.send(json);
    return !this.gone;
  }

  /** Completes the answer with one response. */
  respond(status: number, response: ResponseMessage | undefined): void {
    this.finish(status, response === undefined ? undefined : toJson(this.#edge, response));
  }

  /** Completes the answer: with JSON text, or with nothing where the request was given up. */
  finish(status: number, json: string | undefined): void {
    if (this.gone) return;
    // Who takes only event streams gets one, unless the status says more. A request without a response (it was
    // cancelled) leaves an empty stream.
    if (json === undefined || (!this.#visit.accepted.json && status === 200)) this.#begin();
    this.#gone = true;
    if (this.#stream !== undefined) this.#stream.end(json);
    else if (json === undefined) this.#visit.reply.send(202);
    else this.#visit.reply.send(status, json);
  }

  #begin(): boolean {
    if (this.#stream !== undefined) return true;
    if (!this.#visit.accepted.stream || this.#edge.streams.full) return false;
    this.#stream = this.#edge.streams.open(this.#visit.reply);
    this.#visit.leave();
    return true;
  }
}

/** The JSON text of a message ahead of a response; one that is no JSON is dropped, which is told to the owner. */
export function messageJson(edge: Edge, message: Message): string | undefined {
  try {
    return JSON.stringify(message);
  } catch (cause) {
    edge.settings.onError(new Error('a message to a client could not be written as JSON', { cause }));
    return undefined;
  }
}

/** The JSON text of a response; one that is no JSON becomes an internal error, which is told to the owner. */
export function toJson(edge: Edge, response: ResponseMessage): string {
  try {
    return JSON.stringify(response);
  } catch (cause) {
    edge.settings.onError(new Error('a result could not be written as JSON', { cause }));
    const id: RequestId | undefined = response.id ?? undefined;
    return errorBody(new McpError('internalError', 'internal error'), undefined, id);
  }
}
