import { Readable } from 'node:stream';

/** Limit of what a client may write before it is served, in bytes; more waits in its pipe, and its end with it. */
const mostBytes = 1024 * 1024;

/** Input from before the client is served: it is stored, and its end is noticed meanwhile. */
export class EarlyInput {
  /** Resolves when the input ends before `handOver`. */
  readonly ended: Promise<void>;
  readonly #source: Readable;
  #chunks: Buffer[] = [];
  #bytes = 0;
  #isOver = false;
  #onEnd: () => void = () => undefined;

  constructor(source: Readable) {
    this.#source = source;
    this.ended = new Promise((resolve) => (this.#onEnd = resolve));
    source.on('data', this.#keep).on('end', this.#over).on('close', this.#over).on('error', this.#over);
  }

  /** Returns the input from its beginning, paused until other code reads and resumes it. */
  handOver(): Readable {
    const source = this.#source;
    source.off('data', this.#keep).off('end', this.#over).off('close', this.#over).off('error', this.#over);
    const early = Buffer.concat(this.#chunks);
    this.#chunks = [];
    if (this.#isOver) return Readable.from(early.length === 0 ? [] : [early]);
    source.pause();
    if (early.length > 0) source.unshift(early);
    return source;
  }

  readonly #keep = (chunk: Buffer | string): void => {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    this.#chunks.push(bytes);
    this.#bytes += bytes.length;
    if (this.#bytes >= mostBytes) this.#source.pause();
  };

  readonly #over = (): void => {
    this.#isOver = true;
    this.#onEnd();
  };
}
