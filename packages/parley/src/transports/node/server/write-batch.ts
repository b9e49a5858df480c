import type { ServerResponse } from 'node:http';
import type { JsonPieces } from '../../../jsonrpc/encode.ts';
import { limitStall } from './stalled.ts';

/** Limit of answers that wait for the end of a turn. */
const most = 64;

/**
 * The answers that are ready in one turn of the event loop. They are sent together at its end.
 *
 * A write wakes the reading process, which costs more than the write. A reader that finds several answers is woken
 * once. A single answer is sent right after the turn in which its request was read.
 */
export class WriteBatch {
  /** Time for which a client may take nothing of its answer, in milliseconds; 0 for no limit. */
  readonly stallMs: number;
  #waiting: Answered[] = [];

  constructor(stallMs: number) {
    this.stallMs = stallMs;
  }

  /** Adds a response whose head is written, to end it. */
  add(response: ServerResponse, body: JsonPieces | undefined): void {
    if (this.#waiting.length === 0) setImmediate(this.#flush);
    this.#waiting.push({ response, body });
    if (this.#waiting.length >= most) this.#flush();
  }

  readonly #flush = (): void => {
    const ready = this.#waiting;
    this.#waiting = [];
    for (const { response, body } of ready) end(response, body, this.stallMs);
  };
}

/** Ends a response with its body. The pieces of one answer are sent together, since they are written in one turn. */
export function end(response: ServerResponse, body: JsonPieces | undefined, stallMs: number): void {
  if (typeof body === 'object') response.write(body[0]);
  response.end(typeof body === 'object' ? body[1] : body);
  limitStall(response, stallMs);
}

interface Answered {
  readonly response: ServerResponse;
  readonly body: JsonPieces | undefined;
}
