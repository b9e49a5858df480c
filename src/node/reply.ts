import type { ServerResponse } from 'node:http';
import { eventStreamHeaders } from '../http/stream.ts';
import type { EventWriter, HeaderFields, HttpReply } from '../http/shape.ts';
import { after } from '../jsonrpc/timeout.ts';

/** How much of an unwanted body is read and thrown away, so that its sender gets to read the refusal. */
const lingerBytes = 32 * 1024 * 1024;
const lingerMs = 2000;

/** A reply of Node's HTTP server, in the minimal shape: whole answers are written at once, with their length. */
export class NodeReply implements HttpReply {
  readonly #response: ServerResponse;

  constructor(response: ServerResponse) {
    this.#response = response;
    // A client that breaks off is no failure of ours; 'close' tells of it.
    response.on('error', ignore);
  }

  send(status: number, body?: string, headers?: HeaderFields): void {
    const response = this.#response;
    // Too late for an answer: a stream that failed is cut off.
    if (response.headersSent && !response.writableEnded) response.destroy();
    if (response.headersSent || response.destroyed) return;
    const type =
      body === undefined
        ? undefined
        : { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) };
    response.writeHead(status, headers === undefined ? type : { ...type, ...headers });
    if (status >= 400 && isLong(response)) linger(response, body);
    else response.end(body);
  }

  stream(headers?: HeaderFields): EventWriter {
    if (!this.#response.headersSent) {
      this.#response.writeHead(200, headers === undefined ? eventStreamHeaders : { ...eventStreamHeaders, ...headers });
      this.#response.flushHeaders();
    }
    return new NodeEventWriter(this.#response);
  }

  setHeader(name: string, value: string): void {
    if (!this.#response.headersSent) this.#response.setHeader(name, value);
  }

  onClose(run: () => void): void {
    if (this.#response.destroyed) run();
    // It comes once; `once` would keep a wrapper as well.
    else this.#response.on('close', run);
  }
}

function ignore(): void {}

class NodeEventWriter implements EventWriter {
  readonly #response: ServerResponse;

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  get buffered(): number {
    return this.#response.writableLength;
  }

  write(text: string): void {
    if (!this.#response.writableEnded && !this.#response.destroyed) this.#response.write(text);
  }

  end(text?: string): void {
    if (!this.#response.writableEnded) this.#response.end(text);
  }

  destroy(): void {
    this.#response.destroy();
  }
}

/** Whether a body is still coming that is not worth keeping the connection for. */
function isLong({ req }: ServerResponse): boolean {
  if (req.complete) return false;
  const length = req.headers['content-length'];
  return length === undefined ? req.headers['transfer-encoding'] !== undefined : Number(length) > 65_536;
}

/**
 * Answers at once but keeps reading for a while: closing a connection on a client that is still sending would reset
 * it, and the client would never see the answer.
 */
function linger(response: ServerResponse, body: string | undefined): void {
  const { req } = response;
  let left = lingerBytes;
  const cancel = after(lingerMs, () => done());
  const done = (): void => {
    cancel();
    req.off('data', discard);
    response.end();
    response.once('finish', () => req.destroy());
  };
  const discard = (chunk: Buffer): void => {
    left -= chunk.length;
    if (left < 0) done();
  };
  response.write(body ?? '');
  req.on('data', discard);
  req.once('end', done);
  req.once('close', cancel);
  req.on('error', () => undefined);
  req.resume();
}
