import type { EventLog, LoggedEvent } from '../store/events.ts';
import type { HttpSettings } from './options.ts';
import { randomText } from './session-rules.ts';
import type { EventStream, WrittenEvent } from './stream.ts';

/** Where a client lost a stream. */
export interface StreamPosition {
  readonly stream: string;
  /** The last event that arrived. */
  readonly number: number;
}

/** A stream that can be taken up: what was missed of it, and how to go on. */
export interface Resumption {
  /** The stream, or `undefined` when it was over before. */
  readonly stream: SessionStream | undefined;
  /** Sends what was missed on a connection, which then carries the stream on, or ends with it. */
  connect(connection: EventStream): void;
}

/** How the streams of a session behave. */
export interface SessionStreamOptions {
  readonly settings: HttpSettings;
  /** What keeps events, or `undefined` where the revision has no resumption: events have no ids then. */
  readonly log: EventLog | undefined;
  /** Whether every stream begins with an id to resume from. */
  readonly polling: boolean;
}

/** The event streams of one session, each with a name of its own that the ids of its events begin with. */
export class SessionStreams {
  readonly options: SessionStreamOptions;
  /** Random, so that an id of another session is never mistaken for one of this. */
  readonly #name: string = randomText(9);
  readonly #live = new Map<string, SessionStream>();
  #begun = 0;

  constructor(options: SessionStreamOptions) {
    this.options = options;
  }

  /** Makes a stream; it has no connection yet. */
  begin(): SessionStream {
    const name = `${this.#name}-${this.#begun++}`;
    const stream = new SessionStream(this.options, name, () => this.#live.delete(name));
    if (this.options.log !== undefined) this.#live.set(name, stream);
    return stream;
  }

  /**
   * Finds what a client missed.
   *
   * @returns `undefined` when the event is none of this session, or what followed it is no longer kept.
   */
  async resume(lastEventId: string): Promise<Resumption | undefined> {
    const position = positionOf(lastEventId);
    const { log } = this.options;
    if (position === undefined || log === undefined) return undefined;
    const stream = this.#live.get(position.stream);
    if (stream !== undefined) return stream.resume(position.number);
    const missed = await log.replayAfter(position.stream, position.number);
    if (missed === undefined) return undefined;
    return {
      stream,
      connect: (connection) => {
        connection.replay(written(position.stream, missed));
        connection.end();
      },
    };
  }

  /** Ends every stream and forgets what was kept. */
  end(): void {
    for (const stream of this.#live.values()) stream.end();
    void this.options.log?.clear();
  }
}

/**
 * One event stream of a session. Where the revision lets clients resume it outlives its connections: what is sent
 * without one is kept. (Spec 2025-11-25, Transports, Resumability and Redelivery.)
 */
export class SessionStream {
  readonly #options: SessionStreamOptions;
  readonly #name: string;
  readonly #onEnd: () => void;
  /** What was sent while somebody looks up what went before. */
  readonly #tails = new Set<LoggedEvent[]>();
  #connection: EventStream | undefined;
  #last = 0;
  #complete = false;

  constructor(options: SessionStreamOptions, name: string, onEnd: () => void) {
    this.#options = options;
    this.#name = name;
    this.#onEnd = onEnd;
  }

  /** Whether nothing can be sent any more. */
  get ended(): boolean {
    return this.#complete || (this.#options.log === undefined && !this.connected);
  }

  /** Whether somebody reads it now. */
  get connected(): boolean {
    return this.#connection?.ended === false;
  }

  /** Gives a new reader the stream from here on. */
  open(connection: EventStream): void {
    this.#connection = connection;
    if (!this.#options.polling) return;
    // Spec 2025-11-25, Transports: an event with an id and empty data primes the client to reconnect.
    const id = this.#keep('');
    connection.write(`${id === undefined ? '' : `id: ${id}\n`}retry: ${this.#options.settings.retryMs}\ndata:\n\n`);
  }

  /** Sends the JSON text of one message. */
  send(json: string): void {
    if (this.ended) return;
    const id = this.#keep(json);
    this.#connection?.send(json, id);
  }

  /** Ends the stream, after one last message if there is one. */
  end(json?: string): void {
    if (this.#complete) return;
    const id = json === undefined ? undefined : this.#keep(json);
    this.#complete = true;
    this.#connection?.end(json, id);
    this.#onEnd();
  }

  /** Ends the connection and not the stream: the client is asked to come back for the rest. */
  pause(retryMs: number): void {
    if (!this.#complete && this.#options.polling) this.#connection?.pause(retryMs);
  }

  /** Finds what followed an event. Whoever has it takes the place of the reader before, whose connection is dead. */
  async resume(number: number): Promise<Resumption | undefined> {
    if (number > this.#last) return undefined;
    const tail: LoggedEvent[] = [];
    this.#tails.add(tail);
    const missed = number === this.#last ? [] : await this.#options.log?.replayAfter(this.#name, number);
    if (missed === undefined) {
      this.#tails.delete(tail);
      return undefined;
    }
    const known = missed.at(-1)?.number ?? number;
    return {
      stream: this,
      connect: (connection) => {
        this.#tails.delete(tail);
        this.#connection?.end();
        this.#connection = connection;
        connection.replay(written(this.#name, [...missed, ...tail.filter((event) => event.number > known)]));
        if (this.#complete) connection.end();
      },
    };
  }

  /** Numbers an event and keeps it. */
  #keep(data: string): string | undefined {
    const { log, settings } = this.#options;
    if (log === undefined) return undefined;
    const event: LoggedEvent = { number: ++this.#last, data };
    for (const tail of this.#tails) tail.push(event);
    log
      .append(this.#name, event)
      ?.catch((cause: unknown) => settings.onError(new Error('an event could not be kept for replay', { cause })));
    return idOf(this.#name, event);
  }
}

function idOf(stream: string, { number }: LoggedEvent): string {
  return `${stream}:${number}`;
}

function positionOf(id: string): StreamPosition | undefined {
  const [, stream, number] = /^([0-9a-f]{1,64}-\d{1,15}):(\d{1,15})$/.exec(id) ?? [];
  return stream === undefined ? undefined : { stream, number: Number(number) };
}

/** An event without data only said where the stream was: nothing of it can be missed. */
function written(stream: string, events: readonly LoggedEvent[]): readonly WrittenEvent[] {
  return events.filter(({ data }) => data !== '').map((event) => ({ data: event.data, id: idOf(stream, event) }));
}
