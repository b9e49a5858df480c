import { StoreError } from '../store.ts';
import type { StreamLog, StreamLogs, StreamTail, StreamWriter } from '../stream-log.ts';

/** Bounds of the events in memory. */
export interface MemoryStreamsBounds {
  /** Limit of one session. */
  readonly maxEvents: number;
  readonly maxSessionLength: number;
  /** Of all together. */
  readonly maxLength: number;
  /** Lifetime of a stream after its last write, in milliseconds. */
  readonly maxAgeMs: number;
  now(): number;
}

/** The longest text about a stream, in characters. */
const maxAboutLength = 65_536;
/** The most streams of all sessions, with events or without. */
const maxStreams = 100_000;

interface Stream {
  readonly session: Session;
  readonly name: string;
  readonly about: string;
  /** The events that are left, the newest of which is number `last`. */
  readonly events: string[];
  last: number;
  complete: boolean;
  writer: Writer;
  /** Time at which it was last written. */
  at: number;
}

/** The only writer of a stream. */
interface Writer {
  /** Each writer has its own number, which it keeps if it continues by its mark. */
  readonly number: number;
  /** Counts how often it did. */
  readonly turn: number;
}

/** Streams of one session, those first that were not written for the longest. */
interface Session {
  readonly name: string;
  readonly streams: Map<string, Stream>;
  events: number;
  length: number;
  /** True once it was cleared. */
  over: boolean;
}

/** The streams of all sessions of this process. */
export class MemoryStreams implements StreamLogs {
  readonly #bounds: MemoryStreamsBounds;
  readonly #sessions = new Map<string, Session>();
  /** All streams, those first that were not written for the longest. */
  readonly #streams = new Set<Stream>();
  #length = 0;
  #writers = 0;

  constructor(bounds: MemoryStreamsBounds) {
    this.#bounds = bounds;
  }

  open(session: string): StreamLog {
    return {
      write: (stream, about, mark) => this.#write(session, { name: stream, about }, mark),
      read: (stream, after) => this.#read(session, stream, after),
      clear: () => this.#clear(session),
    };
  }

  #write(sessionName: string, { name, about }: Pick<Stream, 'name' | 'about'>, mark: string | undefined): StreamWriter {
    if (about.length > maxAboutLength)
      throw new StoreError('too-large', `the description of a stream has up to ${maxAboutLength} characters`);
    this.#expire();
    const known = this.#sessions.get(sessionName)?.streams.get(name);
    if (known?.complete === true) throw fenced();
    const writer = mark === undefined ? { number: ++this.#writers, turn: 0 } : nextOf(mark);
    if (mark !== undefined && known !== undefined && !isBefore(known.writer, writer)) throw fenced();
    if (known !== undefined) known.writer = writer;
    let stream = known ?? this.#begin(sessionName, { name, about, writer, last: lastOf(mark) });
    this.#touch(stream);
    let { last } = stream;
    return {
      get mark() {
        return `${writer.number} ${writer.turn} ${last}`;
      },
      append: (data, isLast = false) => {
        this.#expire();
        if (stream.session.over) throw fenced();
        // The writer of a dropped stream continues at its number, unless another writer did.
        stream = this.#sessions.get(sessionName)?.streams.get(name) ?? this.#begin(sessionName, { ...stream, writer });
        if (!isSame(stream.writer, writer) || stream.complete) throw fenced();
        stream.complete = isLast;
        this.#append(stream, data);
        return (last = stream.last);
      },
    };
  }

