import type { EventLog, LoggedEvent } from '../../../store/events.ts';
import type { HttpSettings } from '../options.ts';

/** Events that followed another, looked up; the looking goes on until one of the two is called. */
export interface Missed {
  /** Everything that followed, also what was sent since it was looked up; ends the looking. */
  take(): readonly LoggedEvent[];
  /** Ends the looking: nobody wants it any more. */
  drop(): void;
}

/** Events that are kept here for a time, bounded by their length. */
interface Held {
  readonly events: LoggedEvent[];
  length: number;
}

/**
 * The events of one stream, to be had again. The log keeps them, and takes its time for it: what it has not confirmed is held
 * here, so that a read which overtakes a write misses nothing.
 */
export class Backlog {
  readonly #log: EventLog;
  readonly #stream: string;
  readonly #settings: HttpSettings;
  /** Events that the log was given and has not confirmed, by number. */
  readonly #unconfirmed = new Map<number, LoggedEvent>();
  /** Events that are sent while somebody looks up those before. */
  readonly #tails = new Set<Held>();
  #unconfirmedLength = 0;
  #writing = 0;
  #last = 0;
  #failed = false;
  #onKept: (() => void) | undefined;

  constructor(log: EventLog, stream: string, settings: HttpSettings) {
    this.#log = log;
    this.#stream = stream;
    this.#settings = settings;
  }

  /** Tells whether the log could not keep an event. */
  get failed(): boolean {
    return this.#failed;
  }

  /** Numbers an event and keeps it. */
  add(data: string): LoggedEvent {
    const event: LoggedEvent = { number: ++this.#last, data };
    for (const tail of this.#tails) this.#hold(tail, event);
    try {
      const written = this.#log.append(this.#stream, event);
      if (written !== undefined) void this.#confirm(event, written);
    } catch (cause) {
      this.#fail(cause);
    }
    return event;
  }

  /** Runs something as soon as the log has confirmed everything; never, where it failed. One listener. */
  whenKept(run: () => void): void {
    this.#onKept = run;
    this.#settled();
  }

  /**
   * Looks up what followed an event.
   *
   * @returns `undefined` when something of it cannot be had any more. What is told again is complete or nothing.
   */
  async after(number: number): Promise<Missed | undefined> {
    if (number > this.#last) return undefined;
    const tail: Held = { events: [], length: 0 };
    for (const event of this.#unconfirmed.values()) this.#hold(tail, event);
    this.#tails.add(tail);
    let found: readonly LoggedEvent[] | undefined;
    try {
      // A log knows no stream of which it has written nothing yet: what is held here may be all there is.
      const kept = number === this.#last ? [] : ((await this.#log.replayAfter(this.#stream, number)) ?? []);
      if (isWhole(merged(kept, tail.events, number), number, this.#last)) found = kept;
    } finally {
      if (found === undefined) this.#tails.delete(tail);
    }
    if (found === undefined) return undefined;
    const kept = found;
    return {
      take: () => {
        this.#tails.delete(tail);
        return merged(kept, tail.events, number);
      },
      drop: () => void this.#tails.delete(tail),
    };
  }

  async #confirm(event: LoggedEvent, written: Promise<void>): Promise<void> {
    this.#writing++;
    const holds = this.#unconfirmedLength + event.data.length <= this.#settings.maxStreamBuffer;
    if (holds) {
      this.#unconfirmed.set(event.number, event);
      this.#unconfirmedLength += event.data.length;
    }
    try {
      await written;
    } catch (cause) {
      this.#fail(cause);
    }
    if (holds) {
      this.#unconfirmed.delete(event.number);
      this.#unconfirmedLength -= event.data.length;
    }
    this.#writing--;
    this.#settled();
  }

  #settled(): void {
    if (this.#writing === 0 && !this.#failed) this.#onKept?.();
  }

  #fail(cause: unknown): void {
    this.#failed = true;
    this.#settings.onError(new Error('an event could not be kept for replay', { cause }));
  }

  /** Holds an event; too many to hold leave a gap, and who looks finds it. */
  #hold(held: Held, event: LoggedEvent): void {
    held.length += event.data.length;
    if (held.length <= this.#settings.maxStreamBuffer) held.events.push(event);
  }
}

/** Merges what came from the log with what was held beside it: each event once, in order, after a number. */
function merged(kept: readonly LoggedEvent[], held: readonly LoggedEvent[], number: number): readonly LoggedEvent[] {
  const known = new Set(kept.map((event) => event.number));
  const all = [...kept, ...held.filter((event) => event.number > number && !known.has(event.number))];
  return all.toSorted((one, other) => one.number - other.number);
}

/** Tells whether every event from after one number to another is there once. */
function isWhole(events: readonly LoggedEvent[], number: number, last: number): boolean {
  return events.length === last - number && events.every((event, at) => event.number === number + 1 + at);
}
