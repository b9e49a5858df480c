/** The events of the streams of sessions, kept for a while so that a client can catch up. */

import { Heap } from './memory/heap.ts';

/** One event of a stream. */
export interface LoggedEvent {
  /** Its place on the stream: the first event is number 1, and every later one counts one up. */
  readonly number: number;
  /** The text of the event; empty for one that only says where the stream is. */
  readonly data: string;
}

/**
 * The streams of one session. Whoever runs a stream is its only writer, and numbers its events.
 *
 * A log must promise one thing: once `append` has returned, or its promise has resolved, every `replayAfter` that begins later
 * sees the event, until the event is dropped for good. Before that it may be seen or not. Nothing else is asked: appends of one
 * stream are begun in order and not awaited, so that several may be under way; they may be done in any order, and reads may
 * overtake them. Who resumes a stream holds what is not confirmed, and looks for gaps: a log that breaks the promise costs the
 * client the replay, and never an event in silence.
 */
export interface EventLog {
  /**
   * Keeps the next event of a stream. What is sent does not wait for it; a failure, thrown or rejected, loses nothing but the
   * replay.
   */
  append(stream: string, event: LoggedEvent): void | Promise<void>;
  /**
   * Events that followed another on its stream, oldest first: every event once, by its number.
   *
   * @returns `undefined` when the stream is not known, or when something of it is no longer kept: what is replayed
   *   is complete or nothing.
   */
  replayAfter(
    stream: string,
    number: number,
  ): readonly LoggedEvent[] | undefined | Promise<readonly LoggedEvent[] | undefined>;
  /** Forgets every stream: the session is over. Appends that were begun before may still end. */
  clear(): void | Promise<void>;
}

/** A store of event logs. */
export interface EventStore {
  /**
   * The log of one session.
   *
   * @param owner Name under which the events are counted: that of the principal or of the address. A store may leave it out. It is `undefined` if neither is known.
   */
  open(session: string, owner?: string): EventLog;
}

/** Limits of the event store in memory; what is over a limit goes, oldest first. */
export interface EventLimits {
  /** The most events of one session; 1000. */
  readonly maxEvents?: number;
  /** The most characters that the events of one session have together; 1 Mi. */
  readonly maxSessionLength?: number;
  /** The most characters that all events have together; 64 Mi. Beyond it, the oldest events of the owner with the most characters go. */
  readonly maxLength?: number;
  /** Time that an event is kept, in milliseconds; 5 minutes. */
  readonly maxAgeMs?: number;
  /** The clock, in milliseconds; one that never jumps by default. */
  readonly now?: () => number;
}

const mebi = 1024 * 1024;

/**
 * Keeps events in the memory of this process.
 *
 * @throws TypeError when a limit is no number of at least 0.
 */
export function memoryEvents(limits: EventLimits = {}): EventStore {
  const { now: _, ...numbers } = limits;
  for (const [name, value] of Object.entries(numbers)) {
    if (value !== undefined && !(typeof value === 'number' && value >= 0))
      throw new TypeError(`${name} of events must be a number of at least 0, not ${String(value)}`);
  }
  const shelf = new Shelf(limits);
  return { open: (_session, owner) => new MemoryLog(shelf, owner) };
}

/** Owner of events by name; a session whose owner is not known is one by itself. */
type OwnerKey = string | MemoryLog;

/** Events of one owner, in the order in which they came. */
interface OwnedEvents {
  readonly events: Set<Kept>;
  length: number;
}

interface Kept extends LoggedEvent {
  readonly log: MemoryLog;
  readonly stream: string;
  readonly at: number;
}

/** Everything that is kept, in the order in which it came. */
class Shelf {
  readonly limits: Required<EventLimits>;
  readonly #events = new Set<Kept>();
  readonly #owners = new Map<OwnerKey, OwnedEvents>();
  /** Owners by length, the largest first. */
  readonly #largest = new Heap<OwnerKey>();
  #length = 0;

  constructor(limits: EventLimits) {
    this.limits = {
      maxEvents: limits.maxEvents ?? 1_000,
      maxSessionLength: limits.maxSessionLength ?? mebi,
      maxLength: limits.maxLength ?? 64 * mebi,
      maxAgeMs: limits.maxAgeMs ?? 5 * 60 * 1_000,
      now: limits.now ?? (() => performance.now()),
    };
  }

  add(event: Kept): void {
    this.#events.add(event);
    const { owner } = event.log;
    const owned = this.#owners.get(owner) ?? { events: new Set(), length: 0 };
    this.#owners.set(owner, owned);
    owned.events.add(event);
    this.#count(owner, owned, event.data.length);
    this.expire();
    while (this.#length > this.limits.maxLength && this.#dropOfLargest());
  }

  remove(event: Kept): void {
    if (!this.#events.delete(event)) return;
    const { owner } = event.log;
    const owned = this.#owners.get(owner);
    owned?.events.delete(event);
    if (owned !== undefined) this.#count(owner, owned, -event.data.length);
  }

  #count(owner: OwnerKey, owned: OwnedEvents, more: number): void {
    this.#length += more;
    owned.length += more;
    if (owned.events.size > 0) return this.#largest.set(owner, -owned.length);
    this.#largest.delete(owner);
    this.#owners.delete(owner);
  }

  #dropOfLargest(): boolean {
    const owner = this.#largest.first()?.thing;
    const [oldest] = (owner !== undefined && this.#owners.get(owner)?.events) || [];
    oldest?.log.drop(oldest);
    return oldest !== undefined;
  }

  expire(): void {
    const since = this.limits.now() - this.limits.maxAgeMs;
    for (const oldest of this.#events) {
      if (oldest.at >= since) return;
      oldest.log.drop(oldest);
    }
  }
}

class MemoryLog implements EventLog {
  readonly owner: OwnerKey;
  readonly #shelf: Shelf;
  readonly #events = new Set<Kept>();
  /** The same events by stream; events only ever leave at the front. */
  readonly #streams = new Map<string, Set<Kept>>();
  #length = 0;

  constructor(shelf: Shelf, owner: string | undefined) {
    this.#shelf = shelf;
    this.owner = owner ?? this;
  }

  append(stream: string, { number, data }: LoggedEvent): void {
    const { limits } = this.#shelf;
    const event: Kept = { log: this, stream, number, data, at: limits.now() };
    const known = this.#streams.get(stream);
    if (known === undefined) this.#streams.set(stream, new Set([event]));
    else known.add(event);
    this.#events.add(event);
    this.#length += data.length;
    this.#shelf.add(event);
    for (const oldest of this.#events) {
      if (this.#events.size <= limits.maxEvents && this.#length <= limits.maxSessionLength) break;
      this.drop(oldest);
    }
  }

  replayAfter(stream: string, number: number): readonly LoggedEvent[] | undefined {
    this.#shelf.expire();
    const [...events] = this.#streams.get(stream) ?? [];
    const first = events[0];
    const last = events.at(-1);
    if (first === undefined || last === undefined || first.number > number + 1 || last.number < number)
      return undefined;
    return events.filter((event) => event.number > number).map((event) => ({ number: event.number, data: event.data }));
  }

  clear(): void {
    for (const event of this.#events) this.#shelf.remove(event);
    this.#events.clear();
    this.#streams.clear();
    this.#length = 0;
  }

  /** Lets go of one event. */
  drop(event: Kept): void {
    this.#shelf.remove(event);
    if (!this.#events.delete(event)) return;
    this.#length -= event.data.length;
    const stream = this.#streams.get(event.stream);
    stream?.delete(event);
    if (stream?.size === 0) this.#streams.delete(event.stream);
  }
}
