import type { Readable, Writable } from 'node:stream';

/** What a command may touch of the process that it runs in. */
export interface Io {
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: Writable;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Aborted when the person wants the command to end. */
  readonly signal: AbortSignal;
}

/** A command: it gets the words after its name and gives the exit code. */
export type Command = (argv: readonly string[], io: Io) => Promise<number>;

/** The command line makes no sense; the exit code is 2. */
export class UsageError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'UsageError';
  }
}

/** Resolves when the signal is aborted. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** Makes the words of a server safe for a terminal: no escape sequence of theirs gets through. */
export function printable(text: string): string {
  // oxlint-disable-next-line no-control-regex -- control characters are what this is about
  return text.replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, '\ufffd');
}

/** A text without line breaks, so that nobody else's words begin a line of their own. */
export function onOneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}

/** What failed, on one line. */
export function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return printable(onOneLine(message));
}
