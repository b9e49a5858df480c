/** The minimal HTTP shape without a network: a test sees an answer grow, and may leave as a client does. */
import type { JsonPieces } from '../../packages/parley/src/jsonrpc/encode.ts';
import type { HttpHandler } from '../../packages/parley/src/transports/http/server/handler.ts';
import type {
  Body,
  EventWriter,
  HeaderFields,
  HttpReply,
  IncomingRequest,
  WriteCapacity,
} from '../../packages/parley/src/transports/http/server/exchanges/universal.ts';

/** What a test sends. */
export interface Sent {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: string | Uint8Array | undefined;
  readonly remoteAddress?: string;
}

/** The fields of one event, as they were written. */
export interface Frame {
  readonly id?: string;
  readonly event?: string;
  readonly retry?: string;
  readonly data?: string;
}

/** Headers by name in lower case, with those that every well-behaved client sends. */
export function headersOf({ headers = {}, body }: Sent): Map<string, string> {
  const usual = {
    host: 'localhost:3000',
    accept: 'application/json, text/event-stream',
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  };
  const all = Object.entries({
    ...usual,
    ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
  });
  return new Map(all.filter((entry): entry is [string, string] => entry[1] !== undefined));
}

/** One request and its answer so far. */
export class FakeVisit implements HttpReply {
  readonly request: IncomingRequest;
  status: number | undefined;
  headers: Record<string, string> = {};
  body: string | undefined;
  /** What was written to the event stream. */
  written = '';
  ended = false;
  destroyed = false;
  /** Bytes that the reader has not taken. */
  stalled = false;
  #closed: (() => void) | undefined;
  #waiting: (() => void)[] = [];

  constructor(sent: Sent) {
    const headers = headersOf(sent);
    this.request = {
      method: sent.method ?? (sent.body === undefined ? 'GET' : 'POST'),
      path: (sent.path ?? '/mcp').split('?', 1)[0] ?? '',
      query: /\?(.*)$/.exec(sent.path ?? '')?.[1] ?? '',
      headerCount: headers.size,
      remoteAddress: sent.remoteAddress,
      header: (name) => headers.get(name),
      body: (limit, room) => Promise.resolve(bodyOf(sent.body ?? '', limit, room)),
    };
  }

  send(status: number, body?: JsonPieces, headers?: HeaderFields): void {
    if (this.status !== undefined) return;
    this.status = status;
    this.body = typeof body === 'object' ? body[0] + new TextDecoder().decode(body[1]) : body;
    Object.assign(this.headers, body === undefined ? {} : { 'content-type': 'application/json' }, lower(headers));
    this.#end();
  }

  stream(headers?: HeaderFields): EventWriter {
    this.status = 200;
    Object.assign(this.headers, { 'content-type': 'text/event-stream' }, lower(headers));
    this.#wake();
    return new FakeWriter(this);
  }

  destroy(): void {
    this.destroyed = true;
    this.#end();
  }

  /** Takes text of the stream. */
  take(text: string): void {
    if (this.ended) return;
    this.written += text;
    this.#wake();
  }

  setHeader(name: string, value: string): void {
    this.headers[name.toLowerCase()] = value;
  }

  get closed(): boolean {
    return this.ended;
  }

  onClose(run: () => void): void {
    if (this.ended) run();
    else this.#closed = run;
  }

  /** The client breaks the connection. */
  leave(): void {
    this.#end();
  }

  /** The messages on the event stream so far. */
  get events(): unknown[] {
    return this.frames.flatMap(({ data }): unknown[] => (data === undefined || data === '' ? [] : [JSON.parse(data)]));
  }

  /** The fields of every event on the stream so far. */
  get frames(): Frame[] {
    return this.written
      .split('\n\n')
      .slice(0, -1)
      .map((frame) => Object.fromEntries(frame.split('\n').map((line) => line.split(/: ?(.*)/, 2))) as Frame)
      .filter((frame) => Object.keys(frame).some((name) => name !== ''));
  }

  /** The JSON body. */
  get json(): unknown {
    return this.body === undefined ? undefined : JSON.parse(this.body);
  }

  /** Resolves when something is true of the answer. */
  async until(holds: (visit: this) => boolean): Promise<this> {
    while (!holds(this)) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    return this;
  }

  done(): Promise<this> {
    return this.until((visit) => visit.ended);
  }

  #end(): void {
    if (this.ended) return;
    this.ended = true;
    this.#closed?.();
    this.#wake();
  }

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}

class FakeWriter implements EventWriter {
  readonly #visit: FakeVisit;

  constructor(visit: FakeVisit) {
    this.#visit = visit;
  }

  get buffered(): number {
    return this.#visit.stalled ? this.#visit.written.length : 0;
  }

  write(text: string): void {
    this.#visit.take(text);
  }

  end(text: string = ''): void {
    this.#visit.take(text);
    this.#visit.leave();
  }

  destroy(): void {
    this.#visit.destroyed = true;
    this.#visit.leave();
  }
}

// What is loaded on demand is there already, so that `settle` waits for no file.
await import('../../packages/parley/src/transports/http/server/lasting.ts');

/** Sends a request and returns at once. */
export function begin(handler: HttpHandler, sent: Sent): FakeVisit {
  const visit = new FakeVisit(sent);
  handler.handle(visit.request, visit);
  return visit;
}

/** Sends a request and waits for its whole answer. */
export function visit(handler: HttpHandler, sent: Sent): Promise<FakeVisit> {
  return begin(handler, sent).done();
}

/** Lets everything that is ready to run, run. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
}

function bodyOf(body: string | Uint8Array, limit: number, room: WriteCapacity | undefined): Body {
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
  if (bytes.byteLength > limit) return { kind: 'too-large' };
  if (room?.take(bytes.byteLength) === false) return { kind: 'no-room' };
  try {
    return { kind: 'text', text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch {
    return { kind: 'not-utf8' };
  }
}

function lower(headers: HeaderFields = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
