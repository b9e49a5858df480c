/** An exchange as the process sees it that answers. */

import type { JsonPieces } from '../../../packages/parley/src/jsonrpc/encode.ts';
import { eventStreamHeaders } from '../../../packages/parley/src/transports/http/server/exchanges/stream.ts';
import type {
  Body,
  EventWriter,
  HeaderFields,
  HttpReply,
  IncomingRequest,
} from '../../../packages/parley/src/transports/http/server/exchanges/universal.ts';

/** The connection that an answer goes over. */
export interface Wire {
  head(status: number, body: string | undefined, headers: HeaderFields): void;
  stream(headers: HeaderFields): void;
  write(text: string): void;
  finish(): void;
  destroy(): void;
  /** How many bytes wait for a reader that is slow; none where it is left out. */
  readonly buffered?: number;
}

/** What a request is made of. */
export interface RequestParts {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  readonly from: string;
}

/** A request that has arrived, whole. */
export class ArrivedRequest implements IncomingRequest {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headerCount: number;
  readonly remoteAddress: string;
  readonly #headers: ReadonlyMap<string, string>;
  readonly #body: string | undefined;

  constructor({ method, path, query, headers, body, from }: RequestParts) {
    this.method = method;
    this.path = path;
    this.query = query;
    this.#headers = new Map(
      Object.entries({ host: 'localhost', ...headers }).map(([name, value]) => [name.toLowerCase(), value]),
    );
    this.headerCount = this.#headers.size;
    this.remoteAddress = from;
    this.#body = body;
  }

  header(name: string): string | undefined {
    return this.#headers.get(name);
  }

  body(): Body {
    return this.#body === undefined ? { kind: 'text', text: '' } : { kind: 'text', text: this.#body };
  }
}

/** An answer under way. */
export class Reply implements HttpReply {
  closed = false;
  readonly #wire: Wire;
  readonly #headers: Record<string, string> = {};
  #onClose: (() => void) | undefined;

  constructor(wire: Wire) {
    this.#wire = wire;
  }

  setHeader(name: string, value: string): void {
    this.#headers[name] = value;
  }

  send(status: number, body?: JsonPieces, headers?: HeaderFields): void {
    if (this.closed) return;
    this.#wire.head(status, body === undefined ? undefined : textOf(body), {
      ...this.#headers,
      ...typed(body),
      ...headers,
    });
    this.broke();
  }

  stream(headers?: HeaderFields): EventWriter {
    if (!this.closed) this.#wire.stream({ ...eventStreamHeaders, ...this.#headers, ...headers });
    const ended = (last: () => void): void => {
      if (this.closed) return;
      last();
      this.broke();
    };
    const wire = this.#wire;
    return {
      get buffered() {
        return wire.buffered ?? 0;
      },
      write: (text) => {
        if (!this.closed) this.#wire.write(text);
      },
      end: (text) =>
        ended(() => {
          if (text !== undefined) this.#wire.write(text);
          this.#wire.finish();
        }),
      destroy: () => ended(() => this.#wire.destroy()),
    };
  }

  destroy(): void {
    if (this.closed) return;
    this.#wire.destroy();
    this.broke();
  }

  onClose(run: () => void): void {
    if (this.closed) run();
    else this.#onClose = run;
  }

  /** The connection is over, whoever ended it. */
  broke(): void {
    if (this.closed) return;
    this.closed = true;
    this.#onClose?.();
  }
}

function typed(body: JsonPieces | undefined): HeaderFields {
  return body === undefined ? {} : { 'Content-Type': 'application/json' };
}

function textOf(body: JsonPieces): string {
  return typeof body === 'string'
    ? body
    : body.map((piece) => (typeof piece === 'string' ? piece : new TextDecoder().decode(piece))).join('');
}
