import type { JsonPieces } from '../../../jsonrpc/encode.ts';
import type { Servable } from '../../../server/runtime/request-handler.ts';
import { readBody } from './fetch-body.ts';
import type { ClosingTimes } from './health/closing.ts';
import { createHttpHandler } from './handler.ts';
import { defaults, limitOf, type HttpOptions } from './exchanges/options.ts';
import { eventStreamHeaders } from './exchanges/stream.ts';
import type {
  Body,
  EventWriter,
  HeaderFields,
  HttpReply,
  IncomingRequest,
  WriteCapacity,
} from './exchanges/universal.ts';

/** Serves over `fetch` types: give it to Deno, Bun, Workers or any framework that speaks them. */
export interface FetchHandler {
  /** Answers a request. */
  (request: Request): Promise<Response>;
  /** Stops serving, as `HttpHandler.close` does. */
  close(times?: ClosingTimes): Promise<void>;
}

/**
 * Turns a server into a function from `Request` to `Response`.
 *
 * The Host and Origin checks hold here too: a server that is reached by another name than localhost needs
 * `allowedHosts`.
 *
 * @example
 * export default { fetch: createHandler(server, { allowedHosts: ['mcp.example.com'] }) };
 */
export function createHandler(served: Servable, options: HttpOptions = {}): FetchHandler {
  const handler = createHttpHandler(served, options);
  const timeout = limitOf(options.bodyTimeoutMs ?? defaults.bodyTimeoutMs);
  const answer = (request: Request): Promise<Response> =>
    new Promise((resolve) => {
      const reply = new FetchReply(request, resolve);
      handler.handle(new IncomingFetch(request, timeout, () => reply.abandon()), reply);
    });
  return Object.assign(answer, { close: (times?: ClosingTimes) => handler.close(times) });
}

class IncomingFetch implements IncomingRequest {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly remoteAddress = undefined;
  readonly #request: Request;
  readonly #host: string;
  readonly #bodyTimeout: number;
  readonly #broken: () => void;

  /**
   * @param bodyTimeout Time limit for the body, in milliseconds.
   * @param broken Called if the body broke off.
   */
  constructor(request: Request, bodyTimeout: number, broken: () => void) {
    const { pathname, search, host } = new URL(request.url);
    this.method = request.method;
    this.path = pathname;
    this.query = search.slice(1);
    this.#request = request;
    this.#host = host;
    this.#bodyTimeout = bodyTimeout;
    this.#broken = broken;
  }

  get headerCount(): number {
    return [...this.#request.headers.keys()].length;
  }

  header(name: string): string | undefined {
    // Some runtimes keep the host in the URL alone.
    return this.#request.headers.get(name) ?? (name === 'host' ? this.#host : undefined);
  }

  body(limit: number, room?: WriteCapacity): Promise<Body> {
    return readBody(this.#request, { limit, room, timeout: this.#bodyTimeout }).catch((): Body => {
      this.#broken();
      return { kind: 'gone' };
    });
  }
}

class FetchReply implements HttpReply {
  readonly #resolve: (response: Response) => void;
  #headers: Record<string, string> | undefined;
  #closed: (() => void) | undefined;
  #writer: FetchEventWriter | undefined;
  #answered = false;
  #over = false;

  constructor(request: Request, resolve: (response: Response) => void) {
    this.#resolve = resolve;
    const { signal } = request;
    if (signal.aborted) this.abandon();
    else signal.addEventListener('abort', () => this.abandon());
  }

  send(status: number, body?: JsonPieces, headers?: HeaderFields): void {
    this.#answer(() => {
      const type = body === undefined ? {} : { 'Content-Type': 'application/json' };
      return new Response(typeof body === 'object' ? joined(body) : (body ?? null), {
        status,
        headers: { ...this.#headers, ...type, ...headers },
      });
    });
  }

  stream(headers?: HeaderFields): EventWriter {
    const writer = new FetchEventWriter(() => this.#end());
    this.#writer = writer;
    this.#answer(
      () =>
        new Response(writer.readable, {
          status: 200,
          headers: { ...this.#headers, ...eventStreamHeaders, ...headers },
        }),
    );
    return writer;
  }

  setHeader(name: string, value: string): void {
    (this.#headers ??= {})[name] = value;
  }

  get closed(): boolean {
    return this.#over;
  }

  onClose(run: () => void): void {
    if (this.#over) run();
    else this.#closed = run;
  }

  destroy(): void {
    this.abandon();
  }

  /** The client disconnected. */
  abandon(): void {
    this.#end();
    // What passes a stream on, between this and the platform, may wait for its end.
    this.#writer?.end();
    // The client has gone, so the answer has no reader. It only settles the promise.
    this.#answer(() => new Response(null, { status: 499 }));
  }

  #end(): void {
    if (this.#over) return;
    this.#over = true;
    this.#closed?.();
  }

  /** @throws TypeError for what no `Response` can hold; it is not answered then, and another answer may be. */
  #answer(make: () => Response): void {
    if (this.#answered) return;
    const response = make();
    this.#answered = true;
    this.#resolve(response);
  }
}

function joined([beginning, ending]: Exclude<JsonPieces, string>): Uint8Array<ArrayBuffer> {
  const start = new TextEncoder().encode(beginning);
  const bytes = new Uint8Array(start.byteLength + ending.byteLength);
  bytes.set(start);
  bytes.set(ending, start.byteLength);
  return bytes;
}

const encoder = new TextEncoder();
const strategy: QueuingStrategy<Uint8Array> = { highWaterMark: 0, size: ({ byteLength }) => byteLength };

/** The source of a readable stream. Data that its reader has not taken yet counts as buffered. */
class FetchEventWriter implements EventWriter, UnderlyingDefaultSource<Uint8Array> {
  readonly readable: ReadableStream<Uint8Array>;
  readonly #closed: () => void;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;

  /** @param closed Called at the end, whichever side caused it. */
  constructor(closed: () => void) {
    this.#closed = closed;
    this.readable = new ReadableStream(this, strategy);
  }

  start(controller: ReadableStreamDefaultController<Uint8Array>): void {
    this.#controller = controller;
  }

  cancel(): void {
    this.#controller = undefined;
    this.#closed();
  }

  get buffered(): number {
    return -(this.#controller?.desiredSize ?? 0);
  }

  write(text: string): void {
    this.#controller?.enqueue(encoder.encode(text));
  }

  end(text?: string): void {
    if (text !== undefined) this.write(text);
    this.#controller?.close();
    this.cancel();
  }

  destroy(): void {
    this.#controller?.error(new Error('the reader was too slow'));
    this.cancel();
  }
}
