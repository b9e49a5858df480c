import { after } from '../../../../../jsonrpc/timeout.ts';
import type { StreamLog, StreamWriter } from '../../../../../storage/stream-log.ts';
import type { HttpSettings } from '../../options.ts';
import type { ReportRoom } from '../report-room.ts';
import { retryField, type EventStream } from '../../stream.ts';
import { idOf, hasNoEvents, written, type LastingStream, type Resumption } from '../stream.ts';
import { isFenced, KeptEvents } from './kept-events.ts';
import type { LineReply } from './words.ts';

/** Time after which somebody who reads a stream in another process hears that its writer lives, in milliseconds. */
export const aliveMs = 5_000;

/** Parts of a stream whose events the store keeps. */
export interface SharedStreamParts {
  readonly name: string;
  readonly log: StreamLog;
  /** Text about the stream: whose answer it is. */
  readonly about: string;
  readonly polling: boolean;
  readonly settings: HttpSettings;
  /** Room for reports in the log. */
  readonly reports: ReportRoom;
  /** Takes room for an event, of so many characters, among those of its owner; there always is some by default. */
  readonly hasRoom?: (length: number) => boolean;
  /** Somebody who wrote it before, where it goes on here. */
  readonly writer?: { readonly writer: StreamWriter; readonly last: number } | undefined;
  /** Hears that it ended here: complete, or another process writes it. */
  onEnd(stream: SharedStream): void;
}

/** Somebody who reads the stream in another process. */
export interface Reader {
  /** Name of the line on which it hears. */
  readonly line: string;
  /** Gives false when nobody is there any more. */
  readonly tell: (reply: LineReply) => Promise<boolean>;
}

/**
 * A stream whose events are kept in a store before they are sent, so that what a client has seen can be gone on from in any
 * process. Its writer is here; its reader is here, elsewhere or nowhere.
 */
export class SharedStream implements LastingStream {
  readonly #parts: SharedStreamParts;
  readonly #events: KeptEvents;
  #connection: EventStream | undefined;
  #reader: Reader | undefined;
  #stopBeat: (() => void) | undefined;
  /** The event that the connection had last. */
  #seen: number;
  /** End of what is sent, in order: each event once it is kept. */
  #tail: Promise<void> = Promise.resolve();
  /** Number of characters that wait to be kept. */
  #waiting = 0;
  #isKept = true;
  #complete = false;
  /** True once another process has it. */
  #isLeft = false;
  isTaken = false;
  /** Number of times that somebody asked to take it up, and the time that its holder did. */
  #asked = 0;
  #holder = 0;

  constructor(parts: SharedStreamParts) {
    this.#parts = parts;
    const { name, log, about, writer, settings } = parts;
    this.#events = new KeptEvents({ name, log, about, writer, now: settings.now });
    this.#seen = parts.writer?.last ?? 0;
  }

  get ended(): boolean {
    return this.#complete;
  }

  get connected(): boolean {
    return this.#connection?.ended === false;
  }

  /** False once an event could not be kept: the stream goes on for who reads it now, and cannot be resumed. */
  get isKept(): boolean {
    return this.#isKept;
  }

  /** Resolves when everything that was sent so far is kept and written. */
  get flushed(): Promise<void> {
    return this.#tail;
  }

  get primes(): boolean {
    return this.#parts.polling;
  }

