/** An answer as it reaches a client. */

/** Headers, whatever the case of their names. */
import type { FetchResponse } from '../../../packages/parley/src/jsonrpc/fetch.ts';
export function getter(headers: Readonly<Record<string, string>>): FetchResponse['headers'] {
  const lower = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  return { get: (name) => lower.get(name.toLowerCase()) ?? null };
}

/** The bytes of a text: a view of memory that short texts share, which is far cheaper than some for each. */
function bytesOf(text: string): Uint8Array {
  const { buffer, byteOffset, length } = Buffer.from(text);
  return new Uint8Array(buffer, byteOffset, length);
}

/** The bytes that reach a client. */
export class Incoming {
  readonly #pieces: Uint8Array[] = [];
  readonly #left: () => void;
  #done = false;
  #failure: Error | undefined;
  #wake = (): void => undefined;

  constructor(left: () => void) {
    this.#left = left;
  }

  add(text: string): void {
    this.#pieces.push(bytesOf(text));
    this.#wake();
  }

  finish(): void {
    this.#done = true;
    this.#wake();
  }

  fail(error: Error): void {
    this.#failure ??= error;
    this.#wake();
  }

  getReader(): { read(): Promise<{ done: boolean; value?: Uint8Array }>; cancel(): Promise<void> } {
    return {
      read: async () => {
        for (;;) {
          const value = this.#pieces.shift();
          if (value !== undefined) return { done: false, value };
          if (this.#failure !== undefined) throw this.#failure;
          if (this.#done) return { done: true };
          await new Promise<void>((resolve) => (this.#wake = resolve));
        }
      },
      cancel: async () => {
        if (!this.#done) this.#left();
      },
    };
  }
}
