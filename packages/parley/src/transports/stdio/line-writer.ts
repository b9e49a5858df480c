import type { Writable } from 'node:stream';
import type { Message } from '../../jsonrpc/message.ts';
import { messageText } from '../../jsonrpc/encode.ts';
import { ConnectionError } from '../../jsonrpc/transport.ts';

/** Called when the system has a line, or with the reason why it never will. */
export type LineTaken = (error: Error | null | undefined) => void;

/** Writes text as lines, in order, and knows how much the reader has not taken yet. */
export interface LineWriter {
  /** Bytes that wait for the reader. */
  readonly pending: number;
  /** Writes one line now. */
  write(text: string, taken?: LineTaken): void;
  /**
   * Writes one line at the end of this turn of the event loop, together with other lines of the turn: a write costs far
   * more than a line. Collected lines are written when the process exits, too.
   */
  collect(text: string, taken?: LineTaken): void;
  /** Runs a function, and writes the lines that it collects in one write right after it. */
  together(run: () => void): void;
  /** Writes the collected lines. Settles when all lines so far have been accepted or failed. */
  flushed(): Promise<void>;
}

/** Parts of a conversation with a server that its sending needs. */
export interface SendingSide {
  /** Limit of the bytes that may wait for the server. */
  readonly maxPending: number;
  /** Reason why nothing can be sent any more, if so. */
  ended(): ConnectionError | undefined;
}

/**
 * Sends one message to a server as a line. Settles when the system has it.
 *
 * @throws ConnectionError `too-large` if too much is waiting already, `closed` or the end of the conversation if it was
 * never sent.
 */
export async function sendLine(
  writer: LineWriter,
  message: Message | readonly Message[],
  { maxPending, ended }: SendingSide,
): Promise<void> {
  if (writer.pending > maxPending)
    throw new ConnectionError('too-large', `the server has not read ${writer.pending} bytes`);
  const text = messageText(message);
  await new Promise<void>((resolve, reject) => {
    writer.collect(text, (cause) => {
      if (!cause) resolve();
      else reject(ended() ?? new ConnectionError('closed', 'the server closed its input', { cause }));
    });
  });
}

/** Number of characters above which the collected lines are written at once. */
const most = 65_536;

/**
 * Makes the writer of a stream. The opener of the stream ends it. Lines go through the stream's current `write`: stdout
 * has another one while it is guarded.
 *
 * @param written Called after each write, so that the sender can pause when the reader stalls.
 */
export function lineWriter(stream: Writable, written: () => void = () => {}): LineWriter {
  return new NodeStreamWriter(stream, written);
}

class NodeStreamWriter implements LineWriter {
  readonly #stream: Writable;
  readonly #write: Writable['write'];
  readonly #written: () => void;
  #lines = '';
  #listeners: LineTaken[] = [];
  #underWay = 0;
  #together = false;
  #waiting: (() => void)[] = [];

  constructor(stream: Writable, written: () => void) {
    this.#stream = stream;
    this.#write = stream.write.bind(stream);
    this.#written = written;
  }

  get pending(): number {
    return this.#stream.writableLength + this.#lines.length;
  }

  write(text: string, taken?: LineTaken): void {
    this.#add(text, taken);
    this.#flush();
  }

  collect(text: string, taken?: LineTaken): void {
    if (this.#lines === '') {
      flushAtExit(this.#flush);
      // All handlers of already settled promises have run when the next tick begins.
      if (!this.#together) process.nextTick(this.#flush);
    }
    this.#add(text, taken);
    if (this.#lines.length >= most) this.#flush();
  }

  together(run: () => void): void {
    this.#together = true;
    try {
      run();
    } finally {
      this.#together = false;
      this.#flush();
    }
  }

  flushed(): Promise<void> {
    this.#flush();
    return this.#underWay === 0 ? Promise.resolve() : new Promise((resolve) => void this.#waiting.push(resolve));
  }

  #add(text: string, taken: LineTaken | undefined): void {
    // JSON text has no newline outside of strings and escapes those inside, so this is one line.
    this.#lines += `${text}\n`;
    if (taken !== undefined) this.#listeners.push(taken);
  }

  readonly #flush = (): void => {
    collecting.delete(this.#flush);
    if (this.#lines === '') return;
    const [text, listeners] = [this.#lines, this.#listeners];
    this.#lines = '';
    this.#listeners = [];
    this.#underWay++;
    this.#write(text, listeners.length === 0 ? this.#taken : (error) => this.#tell(listeners, error));
    this.#written();
  };

  #tell(listeners: readonly LineTaken[], error: Error | null | undefined): void {
    for (const taken of listeners) taken(error);
    this.#taken();
  }

  readonly #taken = (): void => {
    if (--this.#underWay > 0) return;
    for (const settle of this.#waiting) settle();
    this.#waiting = [];
  };
}

/** Functions that write the lines that are collected now. */
const collecting = new Set<() => void>();

let listens = false;

/** One listener serves all writers, as long as the process lives. */
function flushAtExit(flush: () => void): void {
  collecting.add(flush);
  if (listens) return;
  listens = true;
  process.on('exit', flushAllLines);
}

function flushAllLines(): void {
  for (const flush of collecting) flush();
}
