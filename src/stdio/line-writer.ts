import type { Writable } from 'node:stream';

/** Writes text as lines and knows how much the reader has not taken yet. */
export interface LineWriter {
  /** Bytes that wait for the reader. */
  readonly pending: number;
  /** Writes one line; settles once the system has it, and rejects when the reader is gone. */
  write(text: string): Promise<void>;
  /** Settles when everything written so far has been taken or can no longer be. */
  flushed(): Promise<void>;
}

/**
 * @param write How the stream is written to, when that is not its present `write`: stdout has another one while it
 *   is guarded.
 */
export function lineWriter(stream: Writable, write: Writable['write'] = stream.write.bind(stream)): LineWriter {
  let last: Promise<void> = Promise.resolve();
  return {
    get pending() {
      return stream.writableLength;
    },
    write(text) {
      const written = new Promise<void>((resolve, reject) => {
        // JSON text has no newline outside strings and escapes it inside, so the line is one line.
        write(`${text}\n`, (error) => (error ? reject(error) : resolve()));
      });
      last = written.catch(() => {});
      return written;
    },
    flushed: () => last,
  };
}
