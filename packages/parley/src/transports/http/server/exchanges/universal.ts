/** The least that serving over HTTP needs of a request and a reply; each platform translates to it. */
import type { HttpRequest } from '../../../../server/runtime/protection.ts';
import type { JsonPieces } from '../../../../jsonrpc/encode.ts';

/** A received request. None of its contents is checked yet. */
export interface IncomingRequest extends HttpRequest {
  /** Number of header lines that arrived. */
  readonly headerCount: number;
  /**
   * Reads the body. Called at most once. It never rejects, and never keeps more than `limit` bytes.
   *
   * @param limit The most bytes that are accepted.
   * @param room Counts the bytes as they arrive. A platform that does not use it holds them uncounted.
   * @returns The body, or a promise of it while it is still arriving.
   */
  body(limit: number, room?: WriteCapacity): Body | Promise<Body>;
}

/** Room for what arrives, which all requests share. */
export interface WriteCapacity {
  /** Takes some of it, as long as the request is being answered; false when there is not enough. */
  take(bytes: number): boolean;
}

/** Outcome of reading a body. */
export type Body =
  | { readonly kind: 'text'; readonly text: string }
  /** The framework in front has parsed the body already. */
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'too-large' }
  | { readonly kind: 'not-utf8' }
  /** Something in front has read it, and left nothing of it. */
  | { readonly kind: 'taken' }
  /** It did not arrive in time. */
  | { readonly kind: 'too-slow' }
  /** There is no room for it now. */
  | { readonly kind: 'no-room' }
  /** The client disconnected: it waits for no answer. */
  | { readonly kind: 'gone' };

/** Header fields of a reply, by name. */
export type HeaderFields = Readonly<Record<string, string>>;

/** The way to answer one request: exactly one of `send` and `stream` is called, once. */
export interface HttpReply {
  /**
   * Sends a whole answer.
   *
   * @param body JSON text, sent as `application/json`; left out for an answer without a body. It may come in two
   *   pieces, the
   * second in UTF-8, if many answers end with that piece.
   */
  send(status: number, body?: JsonPieces, headers?: HeaderFields): void;
  /** Begins an event stream with status 200. */
  stream(headers?: HeaderFields): EventWriter;
  /** True when the connection has ended. */
  readonly closed: boolean;
  /** Ends the connection without an answer, if none can be sent. */
  destroy(): void;
  /** Adds a header to whatever is sent later. */
  setHeader(name: string, value: string): void;
  /** Registers one listener for the end of the connection, before or after the answer. */
  onClose(run: () => void): void;
}

/** The body of an event stream. None of its methods throws. After the end they do nothing. */
export interface EventWriter {
  /** Number of bytes that wait for a reader that is slower than the writer. */
  readonly buffered: number;
  write(text: string): void;
  /** Ends the stream after the written data. */
  end(text?: string): void;
  /** Cuts the connection without waiting for the reader. */
  destroy(): void;
}
