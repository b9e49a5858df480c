import { after } from '../../../../jsonrpc/timeout.ts';
import { McpError } from '../../../../protocol/error.ts';
import type { Revision } from '../../../../protocol/revision.ts';
import { StoreError } from '../../../../store/store.ts';
import type { StreamLog, StreamRest } from '../../../../store/stream-log.ts';
import type { HttpSettings } from '../../options.ts';
import { errorBody } from '../../status.ts';
import type { EventStream } from '../../stream.ts';
import { written, type StreamPosition } from '../stream.ts';
import { requestsAnswered, isResponseTo } from './about-stream.ts';
import type { Inbox } from './inbox.ts';
import type { LineReply } from './words.ts';

/** Silence after which the writer of a stream is taken for dead, in milliseconds. */
const silenceMs = 15_000;

/** Parts of reading a stream that another process writes. */
export interface StreamReaderParts {
  readonly session: string;
  readonly log: StreamLog;
  readonly inbox: Inbox;
  readonly settings: HttpSettings;
  readonly revision: Revision | undefined;
}

/**
 * Reads a stream whose writer is another process, for a client that came back here. Where that process is gone nobody runs
 * the request any more: the stream ends with an error, and what a writer that was only slow still has to say is fenced.
 */
export class StreamReader {
  readonly #parts: StreamReaderParts;
  readonly #connection: EventStream;
  readonly #stream: string;
  #last: number;
  #stopWaiting: (() => void) | undefined;
  #closeLine: (() => void) | undefined;
  /** End of what was heard, which is dealt with one after the other. */
  #turn: Promise<void> = Promise.resolve();
  #over = false;

  constructor(parts: StreamReaderParts, { stream, number }: StreamPosition, connection: EventStream) {
    this.#parts = parts;
    this.#stream = stream;
    this.#last = number;
    this.#connection = connection;
  }

  /** Reads on to the end. It never rejects. */
  async run(rest: StreamRest): Promise<void> {
    const { inbox, session } = this.#parts;
    this.#write(rest);
    const { line, close } = inbox.line((reply) => this.#hear(reply));
    this.#closeLine = close;
    this.#wait();
    const [writer = ''] = this.#stream.split('-', 1);
    const reading = { kind: 'reading', session, stream: this.#stream, process: inbox.name, line } as const;
    try {
      if (!(await inbox.tell(writer, reading))) this.#hear('not-here');
    } catch (cause) {
      this.#fail(cause);
    }
  }

  #hear(reply: LineReply): void {
    if (this.#connection.ended) return this.#end();
    if (reply === 'replaced') return this.#end();
    this.#wait();
    this.#turn = this.#turn.then(() => this.#goOn(reply === 'not-here')).catch((cause: unknown) => this.#fail(cause));
  }

  #wait(): void {
    this.#stopWaiting?.();
    if (!this.#over) this.#stopWaiting = after(silenceMs, () => this.#hear('not-here'));
  }

  async #goOn(isOrphan: boolean): Promise<void> {
    if (this.#over) return;
    const { log } = this.#parts;
    const rest = await log.read(this.#stream, this.#last);
    if (rest === undefined) return this.#end();
    this.#write(rest);
    if (rest.complete) this.#end();
    else if (isOrphan) await this.#takeOver(rest.about);
  }

  /** Ends the stream in the place of a writer that is gone. */
  async #takeOver(about: string): Promise<void> {
    const { log, revision } = this.#parts;
    try {
      const writer = await log.write(this.#stream, about);
      const answered = await log.read(this.#stream, 0);
      const open = (requestsAnswered(about) ?? []).filter(
        (id) => answered?.events.some(({ data }) => isResponseTo(data, id)) !== true,
      );
      const error = new McpError('internalError', 'the process that ran the request is gone; its outcome is not known');
      const texts = open.map((id) => errorBody(error, revision, id));
      for (const [at, text] of texts.entries()) await writer.append(text, at === texts.length - 1);
      if (texts.length === 0) await writer.append('', true);
    } catch (cause) {
      // The writer ended it just now, or another reader does.
      if (!(cause instanceof StoreError && cause.reason === 'fenced')) throw cause;
    }
    await this.#goOn(false);
  }

  #write({ events }: StreamRest): void {
    if (events.length === 0) return;
    this.#connection.replay(written(this.#stream, events));
    this.#last = events.at(-1)?.number ?? this.#last;
  }

  #fail(cause: unknown): void {
    if (!this.#over) this.#parts.settings.onError(new Error('a stream could not be read any more', { cause }));
    this.#end();
  }

  /** Ends the connection: a client that misses something comes back for it. */
  #end(): void {
    this.#over = true;
    this.#stopWaiting?.();
    this.#closeLine?.();
    this.#connection.end();
  }
}
