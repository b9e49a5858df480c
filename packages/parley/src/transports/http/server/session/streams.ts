import {
  hasNoEvents,
  positionOf,
  SessionStream,
  written,
  type LongStreams,
  type Resumption,
  type SessionStreamOptions,
} from './stream.ts';
import { randomText } from './rules.ts';

/** The event streams of one session, each with a name of its own that the ids of its events begin with. */
export class SessionStreams implements LongStreams {
  readonly options: SessionStreamOptions;
  /** Random, so that an id of another session is never mistaken for one of this. */
  readonly #name: string = randomText(9);
  /** The streams that go on. */
  readonly #live = new Map<string, SessionStream>();
  #begun = 0;

  constructor(options: SessionStreamOptions) {
    this.options = options;
  }

  get resumption(): LongStreams['resumption'] {
    if (this.options.log === undefined) return 'none';
    return this.options.polling ? 'polling' : 'event-ids';
  }

  answering(): this {
    return this;
  }

  begin(): SessionStream {
    const name = `${this.#name}-${this.#begun++}`;
    const stream = new SessionStream(this.options, name, () => this.#live.delete(name));
    if (this.options.log !== undefined) this.#live.set(name, stream);
    return stream;
  }

  async resume(lastEventId: string): Promise<Resumption | undefined> {
    const position = positionOf(lastEventId);
    const { log } = this.options;
    if (position === undefined || log === undefined) return undefined;
    const stream = this.#live.get(position.stream);
    if (stream !== undefined) return stream.resume(position.number);
    const missed = log.replayAfter(position.stream, position.number);
    if (missed === undefined) return undefined;
    return {
      stream,
      isOver: hasNoEvents(missed),
      connect: (connection) => {
        connection.replay(written(position.stream, missed));
        connection.end();
      },
      drop: () => undefined,
    };
  }

  /** Ends every stream and drops its events. */
  end(): void {
    for (const stream of this.#live.values()) stream.end();
    this.options.log?.clear();
  }
}
