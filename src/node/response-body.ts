import type { Readable } from 'node:stream';
import type { ByteStream, ByteStreamReader } from '../http/client-fetch.ts';

interface Chunk {
  readonly done: boolean;
  readonly value?: Uint8Array | undefined;
}

const end: Chunk = { done: true };

/** How much is taken in before anybody reads it; the rest waits in the network. */
const heldBytes = 64 * 1024;

/**
 * The body of a response, as its one reader gets it. It is taken in from the start, so that a body which nobody reads gives
 * its connection back when it is short.
 */
export class NodeBody implements ByteStream, ByteStreamReader {
  readonly #stream: Readable;
  readonly #over: () => void;
  #held: Uint8Array[] = [];
  #size = 0;
  #state: 'open' | 'ended' | 'failed' = 'open';
  #error: unknown;
  #reading: { resolve(chunk: Chunk): void; reject(error: unknown): void } | undefined;

  /** @param over Called once, when the body has ended or failed. */
  constructor(stream: Readable, over: () => void) {
    this.#stream = stream;
    this.#over = over;
    stream.on('data', (bytes: Buffer) => this.#take(bytes));
    stream.on('end', () => this.#finish('ended', undefined));
    stream.on('error', (error) => this.#finish('failed', error));
  }

  getReader(): ByteStreamReader {
    return this;
  }

  /** One after the other. */
  read(): Promise<Chunk> {
    const value = this.#held.shift();
    if (value !== undefined) {
      this.#size -= value.length;
      if (this.#size < heldBytes && this.#stream.isPaused()) this.#stream.resume();
      return Promise.resolve({ done: false, value });
    }
    if (this.#state === 'ended') return Promise.resolve(end);
    if (this.#state === 'failed') return Promise.reject(this.#error);
    return new Promise((resolve, reject) => (this.#reading = { resolve, reject }));
  }

  cancel(): Promise<void> {
    this.#held = [];
    if (this.#state === 'open') {
      this.#finish('ended', undefined);
      this.#stream.destroy();
    }
    return Promise.resolve();
  }

  /** Ends the body with an error, whatever has been taken in. */
  fail(error: unknown): void {
    this.#held = [];
    this.#finish('failed', error);
    this.#stream.destroy();
  }

  #take(bytes: Uint8Array): void {
    if (this.#state !== 'open') return;
    const reading = this.#reading;
    if (reading !== undefined) {
      this.#reading = undefined;
      return reading.resolve({ done: false, value: bytes });
    }
    this.#held.push(bytes);
    this.#size += bytes.length;
    if (this.#size >= heldBytes) this.#stream.pause();
  }

  #finish(state: 'ended' | 'failed', error: unknown): void {
    if (this.#state !== 'open') return;
    this.#state = state;
    this.#error = error;
    const reading = this.#reading;
    this.#reading = undefined;
    if (state === 'ended') reading?.resolve(end);
    else reading?.reject(error);
    this.#over();
  }
}
