import { OutgoingMessage, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { eventStreamHeaders } from '../../http/server/exchanges/stream.ts';
import type { EventWriter, HeaderFields, HttpReply } from '../../http/server/exchanges/universal.ts';
import type { JsonPieces } from '../../../jsonrpc/encode.ts';
import { after } from '../../../jsonrpc/timeout.ts';
import { limitStall, stallMs } from './stalled.ts';
import { end, type WriteBatch } from './write-batch.ts';

/** Amount of an unwanted body that is read and discarded, so that its sender can read the refusal. */
const lingerBytes = 32 * 1024 * 1024;
const lingerMs = 2000;

/** A reply of Node's HTTP server, in the minimal shape: whole answers are written at once, with their length. */
export class NodeReply implements HttpReply {
  readonly #response: ServerResponse;
  readonly #batch: WriteBatch | undefined;
  #sent = false;

  /**
   * @param batch Collects the answers of a turn. Only a server of ours has one: elsewhere a layer in
   * front may inspect what a response writes, in the context of its request, and may end when all is answered.
   */
  constructor(response: ServerResponse, batch?: WriteBatch) {
    this.#response = response;
    this.#batch = batch;
    // A client that breaks off is no failure of ours. The `close` event reports it.
    response.on('error', ignore);
  }

  send(status: number, body?: JsonPieces, headers?: HeaderFields): void {
    const response = this.#response;
    if (this.#sent) return;
    // Too late for an answer: a stream that failed is cut off.
    if (response.headersSent && !response.writableEnded) response.destroy();
    if (response.headersSent || response.destroyed) return;
    const type =
      body === undefined ? undefined : { 'Content-Type': 'application/json', 'Content-Length': lengthOf(body) };
    response.writeHead(status, headers === undefined ? type : { ...type, ...headers });
    if (status >= 400 && isLong(response)) linger(response, body);
    else if (this.#batch === undefined) end(response, body, stallMs);
    else this.#batch.add(response, body);
    this.#sent = true;
  }

  stream(headers?: HeaderFields): EventWriter {
    const response = this.#response;
    let framed = false;
    if (!response.headersSent) {
      // A header that a layer in front set for a complete answer does not apply to a stream.
      response.removeHeader('Content-Length');
      response.writeHead(200, headers === undefined ? eventStreamHeaders : { ...eventStreamHeaders, ...headers });
      response.flushHeaders();
      framed = isPlain(response);
    }
    if (this.#batch !== undefined) forgetHead(response.req);
    return new NodeEventWriter(response, framed, this.#batch?.stallMs ?? stallMs);
  }

  destroy(): void {
    this.#response.destroy();
  }

  setHeader(name: string, value: string): void {
    if (!this.#response.headersSent) this.#response.setHeader(name, value);
  }

  get closed(): boolean {
    const { destroyed, req, socket } = this.#response;
    return destroyed || (socket === null && req.socket.destroyed);
  }

  onClose(run: () => void): void {
    const response = this.#response;
    if (this.closed) run();
    else if (response.socket === null) hearInQueue(response, run);
    // It comes once; `once` would keep a wrapper as well.
    else response.on('close', run);
  }
}

/** Queues of those that wait for the end of a connection: any number of pipelined requests, behind one listener. */
const queues = new WeakMap<Socket, Queue>();

interface Queue {
  readonly waiting: Set<() => void>;
  readonly closed: () => void;
}

/**
 * For a response that waits for earlier ones on its connection: in Node 20 it gets no event when the connection ended.
 */
function hearInQueue(response: ServerResponse, run: () => void): void {
  const { socket } = response.req;
  const { waiting, closed } = queueOf(socket);
  const close = (): void => {
    waiting.delete(close);
    response.off('close', close);
    if (waiting.size === 0) {
      queues.delete(socket);
      socket.off('close', closed);
    }
    run();
  };
  waiting.add(close);
  response.on('close', close);
}

function queueOf(socket: Socket): Queue {
  const known = queues.get(socket);
  if (known !== undefined) return known;
  const waiting = new Set<() => void>();
  const queue: Queue = {
    waiting,
    closed: () => {
      for (const close of waiting) close();
    },
  };
  queues.set(socket, queue);
  socket.on('close', queue.closed);
  return queue;
}

function ignore(): void {}

const noFields: string[] = [];
const noHeaders: IncomingHttpHeaders = {};

/** The head of a request is not needed after its stream has begun, and there may be many long streams. */
function forgetHead(request: IncomingMessage): void {
  request.rawHeaders = noFields;
  request.headers = noHeaders;
}

function lengthOf(body: JsonPieces): number {
  return typeof body === 'string' ? Buffer.byteLength(body) : Buffer.byteLength(body[0]) + body[1].byteLength;
}

/**
 * Tells whether written data goes out in unchanged chunks: no layer in front changes it, for example by compression.
 */
function isPlain({ chunkedEncoding, write }: ServerResponse): boolean {
  return chunkedEncoding && write === OutgoingMessage.prototype.write;
}

class NodeEventWriter implements EventWriter {
  readonly #response: ServerResponse;
  readonly #framed: boolean;
  readonly #stallMs: number;

  /**
   * @param framed Whether chunks are framed here: a response writes each of them in four pieces.
   * @param stall Time for which a client may take nothing of what has ended, in milliseconds; 0 for no limit.
   */
  constructor(response: ServerResponse, framed: boolean, stall: number) {
    this.#response = response;
    this.#framed = framed;
    this.#stallMs = stall;
  }

  get buffered(): number {
    return this.#response.writableLength;
  }

  write(text: string): void {
    const response = this.#response;
    if (response.writableEnded || response.destroyed) return;
    const { socket } = response;
    // Without a socket it is not the turn of this response yet.
    if (!this.#framed || socket?.writable !== true) response.write(text);
    else if (text !== '') socket.write(`${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`);
  }

  end(text?: string): void {
    if (this.#response.writableEnded) return;
    this.#response.end(text);
    limitStall(this.#response, this.#stallMs);
  }

  destroy(): void {
    this.#response.destroy();
  }
}

/** Tells whether a body is still coming that is not worth keeping the connection for. */
function isLong({ req }: ServerResponse): boolean {
  if (req.complete) return false;
  const length = req.headers['content-length'];
  return length === undefined ? req.headers['transfer-encoding'] !== undefined : Number(length) > 65_536;
}

/**
 * Answers at once but keeps reading for a while: closing a connection on a client that is still sending would reset
 * it, and the client would never see the answer.
 */
function linger(response: ServerResponse, body: JsonPieces | undefined): void {
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
  for (const piece of typeof body === 'object' ? body : [body ?? '']) response.write(piece);
  req.on('data', discard);
  req.once('end', done);
  req.once('close', cancel);
  req.on('error', () => undefined);
  req.resume();
}
