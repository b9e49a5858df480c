import type { LongStream } from '../../exchanges/long-stream.ts';
import { after } from '../../../../../jsonrpc/timeout.ts';
import type { StreamLog, StreamWriter } from '../../../../../storage/stream-log.ts';
import type { HttpSettings } from '../../exchanges/options.ts';
import type { ReportRoom } from '../report-room.ts';
import { retryField, type EventStream } from '../../exchanges/stream.ts';
import { idOf, hasNoEvents, written, type Resumption } from '../stream.ts';
import { isFenced, StoredEvents } from './stored-events.ts';
import type { LineReply } from './replica-messages.ts';

/** Interval at which a reader in another process gets a sign of life from the writer, in milliseconds. */
export const aliveMs = 5_000;

/** Parts of a stream whose events are in the store. */
export interface SharedStreamParts {
  readonly name: string;
  readonly log: StreamLog;
  /** Text about the stream: the request that it answers. */
  readonly about: string;
  readonly polling: boolean;
  readonly settings: HttpSettings;
  /** Room for reports in the log. */
  readonly reports: ReportRoom;
  /** Takes room for an event, of so many characters, among those of its owner; there always is some by default. */
  readonly hasRoom?: (length: number) => boolean;
  /** The previous writer, if this process continues its stream. */
  readonly writer?: { readonly writer: StreamWriter; readonly last: number } | undefined;
  /** Called when it ended here: it is complete, or another process writes it. */
  onEnd(stream: SharedStream): void;
}

/** A reader of the stream in another process. */
export interface RemoteReader {
  /** Name of the reader's reply stream. */
  readonly line: string;
  /** Returns false if the reader is gone. */
  readonly tell: (reply: LineReply) => Promise<boolean>;
}

/**
 * A stream whose events are stored before they are sent, so that any process can continue it from the client's last
 * event. Its writer is here. Its reader is here, elsewhere or absent.
 */
export class SharedStream implements LongStream {
  readonly #parts: SharedStreamParts;
  readonly #events: StoredEvents;
  #connection: EventStream | undefined;
  #reader: RemoteReader | undefined;
  #stopBeat: (() => void) | undefined;
  /** The event that the connection had last. */
  #seen: number;
  /** End of the queue of events. Each one is sent once it is stored. */
  #tail: Promise<void> = Promise.resolve();
  /** Number of characters that wait to be stored. */
  #waiting = 0;
  #isKept = true;
  #complete = false;
  /** True once another process has it. */
  #isLeft = false;
  isTaken = false;
  /** Number of resume attempts, and the number of the current holder's attempt. */
  #asked = 0;
  #holder = 0;

  constructor(parts: SharedStreamParts) {
    this.#parts = parts;
    const { name, log, about, writer, settings } = parts;
    this.#events = new StoredEvents({ name, log, about, writer, now: settings.now });
    this.#seen = parts.writer?.last ?? 0;
  }

  get ended(): boolean {
    return this.#complete;
  }

  get connected(): boolean {
    return this.#connection?.ended === false;
  }

  /** False once an event could not be stored: the stream continues for its present reader, and cannot be resumed. */
  get isKept(): boolean {
    return this.#isKept;
  }

  /** Resolves when everything so far is stored and written. */
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
    // Clients ignore an event without data. For other processes it marks the end.
    this.#put(json ?? '', true, (number) => {
      this.#connection?.end(json, json === undefined ? undefined : this.#idOf(number));
    });
    void this.#tail.then(() => this.#over());
  }

  pause(retryMs: number): void {
    const connection = this.#connection;
    if (this.#complete || !this.#parts.polling) return;
    // A client without an event to resume from would be lost.
    void this.#tail.then(() => this.#isKept && connection?.pause(retryMs));
  }

  /** Releases the stream: another process writes it from now on. */
  leave(): void {
    if (this.#isLeft) return;
    this.#complete = this.#isLeft = true;
    this.#events.stop();
    this.#connection?.end();
    this.#over();
  }

  /** Finds the events after a position. The last reader to ask replaces the previous one, whose connection is dead. */
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
        // Events sent meanwhile are in the log before they would go to the connection.
        this.#tail = this.#tail.then(() => this.#replay(connection, number, place));
      },
      drop: () => undefined,
    };
  }

  /**
   * Gives the stream to a reader in another process, in place of the previous reader.
   *
   * @param isAgain True if it only asks for a sign of life: it was the reader before, and replaces no other.
   */
  readBy(reader: RemoteReader, isAgain: boolean): void {
    // Its client may have seen events that the log lacks, so the stream cannot be resumed.
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

  /** Stores an event, and then writes it. Events are stored and written in order. */
  #put(data: string, last: boolean, write: (number: number | undefined) => void): void {
    const kept = this.#append(data, last);
    this.#tail = this.#tail.then(async () => {
      const number = await kept;
      this.#waiting -= data.length;
      if (number === 'fenced') {
        this.isTaken = true;
        return this.leave();
      }
      // A reader that came meanwhile got it from the log.
      if (number !== undefined && number <= this.#seen) return;
      write(number);
      this.#seen = number ?? this.#seen;
      this.#tellReader('written');
    });
  }

  async #append(data: string, last: boolean): Promise<number | 'fenced' | undefined> {
    const { settings } = this.#parts;
    this.#waiting += data.length;
    if (this.#waiting > settings.maxStreamBufferBytes + data.length) this.#isKept = false;
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
      if (this.#isKept) settings.onError(new Error('an event could not be stored for replay', { cause }));
      this.#isKept = false;
      this.#tellReader('not-kept');
      return undefined;
    }
  }

  #beat(reader: RemoteReader): void {
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
