/** The events of the streams of sessions, stored for a while so that a client can catch up. */

import { Heap } from './memory/heap.ts';
import type { StoredEvent } from './stream-log.ts';

/** The streams of one session, each of which has one writer. */
export type EventLog = Pick<MemoryLog, 'append' | 'replayAfter' | 'clear'>;

/** The event logs of the sessions of one process. */
export interface EventStore {
  /**
   * The log of one session.
   *
   * @param owner Name under which the events are counted: that of the principal or of the address. It is `undefined` if neither is known.
   */
  open(owner?: string): EventLog;
}

/** Limits of the event store in memory. Beyond a limit the oldest events are dropped. */
export interface EventLimits {
  /** The most events of one session; 1000. */
  readonly maxEvents?: number;
  /** The most characters that the events of one session have together; 1 Mi. */
  readonly maxSessionLength?: number;
  /** The most characters that all events have together; 64 Mi. Beyond it, the oldest events of the owner with the most characters go. */
  readonly maxLength?: number;
  /** Lifetime of an event, in milliseconds; 5 minutes. */
  readonly maxAgeMs?: number;
  /** The clock, in milliseconds; one that never jumps by default. */
  readonly now?: () => number;
}

const mebi = 1024 * 1024;

/** Keeps events in the memory of this process. */
export function memoryEvents(limits: EventLimits = {}): EventStore {
  const shelf = new Shelf(limits);
  return { open: (owner) => new MemoryLog(shelf, owner) };
}

/** Owner of events by name; a session without a known owner counts separately. */
type OwnerKey = string | MemoryLog;

/** Events of one owner, in the order in which they came. */
interface OwnedEvents {
  readonly events: Set<Kept>;
  length: number;
}

interface Kept extends StoredEvent {
  readonly log: MemoryLog;
  readonly stream: string;
  readonly at: number;
}

/** All stored events, in their original order. */
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

class MemoryLog {
  readonly owner: OwnerKey;
  readonly #shelf: Shelf;
  readonly #events = new Set<Kept>();
  /** The same events by stream. Events are only ever removed at the front. */
  readonly #streams = new Map<string, Set<Kept>>();
  #length = 0;

  constructor(shelf: Shelf, owner: string | undefined) {
    this.#shelf = shelf;
    this.owner = owner ?? this;
  }

  /** Keeps the next event of a stream. */
  append(stream: string, { number, data }: StoredEvent): void {
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

  /**
   * The events after another one on its stream, oldest first.
   *
   * @returns `undefined` if the stream is not known, or if one of them is no longer stored.
   */
  replayAfter(stream: string, number: number): readonly StoredEvent[] | undefined {
    this.#shelf.expire();
    const [...events] = this.#streams.get(stream) ?? [];
    const first = events[0];
    const last = events.at(-1);
    if (first === undefined || last === undefined || first.number > number + 1 || last.number < number)
      return undefined;
    return events.filter((event) => event.number > number).map((event) => ({ number: event.number, data: event.data }));
  }

  /** Forgets every stream: the session is over. */
  clear(): void {
    for (const event of this.#events) this.#shelf.remove(event);
    this.#events.clear();
    this.#streams.clear();
    this.#length = 0;
  }

  /** Drops one event. */
  drop(event: Kept): void {
    this.#shelf.remove(event);
    if (!this.#events.delete(event)) return;
    this.#length -= event.data.length;
    const stream = this.#streams.get(event.stream);
    stream?.delete(event);
    if (stream?.size === 0) this.#streams.delete(event.stream);
  }
}
