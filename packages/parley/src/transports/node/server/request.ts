import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { Body, IncomingRequest, WriteCapacity } from '../../http/server/exchanges/universal.ts';
import { afterReading } from '../../../jsonrpc/timeout.ts';
import type { AddressOf } from './proxies/trusted-proxies.ts';
import { beginRequest } from './unreadable.ts';

/** Headers of which Node keeps only the first, although a repetition must be noticed. */
const single: ReadonlySet<string> = new Set(['content-type', 'host', 'origin', 'content-length', 'authorization']);

/** A request target with the name of a server in it: that name, and the path with what follows it. */
const absoluteForm = /^https?:\/\/([^/?#]*)([^?#]*)/i;

/** A request of Node's HTTP server, in the minimal shape. */
export class NodeRequest implements IncomingRequest {
  readonly #message: IncomingMessage;
  readonly #bodyTimeout: number;
  readonly #addressOf: AddressOf | undefined;
  #address: string | undefined;

  /**
   * @param bodyTimeout Time limit for the body, in milliseconds.
   * @param addressOf Finds the client behind a proxy; by default it is the other end of the connection.
   */
  constructor(message: IncomingMessage, bodyTimeout: number, addressOf?: AddressOf) {
    this.#message = message;
    this.#bodyTimeout = bodyTimeout;
    this.#addressOf = addressOf;
  }

  get method(): string {
    return this.#message.method ?? '';
  }

  get path(): string {
    const url = this.#message.url ?? '/';
    const end = url.indexOf('?');
    const path = end < 0 ? url : url.slice(0, end);
    return path.startsWith('/') ? path : (absoluteForm.exec(path)?.[2] ?? path) || '/';
  }

  get query(): string {
    const url = this.#message.url ?? '';
    const start = url.indexOf('?');
    return start < 0 ? '' : url.slice(start + 1);
  }

  get headerCount(): number {
    return this.#message.rawHeaders.length / 2;
  }

  get remoteAddress(): string | undefined {
    if (this.#addressOf === undefined) return this.#message.socket.remoteAddress;
    return (this.#address ??= this.#addressOf(this.#message));
  }

  header(name: string): string | undefined {
    if (name === 'host') return this.#named() ?? this.#all(name);
    if (single.has(name)) return this.#all(name);
    const value = this.#message.headers[name];
    return typeof value === 'object' ? value.join(', ') : value;
  }

  body(limit: number, room?: WriteCapacity): Body | Promise<Body> {
    const message: IncomingMessage & { body?: unknown } = this.#message;
    if (message.body !== undefined && !leftAlone(message, message.body)) return alreadyRead(message.body, limit, room);
    const length = Number(message.headers['content-length'] ?? Number.NaN);
    if (length > limit) return { kind: 'too-large' };
    // A stream that other code has read to its end emits no second end.
    if (message.readableEnded && hasBody(message)) return { kind: 'taken' };
    if (message.readableEnded || message.destroyed) return { kind: 'text', text: '' };
    // If no other code reads it, a body that has fully arrived is taken without waiting for its events.
    const arrived = message.complete || message.readableLength === length;
    if (!arrived || message.readableFlowing !== null)
      return readBody(message, { limit, room, timeout: this.#bodyTimeout });
    if (message.readableLength > limit) return { kind: 'too-large' };
    if (!beginRequest(message)) return { kind: 'gone' };
    return room?.take(message.readableLength) === false ? { kind: 'no-room' } : wholeBody(message);
  }

  /** RFC 9112, 3.2.2: the host of an absolute form counts, whatever the Host header says. */
  #named(): string | undefined {
    const { url } = this.#message;
    return url === undefined || url.startsWith('/') ? undefined : absoluteForm.exec(url)?.[1];
  }

  #all(name: string): string | undefined {
    const value = this.#message.headers[name];
    if (value === undefined) return name === 'host' ? this.#authority() : undefined;
    const { rawHeaders } = this.#message;
    let seen: string | undefined;
    for (let at = 0; at < rawHeaders.length; at += 2) {
      const field = rawHeaders[at];
      if (field?.length !== name.length || field.toLowerCase() !== name) continue;
      seen = seen === undefined ? rawHeaders[at + 1] : `${seen}, ${rawHeaders[at + 1]}`;
    }
    return seen;
  }

  /** HTTP/2 has a pseudo-header in place of Host. */
  #authority(): string | undefined {
    const value = this.#message.headers[':authority'];
    return typeof value === 'string' ? value : undefined;
  }
}

/**
 * Recognizes a body that the parsers of Express 4 did not read: they put an empty object in place of every body that
 * they do not parse.
 */
export function leftAlone(message: IncomingMessage, body: unknown): boolean {
  if (typeof body !== 'object' || body === null || Object.keys(body).length > 0) return false;
  return !(body instanceof Uint8Array) && !message.readableDidRead;
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** A framework in front has read the body: parsed, as text, or as bytes. */
function alreadyRead(body: unknown, limit: number, room: WriteCapacity | undefined): Body {
  const length = typeof body === 'string' ? body.length : body instanceof Uint8Array ? body.byteLength : 0;
  if (length > limit) return { kind: 'too-large' };
  if (room?.take(length) === false) return { kind: 'no-room' };
  if (typeof body === 'string') return { kind: 'text', text: body };
  return body instanceof Uint8Array ? decoded(Buffer.from(body)) : { kind: 'value', value: body };
}

/** An empty body leaves nothing. Without an encoding, the rest of a stream is one buffer. */
function wholeBody(message: IncomingMessage): Body {
  const bytes: unknown = message.read();
  // Its end is still to be seen.
  message.resume();
  return Buffer.isBuffer(bytes) ? decoded(bytes) : { kind: 'text', text: typeof bytes === 'string' ? bytes : '' };
}

/** Options of reading a body that is still arriving. */
interface Reading {
  readonly limit: number;
  readonly room: WriteCapacity | undefined;
  readonly timeout: number;
}

function readBody(message: IncomingMessage, { limit, room, timeout }: Reading): Promise<Body> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const settle = (body: Body): void => {
      cancel();
      message.off('data', onData);
      message.off('end', onEnd);
      message.off('close', onGone);
      // The stream may live on, and with it whatever refers to this.
      chunks.length = 0;
      resolve(body);
    };
    const onData = (chunk: Buffer): void => {
      size += chunk.length;
      if (size > limit) stop('too-large');
      else if (room?.take(chunk.length) === false) stop('no-room');
      else chunks.push(chunk);
    };
    const stop = (kind: 'too-large' | 'too-slow' | 'no-room'): void => {
      message.pause();
      settle({ kind });
    };
    const onEnd = (): void => {
      settle(beginRequest(message) ? decoded(joined(chunks, size)) : { kind: 'gone' });
    };
    const onGone = (): void => settle({ kind: 'gone' });
    const cancel = afterReading(timeout, () => stop('too-slow'));
    message.on('data', onData);
    message.on('end', onEnd);
    message.on('close', onGone);
    // The reason shows in 'close', which follows.
    message.on('error', ignore);
    // Something in front may have paused it.
    message.resume();
  });
}

/** Outside of the function that reads a body, so that it keeps no reference to it. */
function ignore(): void {}

/** Bytes of the shared buffer for assembling bodies. A larger body has its own memory. */
const keptBytes = 2 * 1024 * 1024;
let kept: Buffer = Buffer.alloc(0);

/**
 * Joins the pieces of a body. The result is valid until the next call. Allocating memory each time would cost more,
 * through its pages and its collection, than this copy.
 */
function joined(chunks: readonly Buffer[], size: number): Buffer {
  const [first] = chunks;
  if (chunks.length === 1 && first !== undefined) return first;
  if (size > keptBytes) return Buffer.concat(chunks, size);
  // At least twice as much as before, so that bodies of growing sizes do not each ask for more.
  if (kept.length < size) kept = Buffer.allocUnsafeSlow(Math.min(keptBytes, Math.max(size, 2 * kept.length)));
  let at = 0;
  for (const chunk of chunks) {
    kept.set(chunk, at);
    at += chunk.length;
  }
  return kept.subarray(0, at);
}

function decoded(bytes: Buffer): Body {
  return isUtf8(bytes) ? { kind: 'text', text: bytes.toString('utf8') } : { kind: 'not-utf8' };
}
