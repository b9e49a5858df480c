import type { ByteStream } from '../../../jsonrpc/fetch.ts';

/** Source of bytes. */
export interface ByteSource {
  pause(): void;
  resume(): void;
  /** Discards the rest of the data. Calling it late or twice is fine. */
  destroy(): void;
}

/** Receiver of bytes. */
export interface Sink {
  write(bytes: Uint8Array): void;
  end(): void;
  fail(error: unknown): void;
}

type ByteReader = ReturnType<ByteStream['getReader']>;

interface Chunk {
  readonly done: boolean;
  readonly value?: Uint8Array | undefined;
}

const end: Chunk = { done: true };

/** Amount that is taken in before anybody reads it; the rest waits in the network. */
const heldBytes = 64 * 1024;

/**
 * The body of a response, for its single reader. It is read from the start, so that a short body without a reader frees
 * its connection.
 */
export class NodeBody implements ByteStream, ByteReader, Sink {
  readonly #source: ByteSource;
  readonly #over: () => void;
  #held: Uint8Array[] = [];
  #size = 0;
  #paused = false;
  #state: 'open' | 'ended' | 'failed' = 'open';
  #error: unknown;
  #reading: { resolve(chunk: Chunk): void; reject(error: unknown): void } | undefined;

  /** @param over Called once, when the body has ended or failed. */
  constructor(source: ByteSource, over: () => void) {
    this.#source = source;
    this.#over = over;
  }

  getReader(): ByteReader {
    return this;
  }

  whole(): Uint8Array | undefined {
    if (this.#state !== 'ended' || this.#held.length !== 1) return undefined;
    return this.#held.pop();
  }

  /** One after the other. */
  read(): Promise<Chunk> {
    const value = this.#held.shift();
    if (value !== undefined) {
      this.#size -= value.length;
      if (this.#paused && this.#size < heldBytes) {
        this.#paused = false;
        this.#source.resume();
      }
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
      this.#source.destroy();
    }
    return Promise.resolve();
  }

  /** Ends the body with an error, whatever has been taken in. */
  abort(error: unknown): void {
    this.#held = [];
    this.#finish('failed', error);
    this.#source.destroy();
  }

  write(bytes: Uint8Array): void {
    if (this.#state !== 'open') return;
    const reading = this.#reading;
    if (reading !== undefined) {
      this.#reading = undefined;
      return reading.resolve({ done: false, value: bytes });
    }
    this.#held.push(bytes);
    this.#size += bytes.length;
    if (this.#size < heldBytes || this.#paused) return;
    this.#paused = true;
    this.#source.pause();
  }

  end(): void {
    this.#finish('ended', undefined);
  }

  /** Ends the body with an error, after what has been taken in. */
  fail(error: unknown): void {
    this.#finish('failed', error);
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