  open(connection: EventStream): void {
    this.#connection = connection;
    if (!this.primes) return;
    const { settings, name } = this.#parts;
    // Spec 2025-11-25, Transports: an event with an id and empty data primes the client to reconnect.
    this.#put('', false, (number) => {
      const id = number === undefined ? '' : `id: ${idOf(name, { number })}\n`;
      connection.write(`${id}${retryField(settings.retryMs)}data:\n\n`);
    });
  }

  /** Gives a reader the stream that was written elsewhere before, from here on. */
  carryOn(connection: EventStream): void {
    this.#connection = connection;
  }

  send(json: string): void {
    if (this.#complete) return;
    if (this.#parts.reports.take(json))
      this.#put(json, false, (number) => this.#connection?.send(json, this.#idOf(number)));
    else if (this.connected) this.#tail = this.#tail.then(() => this.#connection?.send(json));
  }

  end(json?: string): void {
    if (this.#complete) return;
    this.#complete = true;
    // An event without data is none to clients, and says to other processes that nothing follows.
    this.#put(json ?? '', true, (number) => {
      this.#connection?.end(json, json === undefined ? undefined : this.#idOf(number));
    });
    void this.#tail.then(() => this.#over());
  }

  pause(retryMs: number): void {
    const connection = this.#connection;
    if (this.#complete || !this.#parts.polling) return;
    // Who has nothing to come back for would be lost.
    void this.#tail.then(() => this.#isKept && connection?.pause(retryMs));
  }

  /** Lets go of it: another process writes it from now on. */
  leave(): void {
    if (this.#isLeft) return;
    this.#complete = this.#isLeft = true;
    this.#events.stop();
    this.#connection?.end();
    this.#over();
  }

  /** Finds what followed an event. Whoever asks last takes the place of the reader before, whose connection is dead. */
  async resume(number: number): Promise<Resumption | undefined> {
    const place = ++this.#asked;
    const { log, name } = this.#parts;
    await this.#tail;
    const missed = this.#isKept ? await log.read(name, number) : undefined;
    if (missed === undefined) return undefined;
    return {
      stream: this,
      isOver: missed.complete && hasNoEvents(missed.events),
      connect: (connection) => {
        if (place < this.#holder || this.#isLeft) return connection.end();
        this.#holder = place;
        this.#replaceReader();
        // What is sent meanwhile is in the log before it would be sent on the connection.
        this.#tail = this.#tail.then(() => this.#replay(connection, number, place));
      },
      drop: () => undefined,
    };
  }

  /**
   * Lets somebody in another process read it, in the place of who read it before.
   *
   * @param isAgain Choice whether it only asks for a sign of life: it read before, and takes nobody's place.
   */
  readBy(reader: Reader, isAgain: boolean): void {
    // Its client has seen what the log may have or not: nobody can go on from there.
    if (!this.#isKept) return void reader.tell('not-kept');
    if (isAgain && this.#reader?.line === reader.line) return this.#tellReader('written');
    if (isAgain && (this.#reader !== undefined || this.connected)) return void reader.tell('replaced');
    this.#holder = ++this.#asked;
    this.#replaceReader();
    this.#reader = reader;
    this.#beat(reader);
  }

  async #replay(connection: EventStream, number: number, place: number): Promise<void> {
    const { log, name } = this.#parts;
    const missed = await Promise.resolve(log.read(name, number)).catch(() => undefined);
    // Another reader may have it by now, here or in another process: the client of this one comes back.
    if (missed === undefined || place !== this.#holder || this.#isLeft) return connection.end();
    connection.replay(written(name, missed.events));
    this.#seen = number + missed.events.length;
    if (missed.complete) return connection.end();
    this.#connection = connection;
  }

  #replaceReader(): void {
    this.#connection?.end();
    this.#connection = undefined;
    this.#tellReader('replaced');
    this.#reader = undefined;
    this.#stopBeat?.();
  }

  /** Keeps an event, and then writes it; those that are kept in order are written in order. */
  #put(data: string, last: boolean, write: (number: number | undefined) => void): void {
    const kept = this.#append(data, last);
    this.#tail = this.#tail.then(async () => {
      const number = await kept;
      this.#waiting -= data.length;
      if (number === 'fenced') {
        this.isTaken = true;
        return this.leave();
      }
      // Who came meanwhile had it from the log.
      if (number !== undefined && number <= this.#seen) return;
      write(number);
      this.#seen = number ?? this.#seen;
      this.#tellReader('written');
    });
  }

  async #append(data: string, last: boolean): Promise<number | 'fenced' | undefined> {
    const { settings } = this.#parts;
    this.#waiting += data.length;
    if (this.#waiting > settings.maxStreamBuffer + data.length) this.#isKept = false;
    if (this.#isKept && this.#parts.hasRoom?.(data.length) === false) {
      this.#isKept = false;
      settings.onError(new Error('a stream cannot be resumed: its owner keeps too many events in the store'));
      this.#tellReader('not-kept');
    }
    if (!this.#isKept) return undefined;
    try {
      return await this.#events.append(data, last);
    } catch (cause) {
      if (isFenced(cause)) return 'fenced';
      if (this.#isKept) settings.onError(new Error('an event could not be kept for replay', { cause }));
      this.#isKept = false;
      this.#tellReader('not-kept');
      return undefined;
    }
  }

  #beat(reader: Reader): void {
    this.#tellReader('written');
    this.#stopBeat?.();
    this.#stopBeat = after(aliveMs, () => {
      if (this.#reader === reader) this.#beat(reader);
    });
  }

  #tellReader(reply: LineReply): void {
    const reader = this.#reader;
    if (reader === undefined) return;
    void reader.tell(reply).then((isThere) => {
      if (!isThere && this.#reader === reader) this.#reader = undefined;
    });
  }

  #idOf(number: number | undefined): string | undefined {
    return number === undefined ? undefined : idOf(this.#parts.name, { number });
  }

  #over(): void {
    this.#stopBeat?.();
    this.#parts.onEnd(this);
  }
}
