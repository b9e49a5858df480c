import type { FetchRequest, FetchResponse } from '../../../jsonrpc/fetch.ts';
import type { Dispatcher } from 'undici';
import type { Candidate, NodeConnection, NodeOrigin } from './connections.ts';
import { decodingOf } from './decode.ts';
import { NodeBody, type Sink, type ByteSource } from './response-body.ts';

/** Directions of a request: its target and its headers. */
export interface Directions {
  readonly origin: NodeOrigin;
  readonly path: string;
  /** Names and values in turn. */
  readonly headers: string[];
}

/** Settled once: by the head of the response, or by what prevented it. */
export interface ExchangeOutcome {
  resolve(response: FetchResponse): void;
  reject(error: unknown): void;
}

type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/** One request and its response. */
export class NodeExchange implements Candidate, ByteSource, Dispatcher.DispatchHandler {
  readonly #directions: Directions;
  readonly #request: FetchRequest;
  readonly #outcome: ExchangeOutcome;
  #connection: NodeConnection | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #body: NodeBody | undefined;
  #sink: Sink | undefined;

  constructor(directions: Directions, request: FetchRequest, outcome: ExchangeOutcome) {
    this.#directions = directions;
    this.#request = request;
    this.#outcome = outcome;
    request.signal.addEventListener('abort', this.#abort);
    directions.origin.admit(this);
  }

  start(connection: NodeConnection): void {
    const { path, headers } = this.#directions;
    const { method, body } = this.#request;
    this.#connection = connection;
    connection.dispatch({ path, method: method as Dispatcher.HttpMethod, headers, body: body ?? null }, this);
  }

  fail(error: unknown): void {
    this.#over();
    this.#outcome.reject(error);
  }

  pause(): void {
    this.#controller?.pause();
  }

  resume(): void {
    this.#controller?.resume();
  }

  destroy(): void {
    const connection = this.#connection;
    this.#connection = undefined;
    connection?.destroy();
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: Headers): void {
    // Informational responses (1xx) have nothing that callers need.
    if (status < 200) return;
    const codings = headerOf(headers, 'content-encoding');
    const decoding = codings === null ? undefined : decodingOf(codings, this);
    const body = new NodeBody(decoding ?? this, this.#over);
    decoding?.into(body);
    this.#body = body;
    this.#sink = decoding ?? body;
    this.#outcome.resolve({ status, headers: headersOf(headers), body });
  }

  onResponseData(_controller: Dispatcher.DispatchController, bytes: Uint8Array): void {
    this.#sink?.write(bytes);
  }

  onResponseEnd(): void {
    this.#sink?.end();
    const connection = this.#connection;
    this.#connection = undefined;
    connection?.release();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    const connection = this.#connection;
    // No caller waits for it any more.
    if (connection === undefined) return;
    this.#connection = undefined;
    if (this.#sink !== undefined) this.#sink.fail(error);
    else if (connection.isUsed && isHarmless(this.#request.method, error)) this.#directions.origin.admit(this);
    else this.fail(asTypeError(error));
    connection.destroy();
  }

  readonly #abort = (): void => {
    const { reason } = this.#request.signal;
    this.#directions.origin.dismiss(this);
    if (this.#body === undefined) this.fail(reason);
    else this.#body.abort(reason);
    this.destroy();
  };

  readonly #over = (): void => this.#request.signal.removeEventListener('abort', this.#abort);
}

/**
 * Tells whether a request that failed on a kept connection may be sent again. A failed write means that the server did
 * not get all of the request, so it cannot have acted on it. The outcome of a fully written request is unknown.
 */
function isHarmless(method: string, error: NodeJS.ErrnoException): boolean {
  return method === 'GET' || method === 'DELETE' || error.syscall === 'write';
}

/** Turns the error of an invalid request, which is the caller's mistake, into a `TypeError`. */
function asTypeError(error: NodeJS.ErrnoException): Error {
  return error.code === 'UND_ERR_INVALID_ARG' ? new TypeError(error.message, { cause: error }) : error;
}

/** @param name In lower case. */
function headersOf(headers: Headers): FetchResponse['headers'] {
  return {
    get: (name) => headerOf(headers, name.toLowerCase()),
    [Symbol.iterator]: () =>
      Object.keys(headers)
        .map((name): [string, string] => [name, headerOf(headers, name) ?? ''])
        .values(),
  };
}

function headerOf(headers: Headers, name: string): string | null {
  const value = Object.hasOwn(headers, name) ? headers[name] : undefined;
  if (value === undefined) return null;
  return typeof value === 'string' ? value : value.join(', ');
}
