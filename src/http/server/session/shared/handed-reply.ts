import type { JsonPieces } from '../../../../jsonrpc/encode.ts';
import { microtask } from '../../../../jsonrpc/timeout.ts';
import type { Body, EventWriter, HeaderFields, HttpReply, HttpRequest, Room } from '../../universal.ts';
import type { AnswerPart, HandedRequest } from './home-words.ts';

/** Way of one part of an answer to the process that waits for it; false when that is gone. */
export type SendPart = (number: number, part: AnswerPart) => Promise<boolean>;

/** The way to answer a request that came to another process. */
export class HandedReply implements HttpReply, EventWriter {
  /** Time at which the other process was heard of last. */
  heardAt: number;
  readonly #send: SendPart;
  readonly #ended: () => void;
  #headers: HeaderFields = {};
  #onClose: () => void = () => undefined;
  #parts = 0;
  #waiting = 0;
  #closed = false;

  /**
   * @param send Sends a part; what it cannot send ends the answer.
   * @param ended Hears that nothing more comes.
   */
  constructor(now: number, send: SendPart, ended: () => void) {
    this.heardAt = now;
    this.#send = send;
    this.#ended = ended;
  }

  /** Number of parts so far. */
  get parts(): number {
    return this.#parts;
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** Number of characters that the bus has not taken yet. */
  get buffered(): number {
    return this.#waiting;
  }

  setHeader(name: string, value: string): void {
    this.#headers = { ...this.#headers, [name]: value };
  }

  onClose(run: () => void): void {
    if (this.#closed) run();
    else this.#onClose = run;
  }

  send(status: number, body?: JsonPieces, headers: HeaderFields = {}): void {
    const text = typeof body === 'object' ? body[0] + new TextDecoder().decode(body[1]) : body;
    const sent = { kind: 'sent', status, headers: { ...this.#headers, ...headers } } as const;
    this.#last(text === undefined ? sent : { ...sent, text });
  }

  stream(headers: HeaderFields = {}): EventWriter {
    this.#tell({ kind: 'begun', headers: { ...this.#headers, ...headers } });
    return this;
  }

  write(text: string): void {
    this.#tell({ kind: 'written', text });
  }

  end(text?: string): void {
    this.#last(text === undefined ? { kind: 'ended' } : { kind: 'ended', text });
  }

  destroy(): void {
    this.#last({ kind: 'cut' });
  }

  /** Nobody waits for the answer any more. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#ended();
    this.#onClose();
  }

  /** As on a connection, that it is over is heard after the last part was sent. */
  #last(part: AnswerPart): void {
    this.#tell(part);
    microtask(() => this.close());
  }

  #tell(part: AnswerPart): void {
    if (this.#closed) return;
    const length = 'text' in part ? (part.text?.length ?? 0) : 0;
    this.#waiting += length;
    void this.#send(this.#parts++, part).then((isHeard) => {
      this.#waiting -= length;
      if (!isHeard) this.close();
    });
  }
}

/** A request that came to another process. Who sent it, and that it may be sent here, was found out there. */
export class RequestOfAnother implements HttpRequest {
  readonly method: string;
  readonly path: string;
  readonly query = '';
  readonly headerCount: number;
  readonly remoteAddress: string | undefined;
  readonly #headers: HeaderFields;
  readonly #text: string;

  constructor({ method, path, headers, address, text }: HandedRequest) {
    this.method = method;
    this.path = path;
    this.headerCount = Object.keys(headers).length;
    this.remoteAddress = address;
    this.#headers = headers;
    this.#text = text;
  }

  header(name: string): string | undefined {
    return Object.hasOwn(this.#headers, name) ? this.#headers[name] : undefined;
  }

  body(_limit: number, room?: Room): Body {
    // Its size was looked at where it arrived.
    return room?.take(this.#text.length) === false ? { kind: 'no-room' } : { kind: 'text', text: this.#text };
  }
}
