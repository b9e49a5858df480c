import type { LongStream, StreamMaker } from '../exchanges/long-stream.ts';
import type { RequestId, ResponseMessage } from '../../../../jsonrpc/message.ts';
import type { EventLog } from '../../../../storage/events.ts';
import type { StoredEvent } from '../../../../storage/stream-log.ts';
import type { ReportRoom } from './report-room.ts';
import type { HttpSettings } from '../exchanges/options.ts';
import { retryField, type EventStream, type WrittenEvent } from '../exchanges/stream.ts';

/** Options of the streams of a session. */
export interface SessionStreamOptions {
  readonly settings: HttpSettings;
  /** Log that stores events; `undefined` if the revision has no resumption. Then events have no ids. */
  readonly log: EventLog | undefined;
  /** True when every stream begins with an id to resume from. */
  readonly polling: boolean;
  /** Room for reports in the log. */
  readonly reports: ReportRoom;
}

/** Position at which a client lost a stream. */
export interface StreamPosition {
  readonly stream: string;
  /** The last event that arrived. */
  readonly number: number;
}

/** The event streams of one session. */
export interface LongStreams {
  /** Tells whether streams that broke can be resumed, and whether every stream begins with an id to resume from. */
  readonly resumption: 'none' | 'event-ids' | 'polling';
  /** Makes the stream for messages that belong to no request. */
  begin(): LongStream;
  /** Maker of the stream of the answer to requests. */
  answering(requests: readonly RequestId[]): StreamMaker;
  /**
   * Finds the messages that a client missed.
   *
   * @returns `undefined` if the event does not belong to this session, or the following ones are no longer stored.
   */
  resume(lastEventId: string): Promise<Resumption | undefined>;
  /**
   * Ends every stream, and drops the events of this process.
   *
   * @param last Makes the response to a running request, if streams send it themselves.
   */
  end(last: (id: RequestId) => ResponseMessage): void;
}

/** A stream that can be resumed: its missed events, and how to continue. One of the two functions is called, once. */
export interface Resumption {
  /** The stream, or `undefined` when it was over before. */
  readonly stream: LongStream | undefined;
  /** True for the stream for what belongs to no request, when it was another process that had it before. */
  readonly isMoved?: boolean;
  /** True if the stream has ended and nothing of it was missed: a client that comes back is to stop. */
  readonly isOver?: boolean;
  /** Sends the missed events on a connection, which then carries the stream or ends with it. */
  connect(connection: EventStream): void;
  /** The client has gone. */
  drop(): void;
}

/**
 * One event stream of a session. If the revision supports resumption, it outlives its connections: messages without a
 * connection are stored. (Spec 2025-11-25, Transports, Resumability and Redelivery.)
 */
export class SessionStream implements LongStream {
  readonly #options: SessionStreamOptions;
  readonly #name: string;
  readonly #onEnd: (stream: SessionStream) => void;
  readonly #reports: ReportRoom;
  #connection: EventStream | undefined;
  #complete = false;
  /** Number of the last event. */
  #last = 0;

  /** @param onEnd Called when it ended. */
  constructor(options: SessionStreamOptions, name: string, onEnd: (stream: SessionStream) => void) {
    this.#reports = options.reports;
    this.#options = options;
    this.#name = name;
    this.#onEnd = onEnd;
  }

  /** Tells whether nothing can be sent any more. */
  get ended(): boolean {
    return this.#complete || (this.#options.log === undefined && !this.connected);
  }

  /** Tells whether a client reads it now. */
  get connected(): boolean {
    return this.#connection?.ended === false;
  }

  get primes(): boolean {
    return this.#options.polling;
  }

  /** Gives a new reader the stream from here on. */
  open(connection: EventStream): void {
    this.#connection = connection;
    if (!this.primes) return;
    // Spec 2025-11-25, Transports: an event with an id and empty data primes the client to reconnect.
    const id = this.#keep('');
    connection.write(`${id === undefined ? '' : `id: ${id}\n`}${retryField(this.#options.settings.retryMs)}data:\n\n`);
  }

  /** Sends the JSON text of one message. */
  send(json: string): void {
    if (this.ended) return;
    const id = this.#reports.take(json) ? this.#keep(json) : undefined;
    this.#connection?.send(json, id);
  }

  /** Ends the stream, after a final message if there is one. */
  end(json?: string): void {
    if (this.#complete) return;
    const id = json === undefined ? undefined : this.#keep(json);
    this.#complete = true;
    this.#connection?.end(json, id);
    this.#onEnd(this);
  }

  leave(): void {
    this.end();
  }

  /** Ends the connection and not the stream: the client is asked to come back for the rest. */
  pause(retryMs: number): void {
    if (!this.#complete && this.#options.polling) this.#connection?.pause(retryMs);
  }

  /** Finds the events after a position. The last reader to ask replaces the previous one, whose connection is dead. */
  resume(number: number): Resumption | undefined {
    if (this.#after(number) === undefined) return undefined;
    return {
      stream: this,
      connect: (connection) => {
        this.#connection?.end();
        this.#connection = connection;
        const missed = this.#after(number);
        // The log may have dropped it meanwhile. The client comes back and is refused.
        if (missed === undefined) return connection.end();
        connection.replay(written(this.#name, missed));
        if (this.#complete) connection.end();
      },
      drop: () => undefined,
    };
  }

  #after(number: number): readonly StoredEvent[] | undefined {
    return number === this.#last ? [] : this.#options.log?.replayAfter(this.#name, number);
  }

  /** Numbers an event and keeps it. */
  #keep(data: string): string | undefined {
    const { log } = this.#options;
    if (log === undefined) return undefined;
    const event = { number: ++this.#last, data };
    log.append(this.#name, event);
    return idOf(this.#name, event);
  }
}

/** The id of an event. */
export function idOf(stream: string, { number }: Pick<StoredEvent, 'number'>): string {
  return `${stream}:${number}`;
}

/** Reads the id of an event; `undefined` for a foreign one. */
export function positionOf(id: string): StreamPosition | undefined {
  const [, stream, number] = /^([0-9a-f]{1,64}-\d{1,15}):(\d{1,15})$/.exec(id) ?? [];
  return stream === undefined ? undefined : { stream, number: Number(number) };
}

/** Tells whether nothing of some events can be missed. */
export function hasNoEvents(events: readonly StoredEvent[]): boolean {
  return events.every(({ data }) => data === '');
}

/** An event without data only marked a position, so it is not repeated. */
export function written(stream: string, events: readonly StoredEvent[]): readonly WrittenEvent[] {
  return events.filter(({ data }) => data !== '').map((event) => ({ data: event.data, id: idOf(stream, event) }));
}
