import { after } from '../jsonrpc/timeout.ts';
import type { JsonPieces } from '../jsonrpc/text.ts';
import type { Served } from '../peer/endpoint.ts';
import { createHttpHandler } from './handler.ts';
import { defaults, type HttpOptions } from './options.ts';
import { eventStreamHeaders } from './stream.ts';
import type { Body, EventWriter, HeaderFields, HttpReply, HttpRequest, Room } from './shape.ts';

/** Serves over `fetch` types: give it to Deno, Bun, Workers or any framework that speaks them. */
export interface FetchHandler {
  (request: Request): Promise<Response>;
  /** Stops serving, as `HttpHandler.close` does. */
  close(): Promise<void>;
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
export function createHandler(served: Served, options: HttpOptions = {}): FetchHandler {
  const handler = createHttpHandler(served, options);
  const answer = (request: Request): Promise<Response> =>
    new Promise((resolve) =>
      handler.handle(new FetchRequest(request, options.bodyTimeoutMs), new FetchReply(request, resolve)),
    );
  return Object.assign(answer, { close: () => handler.close() });
}

class FetchRequest implements HttpRequest {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly remoteAddress = undefined;
  readonly #request: Request;
  readonly #host: string;
  readonly #bodyTimeout: number;

  constructor(request: Request, bodyTimeout: number = defaults.bodyTimeoutMs) {
    const { pathname, search, host } = new URL(request.url);
    this.method = request.method;
    this.path = pathname;
    this.query = search.slice(1);
    this.#request = request;
    this.#host = host;
    this.#bodyTimeout = bodyTimeout;
  }

  get headerCount(): number {
    return [...this.#request.headers.keys()].length;
  }

  header(name: string): string | undefined {
    // Some runtimes keep the host in the URL alone.
    return this.#request.headers.get(name) ?? (name === 'host' ? this.#host : undefined);
  }

  async body(limit: number, room?: Room): Promise<Body> {
    if (Number(this.header('content-length') ?? 0) > limit) return { kind: 'too-large' };
    const reader = this.#request.body?.getReader();
    if (reader === undefined) return { kind: 'text', text: '' };
    let late = false;
    const cancel = after(this.#bodyTimeout, () => {
      late = true;
      // What waits for more is told that it has ended.
      reader.cancel().catch(() => undefined);
    });
    try {
      const body = await collect(reader, limit, room);
      return late ? { kind: 'too-slow' } : body;
    } catch {
      return { kind: late ? 'too-slow' : 'gone' };
    } finally {
      cancel();
    }
  }
}

/** Reads chunk by chunk, so that no more than the limit is ever held. */
async function collect(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  limit: number,
  room: Room | undefined,
): Promise<Body> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let text = '';
  let size = 0;
  for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
    size += chunk.value.byteLength;
    const kind = size > limit ? 'too-large' : room?.take(chunk.value.byteLength) === false ? 'no-room' : undefined;
    if (kind !== undefined) {
      await reader.cancel();
      return { kind };
    }
    try {
      text += decoder.decode(chunk.value, { stream: true });
    } catch {
      await reader.cancel();
      return { kind: 'not-utf8' };
    }
  }
  try {
    return { kind: 'text', text: text + decoder.decode() };
  } catch {
    return { kind: 'not-utf8' };
  }
}

class FetchReply implements HttpReply {
  readonly #resolve: (response: Response) => void;
  readonly #headers: Record<string, string> = {};
  #closed: (() => void) | undefined;
  #answered = false;
  #over = false;

  constructor(request: Request, resolve: (response: Response) => void) {
    this.#resolve = resolve;
    if (request.signal.aborted) this.#abandoned();
    else request.signal.addEventListener('abort', () => this.#abandoned(), { once: true });
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
    this.#headers[name] = value;
  }

  get closed(): boolean {
    return this.#over;
  }

  onClose(run: () => void): void {
    if (this.#over) run();
    else this.#closed = run;
  }

  #abandoned(): void {
    this.#end();
    // Where the client is gone nobody reads the answer; it only settles the promise.
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

/** Writes into a readable stream; what its reader has not taken yet counts as buffered. */
class FetchEventWriter implements EventWriter {
  readonly readable: ReadableStream<Uint8Array>;
  readonly #encoder = new TextEncoder();
  readonly #closed: () => void;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;

  /** @param closed Hears of the end, whoever brought it about. */
  constructor(closed: () => void) {
    this.#closed = closed;
    this.readable = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller;
        },
        cancel: () => {
          this.#controller = undefined;
          closed();
        },
      },
      { highWaterMark: 0, size: (chunk) => chunk.byteLength },
    );
  }

  get buffered(): number {
    return -(this.#controller?.desiredSize ?? 0);
  }

  write(text: string): void {
    this.#controller?.enqueue(this.#encoder.encode(text));
  }

  end(text?: string): void {
    if (text !== undefined) this.write(text);
    this.#controller?.close();
    this.#controller = undefined;
    this.#closed();
  }

  destroy(): void {
    this.#controller?.error(new Error('the reader was too slow'));
    this.#controller = undefined;
    this.#closed();
  }
}
