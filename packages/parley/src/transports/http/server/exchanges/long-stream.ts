import type { EventStream } from './stream.ts';

/** One event stream of a session, wherever its events are stored. */
export interface LongStream {
  /** Tells whether nothing can be sent any more. */
  readonly ended: boolean;
  /** True if another process ended it, because it took this one for dead. */
  readonly isTaken?: boolean;
  /** Tells whether a client reads it now, here. */
  readonly connected: boolean;
  /** True where its first reader is sent an event at once, from which it can resume. */
  readonly primes: boolean;
  /** Gives a new reader the stream from here on. */
  open(connection: EventStream): void;
  /** Sends the JSON text of one message. */
  send(json: string): void;
  /** Ends the stream, after a final message if there is one. */
  end(json?: string): void;
  /** Ends the connection and not the stream: the client is asked to come back for the rest. */
  pause(retryMs: number): void;
  /** Ends it only here. It continues in another process, if it can. */
  leave(): void;
}

/** Maker of the stream of one answer, should it become one. */
export interface StreamMaker {
  /** Makes a stream; it has no connection yet. */
  begin(): LongStream;
}