  #begin(
    sessionName: string,
    { name, about, writer, last }: Pick<Stream, 'name' | 'about' | 'writer' | 'last'>,
  ): Stream {
    const session = this.#sessions.get(sessionName) ?? begun(sessionName);
    this.#sessions.set(sessionName, session);
    const stream: Stream = { session, name, about, events: [], last, complete: false, writer, at: 0 };
    this.#touch(stream);
    this.#grow(stream, about.length);
    return stream;
  }

  #append(stream: Stream, data: string): void {
    const { session } = stream;
    stream.last++;
    stream.events.push(data);
    session.events++;
    this.#touch(stream);
    this.#grow(stream, data.length);
  }

  #read(session: string, name: string, after: number): StreamTail | undefined {
    this.#expire();
    const stream = this.#sessions.get(session)?.streams.get(name);
    if (stream === undefined) return undefined;
    const missed = stream.last - after;
    if (missed < 0 || missed > stream.events.length) return undefined;
    const from = stream.events.length - missed;
    const events = stream.events.slice(from).map((data, at) => ({ number: after + 1 + at, data }));
    return { events, complete: stream.complete, about: stream.about };
  }

  #clear(name: string): void {
    const session = this.#sessions.get(name);
    if (session === undefined) return;
    session.over = true;
    for (const stream of session.streams.values()) this.#forget(stream);
  }

  /**
   * Counts more of a stream, and drops events beyond a limit, first those of streams that were not written for the
   * longest.
   */
  #grow(stream: Stream, length: number): void {
    const { session } = stream;
    const { maxEvents, maxSessionLength, maxLength } = this.#bounds;
    this.#length += length;
    session.length += length;
    const isSessionOver = (): boolean =>
      session.events > maxEvents || session.length > maxSessionLength || session.streams.size > maxEvents + 1;
    if (isSessionOver()) this.#cut(session.streams.values(), isSessionOver, stream);
    const isOver = (): boolean => this.#length > maxLength || this.#streams.size > maxStreams;
    if (isOver()) this.#cut(this.#streams, isOver, stream);
  }

  /** Drops events, and streams without events, while a limit is exceeded. The stream `current` itself stays. */
  #cut(streams: Iterable<Stream>, isTooMuch: () => boolean, current: Stream): void {
    for (const resting of streams) {
      while (isTooMuch() && this.#shrink(resting));
      if (!isTooMuch()) return;
      if (resting !== current) this.#forget(resting);
    }
  }

  /** Drops the oldest event of a stream; false if there is none. */
  #shrink(stream: Stream): boolean {
    const oldest = stream.events.shift();
    if (oldest === undefined) return false;
    stream.session.events--;
    stream.session.length -= oldest.length;
    this.#length -= oldest.length;
    return true;
  }

  #touch(stream: Stream): void {
    const { session } = stream;
    stream.at = this.#bounds.now();
    this.#streams.delete(stream);
    this.#streams.add(stream);
    session.streams.delete(stream.name);
    session.streams.set(stream.name, stream);
  }

  #expire(): void {
    const since = this.#bounds.now() - this.#bounds.maxAgeMs;
    for (const resting of this.#streams) {
      if (resting.at > since) return;
      this.#forget(resting);
    }
  }

  #forget(stream: Stream): void {
    const { session } = stream;
    while (this.#shrink(stream));
    session.length -= stream.about.length;
    this.#length -= stream.about.length;
    this.#streams.delete(stream);
    session.streams.delete(stream.name);
    if (session.streams.size === 0 && this.#sessions.get(session.name) === session) this.#sessions.delete(session.name);
  }
}

function begun(name: string): Session {
  return { name, streams: new Map(), events: 0, length: 0, over: false };
}

/** A writer that continues by its mark. */
function nextOf(mark: string): Writer {
  const [number = 0, turn = 0] = mark.split(' ').map(Number);
  return { number, turn: turn + 1 };
}

/** Number of the last event that the writer with this mark knows to be stored. */
function lastOf(mark = ''): number {
  return Number(mark.split(' ')[2] ?? 0);
}

/** Tells whether a continuing writer is the current one, or was the last one. */
function isBefore({ number, turn }: Writer, next: Writer): boolean {
  return number === next.number && (turn === next.turn || turn + 1 === next.turn);
}

function isSame(one: Writer, other: Writer): boolean {
  return one.number === other.number && one.turn === other.turn;
}

function fenced(): StoreError {
  return new StoreError('fenced', 'the stream is complete, or another process writes it');
}
