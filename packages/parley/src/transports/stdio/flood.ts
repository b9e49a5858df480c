import type { Readable } from 'node:stream';
import { isObject } from '../../jsonrpc/message.ts';
import { soon } from '../../jsonrpc/timeout.ts';
import { ConnectionError } from '../../jsonrpc/transport.ts';

/** Bytes after which a stream waits for the next turn of the event loop. */
const turnBytes = 16 * 1024;

/** Limit of lines in a row that are no messages. */
const maxInvalidLines = 10_000;

/** Number of lines in a row that are no messages and are reported one by one. */
const reportedLines = 100;

/**
 * Reads a stream with at most one large chunk in each turn of the event loop. A peer that writes without end then does
 * not delay timers and other connections.
 *
 * @param mayResume False while the reader itself keeps the stream paused.
 * @returns Stops reading.
 */
export function readInTurns(
  input: Readable,
  read: (chunk: Uint8Array | string) => void,
  mayResume: () => boolean = () => true,
): () => void {
  const listener = (chunk: Uint8Array | string): void => {
    if (chunk.length >= turnBytes) {
      input.pause();
      soon(() => mayResume() && input.resume());
    }
    read(chunk);
  };
  input.on('data', listener);
  return () => void input.off('data', listener);
}

/** Counts the lines in a row that are no messages. */
export class InvalidLines {
  #count = 0;

  /** Counts a parsed line, which is a message or not. */
  parsed(value: unknown): void {
    const isMessage = Array.isArray(value) || (isObject(value) && ('method' in value || 'id' in value));
    this.#count = isMessage ? 0 : this.#count + 1;
  }

  /** Counts a line that is no message. */
  invalid(): void {
    this.#count++;
  }

  /** False if so many lines are invalid that one more is not worth a report. */
  get isReported(): boolean {
    return this.#count <= reportedLines;
  }

  get isFlood(): boolean {
    return this.#count >= maxInvalidLines;
  }
}

/** The end of a conversation with a peer that writes other text. */
export function floodError(peer: 'server' | 'client'): ConnectionError {
  const output = peer === 'server' ? 'its standard output' : 'the standard input of this server';
  return new ConnectionError(
    'invalid-message',
    `the ${peer} wrote ${maxInvalidLines} lines in a row that are no JSON-RPC messages; ${output} is for messages alone`,
  );
}
