import { createInterface, type Interface } from 'node:readline';
import type { Readable } from 'node:stream';

/** Lines that a person types, as long as they are asked for. */
export class TypedLines {
  readonly #input: Readable;
  #reader: Interface | undefined;
  #kept: string[] = [];
  #isOver = false;
  #hear: (() => void) | undefined;

  constructor(input: Readable) {
    this.#input = input;
  }

  /** Drops lines that were typed before any question. */
  begin(): void {
    this.#kept = [];
    if (this.#reader !== undefined || this.#isOver) return;
    this.#reader = createInterface({ input: this.#input, terminal: false });
    this.#reader.on('line', (line) => {
      this.#kept.push(line);
      this.#hear?.();
    });
    this.#reader.on('close', () => {
      this.#isOver = true;
      this.#hear?.();
    });
  }

  /** Gives the next line, or `undefined` at the end of the input; rejects when the signal is aborted. */
  async next(signal: AbortSignal): Promise<string | undefined> {
    for (;;) {
      signal.throwIfAborted();
      const line = this.#kept.shift();
      if (line !== undefined || this.#isOver) return line;
      await new Promise<void>((resolve) => {
        this.#hear = resolve;
        signal.addEventListener('abort', () => resolve(), { once: true });
      });
    }
  }

  /** Reads no more. */
  close(): void {
    this.#reader?.close();
  }
}
