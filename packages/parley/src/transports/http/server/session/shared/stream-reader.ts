import { after } from '../../../../../jsonrpc/timeout.ts';
import { McpError } from '../../../../../protocol/error.ts';
import type { Revision } from '../../../../../protocol/revision.ts';
import { StoreError } from '../../../../../storage/store.ts';
import type { StreamLog, StreamTail } from '../../../../../storage/stream-log.ts';
import type { HttpSettings } from '../../exchanges/options.ts';
import { errorBody } from '../../exchanges/status.ts';
import type { EventStream } from '../../exchanges/stream.ts';
import { written, type StreamPosition } from '../stream.ts';
import { requestAnswered } from './about-stream.ts';
import type { ProcessMailbox } from './process-mailbox.ts';
import type { LineReply } from './replica-messages.ts';

/**
 * Silences after which the writer of a stream is asked for a sign of life, in milliseconds. After the last one, it
 * counts as dead. The first is short, for a writer that never answered: it may have died just now, while the store
 * still counts it. A live writer sends a sign of life every 5 seconds.
 */
const silencesMs = [1_000, 6_000, 11_000, 15_000] as const;

/** Parts of reading a stream that another process writes. */
export interface StreamReaderParts {
  readonly session: string;
  readonly log: StreamLog;
  readonly mailbox: ProcessMailbox;
  readonly settings: HttpSettings;
  readonly revision: Revision | undefined;
}

/**
 * Reads a stream whose writer is another process, for a client that came back here. If that process is gone, so is its
 * request: the stream ends with an error. If the writer was only slow, its later events are fenced.
 */
export class StreamReader {
  readonly #parts: StreamReaderParts;
  readonly #connection: EventStream;
  readonly #stream: string;
  #last: number;
  #stopWaiting: (() => void) | undefined;
  #line = '';
  #closeLine: (() => void) | undefined;
  /** End of the queue of received replies, which are handled in order. */
  #turn: Promise<void> = Promise.resolve();
  #over = false;

  constructor(parts: StreamReaderParts, { stream, number }: StreamPosition, connection: EventStream) {
    this.#parts = parts;
    this.#stream = stream;
    this.#last = number;
    this.#connection = connection;
  }

  /** Reads on to the end. It never rejects. */
  async run(rest: StreamTail): Promise<void> {
    // If the stream is still running, its writer first confirms that it is stored. Events may have been sent without an
    // id.
    if (rest.complete) {
      this.#write(rest);
      return this.#end();
    }
    const { line, close } = this.#parts.mailbox.line((reply) => this.#hear(reply));
    this.#line = line;
    this.#closeLine = close;
    this.#wait(0);
    try {
      await this.#ask(false);
    } catch (cause) {
      this.#fail(cause);
    }
  }

  /** Asks the writer to notify this reader. If no process receives that, there is no writer. */
  async #ask(isAgain: boolean): Promise<void> {
    const { mailbox, session } = this.#parts;
    const [writer = ''] = this.#stream.split('-', 1);
    const reading = {
      kind: 'reading',
      session,
      stream: this.#stream,
      process: mailbox.name,
      line: this.#line,
    } as const;
    if (!(await mailbox.tell(writer, { ...reading, isAgain })) && !this.#over) this.#hear('not-here');
  }

  #hear(reply: LineReply): void {
    if (this.#connection.ended) return this.#end();
    if (reply === 'replaced') return this.#end();
    this.#wait();
    this.#turn = this.#turn.then(() => this.#goOn(reply)).catch((cause: unknown) => this.#fail(cause));
  }

  /** Waits for a reply of the writer. */
  #wait(at: number = 1, passedMs: number = 0): void {
    this.#stopWaiting?.();
    if (this.#over) return;
    const silenceMs = silencesMs[at] ?? 0;
    this.#stopWaiting = after(silenceMs - passedMs, () => {
      if (at === silencesMs.length - 1 || this.#connection.ended) return this.#hear('not-here');
      this.#wait(at + 1, silenceMs);
      // While the store is down, the writer's state is unknown. The last silence decides.
      this.#ask(true).catch(() => undefined);
    });
  }

  async #goOn(reply: LineReply): Promise<void> {
    if (this.#over) return;
    const { log } = this.#parts;
    const rest = await log.read(this.#stream, this.#last);
    if (rest === undefined) return this.#end();
    if (reply === 'not-kept') this.#last = rest.events.at(-1)?.number ?? this.#last;
    else this.#write(rest);
    if (rest.complete) this.#end();
    else if (reply === 'not-here' || reply === 'not-kept') await this.#takeOver(rest.about);
  }

  /** Ends the stream in place of a dead writer. */
  async #takeOver(about: string): Promise<void> {
    const { log, revision } = this.#parts;
    try {
      const writer = await log.write(this.#stream, about);
      const id = requestAnswered(about);
      await writer.append(id === undefined ? '' : errorBody(lost(), revision, id), true);
    } catch (cause) {
      // The writer ended it just now, or another reader does.
      if (!(cause instanceof StoreError && cause.reason === 'fenced')) throw cause;
    }
    await this.#goOn('written');
  }

  #write({ events }: StreamTail): void {
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

/** The error of a request whose outcome is unknown. */
function lost(): McpError {
  const why = 'the process that ran the request has ended, or could not store its answer';
  return new McpError('internalError', `${why}; its outcome is not known`);
}
