import {
  hasNoEvents,
  positionOf,
  SessionStream,
  written,
  type LastingStreams,
  type Resumption,
  type SessionStreamOptions,
} from './stream.ts';
import { randomText } from './rules.ts';

/** Limit of streams that are remembered after their end because the log does not have the whole of them. */
const lingeringLimit = 64;

/** The event streams of one session, each with a name of its own that the ids of its events begin with. */
export class SessionStreams implements LastingStreams {
  readonly options: SessionStreamOptions;
  /** Random, so that an id of another session is never mistaken for one of this. */
  readonly #name: string = randomText(9);
  /** The streams that go on, and those that ended before the log had confirmed all of their events. */
  readonly #live = new Map<string, SessionStream>();
  readonly #lingering = new Set<string>();
  /** True when there were too many of those: of a stream that is forgotten nobody knows whether the log has all. */
  #unsure = false;
  #begun = 0;

  constructor(options: SessionStreamOptions) {
    this.options = options;
  }

  get resumption(): LastingStreams['resumption'] {
    if (this.options.log === undefined) return 'none';
    return this.options.polling ? 'polling' : 'event-ids';
  }

  answering(): this {
    return this;
  }

  begin(): SessionStream {
    const name = `${this.#name}-${this.#begun++}`;
    const stream = new SessionStream(this.options, name, (ended) => this.#ended(name, ended));
    if (this.options.log !== undefined) this.#live.set(name, stream);
    return stream;
  }

  async resume(lastEventId: string): Promise<Resumption | undefined> {
    const position = positionOf(lastEventId);
    const { log } = this.options;
    if (position === undefined || log === undefined) return undefined;
    const stream = this.#live.get(position.stream);
    if (stream !== undefined) return stream.resume(position.number);
    const missed = this.#unsure ? undefined : await log.replayAfter(position.stream, position.number);
    // Where it ended only the log knows; what it gives must follow without a gap.
    if (missed?.every(({ number }, at) => number === position.number + 1 + at) !== true) return undefined;
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

  /** Ends every stream and forgets what was kept. */
  end(): void {
    for (const stream of this.#live.values()) stream.end();
    void this.#clear();
  }

  async #clear(): Promise<void> {
    const { log, settings } = this.options;
    try {
      await log?.clear();
    } catch (cause) {
      settings.onError(new Error('the events of a session could not be forgotten', { cause }));
    }
  }

  /** A stream that is whole in the log can be had from there. */
  #ended(name: string, stream: SessionStream): void {
    this.#lingering.add(name);
    stream.whenKept(() => this.#forget(name));
    if (this.#lingering.size <= lingeringLimit) return;
    const [oldest = name] = this.#lingering;
    this.#forget(oldest);
    this.#unsure = true;
  }

  #forget(name: string): void {
    this.#lingering.delete(name);
    this.#live.delete(name);
  }
}
