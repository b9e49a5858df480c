/** One store that all processes of a service share, each by a connection of its own: late, in the order of each connection, away at times, and faltering. */

import { maxBusTextLength } from '../../../packages/parley/src/storage/bus.ts';
import type { StreamLog, StreamWriter } from '../../../packages/parley/src/storage/stream-log.ts';
import { StoreError, type Store } from '../../../packages/parley/src/storage/store.ts';
import { memoryStore } from '../../../packages/parley/src/storage/memory/store.ts';
import type { MaybePromise } from '../../../packages/parley/src/storage/maybe-promise.ts';
import type { Process, World } from '../world.ts';
import { chance } from './chance.ts';
import type { Judge } from './judge.ts';
import { KeptStore } from './kept-store.ts';
import type { Plan } from './plan.ts';
import { stateOfText, type State } from './states.ts';

/** How long a process waits for a store that does not answer, in milliseconds. */
const limitMs = 2_000;

/** How often a command fails while the store falters, and how often one that fails was done all the same. */
const failing = 0.3;
const done = 0.5;

/** The limits of a store with little room. */
export const littleRoom = {
  maxRecords: 14,
  maxRecordBytes: 6_000,
  maxSessionLength: 3_000,
  maxEventsLength: 8_000,
} as const;

interface Subscriber {
  readonly process: Process;
  readonly hear: (text: string) => void;
  readonly onGap: () => void;
  ended: boolean;
}

/** The store of a service. */
export class SharedStore {
  readonly #world: World;
  readonly #seed: number;
  /** The longest that a command takes there, and back. */
  readonly #slowMs: number;
  readonly #kept: KeptStore;
  readonly #subscribers = new Map<string, Set<Subscriber>>();
  /** Until when it answers nobody, and whom its bus does not reach. */
  #awayUntil = 0;
  /** Until when commands fail here and there. */
  #faltersUntil = 0;
  readonly #deaf = new Set<Process>();
  /** The keys that were written last. */
  readonly #keys = new Set<string>();
  readonly #parts: Pick<Judge, 'state'>;

  constructor(
    world: World,
    { seed, slowStore, service }: Pick<Plan, 'seed' | 'slowStore' | 'service'>,
    judge: Pick<Judge, 'state'>,
  ) {
    this.#parts = judge;
    this.#world = world;
    this.#seed = seed;
    this.#slowMs = slowStore ? 600 : 30;
    const make = (): Store =>
      memoryStore({
        now: () => world.now,
        ...(service === 'forgetful' && { maxEvents: 2 }),
        ...(service === 'full store' && littleRoom),
      });
    this.#kept = new KeptStore(make, () => world.now);
  }

  away(ms: number): void {
    this.#world.note(`the store is away for ${ms} ms`);
    this.#awayUntil = this.#world.now + ms;
  }

  /** Commands fail here and there; whether they were done their caller does not know. */
  falter(ms: number): void {
    this.#world.note(`the store falters for ${ms} ms`);
    this.#parts.state('a store falters');
    this.#faltersUntil = this.#world.now + ms;
  }

  /** It is back with nothing, as after a restart without a disk. */
  empty(): void {
    this.#world.note('the store is emptied');
    this.#parts.state('a store is emptied');
    this.#kept.empty();
    this.#gap();
  }

  /** A replica takes over that has not heard of the last records. */
  takeOver(): void {
    this.#world.note('a replica takes over as the store');
    this.#parts.state('a replica takes over');
    this.#kept.takeOver();
    this.#gap();
  }

  /** Everybody was cut off, and hears again. */
  #gap(): void {
    for (const subscribers of this.#subscribers.values())
      for (const one of subscribers)
        this.#world.later(1, one.process, () => {
          if (!one.ended) one.onGap();
        });
  }

  /** What is told to a process is lost for a time; it learns of that afterwards. */
  deafen(process: Process, ms: number): void {
    this.#world.note(`${process.name} hears nothing of the store for ${ms} ms`);
    this.#deaf.add(process);
    this.#parts.state('a process hears nothing of its store');
    this.#world.later(ms, process, () => {
      this.#deaf.delete(process);
      for (const subscribers of this.#subscribers.values())
        for (const one of subscribers) if (one.process === process && !one.ended) one.onGap();
    });
  }

  /** Texts that make no sense are told to whoever hears anything. */
  garble(): void {
    this.#world.note('texts that make no sense are told');
    this.#parts.state('texts that make no sense are told');
    for (const subscribers of this.#subscribers.values())
      for (const { process, hear } of subscribers)
        for (const text of nonsense) this.#world.later(1, process, () => hear(text));
  }

  /** A record makes no sense any more, as one of another version of the program. */
  spoil(): void {
    const keys = [...this.#keys];
    const key = keys[Math.floor(chance(this.#seed, 'spoilt', this.#world.events) * keys.length)];
    if (key === undefined) return;
    this.#world.note(`the record ${key.slice(0, 20)} makes no sense any more`);
    this.#parts.state('a record makes no sense');
    void this.#kept.records.put(key, nonsense[this.#world.events % nonsense.length] ?? '', spoiltMs);
  }

  gone(process: Process): void {
    for (const subscribers of this.#subscribers.values())
      for (const one of subscribers) if (one.process === process) subscribers.delete(one);
  }

  /** The store as one process has it. */
  of(process: Process): Store {
    const connection = new Connection(this.#world, process, {
      seed: this.#seed,
      slowMs: this.#slowMs,
      awayUntil: () => this.#awayUntil,
      faltersUntil: () => this.#faltersUntil,
      failed: (state) => this.#parts.state(state),
    });
    const { records, events, limits } = this.#kept;
    const ask: Ask = (run, lost) => connection.ask(run, lost);
    return {
      shared: true,
      records: {
        add: (...given) => ask(() => records.add(...given)),
        get: (...given) => ask(() => records.get(...given)),
        put: (...given) => {
          this.#keys.add(given[0]);
          return ask(() => this.#put(...given));
        },
        touch: (...given) => ask(() => records.touch(...given)),
        delete: (...given) => ask(() => records.delete(...given)),
      },
      events: { open: (session) => logOf(events.open(session), ask) },
      limits: { take: (...given) => ask(() => limits.take(...given)) },
      bus: {
        publish: (channel, text) => ask(() => this.#publish(channel, text)),
        subscribe: async (channel, hear, onGap) => {
          const subscriber: Subscriber = { process, hear, onGap, ended: false };
          const end = (): void => {
            subscriber.ended = true;
            this.#subscribers.get(channel)?.delete(subscriber);
          };
          // Whoever is told that he hears nothing hears nothing.
          await ask(() => this.#add(channel, subscriber)).catch((cause: unknown) => {
            end();
            throw cause;
          });
          return end;
        },
      },
      check: () => ask(() => undefined),
      close: () => undefined,
    };
  }

  #put(...given: Parameters<Store['records']['put']>): MaybePromise<number | undefined> {
    const version = this.#kept.records.put(...given);
    if (version === undefined) this.#parts.state('another process was quicker to write a record');
    return version;
  }

  #add(channel: string, subscriber: Subscriber): void {
    if (subscriber.ended) return;
    const known = this.#subscribers.get(channel);
    if (known === undefined) this.#subscribers.set(channel, new Set([subscriber]));
    else known.add(subscriber);
  }

  #publish(channel: string, text: string): number {
    if (text.length > maxBusTextLength) throw new StoreError('too-large', `a text of ${text.length} characters`);
    const reached = [...(this.#subscribers.get(channel) ?? [])].filter(
      ({ process }) => process.alive && !this.#deaf.has(process),
    );
    const state = reached.length === 0 ? 'nobody hears a text' : stateOfText(text);
    if (state !== undefined) this.#parts.state(state);
    const delay = Math.ceil(chance(this.#seed, 'told', this.#world.events) * 8);
    // All of them at one time, and later ones after it: the order of what one process tells stays.
    this.#told = Math.max(this.#told, this.#world.now + delay);
    for (const one of reached)
      this.#world.later(this.#told - this.#world.now, one.process, () => {
        if (!one.ended) one.hear(text);
      });
    return reached.length;
  }

  #told = 0;
}

/** How long what makes no sense is kept, in milliseconds. */
const spoiltMs = 60_000;

/** What no process of the service says, or writes. */
const nonsense: readonly string[] = [
  '',
  't',
  't5',
  't[]',
  't{"kind"',
  't{}',
  't{"kind":5}',
  't{"kind":"nothing"}',
  't{"kind":"part","line":"x","number":0,"part":5}',
  't{"kind":"part","line":"x","number":0,"part":{"kind":"sent","status":200,"headers":{"a":5}}}',
  't{"kind":"part","line":"x","number":0,"part":{"kind":"begun"}}',
  't{"kind":"request","line":"x","process":"y","request":5}',
  't{"kind":"request","line":"x","process":"y","request":{"method":"GET"}}',
  't{"kind":"standing","asked":["x"],"lines":[5]}',
  't{"kind":"waiting","process":"x","lines":5}',
  't{"kind":"reading","session":"x","stream":5}',
  't{"kind":"reply","line":"x","reply":"strange"}',
  't{"kind":"changed","version":"new"}',
  't{"kind":"message","session":"x","message":5}',
  'r["bus nothing"]',
];

const stateOfFailure: ReadonlyMap<StoreError['reason'], State> = new Map<StoreError['reason'], State>([
  ['full', 'a store is full'],
  ['too-large', 'something is too large for a store'],
  ['fenced', 'a writer is fenced'],
]);

interface ConnectionParts {
  readonly seed: number;
  readonly slowMs: number;
  awayUntil(): number;
  faltersUntil(): number;
  failed(state: State): void;
}

/** What one process asks, in its order. */
class Connection {
  readonly #world: World;
  readonly #process: Process;
  readonly #parts: ConnectionParts;
  #asked = 0;
  #arrives = 0;
  #answers = 0;

  constructor(world: World, process: Process, parts: ConnectionParts) {
    this.#world = world;
    this.#process = process;
    this.#parts = parts;
  }

  /** @param lost Hears at once that who asks never hears what came of it. */
  ask<T>(run: () => MaybePromise<T>, lost: () => void = () => undefined): Promise<T> {
    const world = this.#world;
    const { seed, slowMs, awayUntil, failed } = this.#parts;
    const number = this.#asked++;
    const drawn = (part: string): number => chance(seed, 'store', this.#process.name, number, part);
    const delay = (part: string): number => Math.ceil(drawn(part) ** 4 * slowMs);
    return new Promise((resolve, reject) => {
      this.#arrives = Math.max(this.#arrives, world.now + delay('there'));
      world.later(this.#arrives - world.now, undefined, () => {
        const unanswered = (ms: number): void => {
          lost();
          world.later(ms, this.#process, () => reject(new StoreError('unavailable', 'the store did not answer')));
        };
        if (world.now < awayUntil()) {
          failed('a store is away');
          return unanswered(limitMs);
        }
        const falters = world.now < this.#parts.faltersUntil() && drawn('falters') < failing;
        if (falters && drawn('done') >= done) return unanswered(delay('breaks'));
        const tell = outcomeOf(run, resolve, (error) => {
          const state = error instanceof StoreError ? stateOfFailure.get(error.reason) : undefined;
          if (state !== undefined) failed(state);
          reject(error);
        });
        // It breaks before the answer, or nothing is heard of that.
        if (falters) return unanswered(drawn('broken') < 0.5 ? delay('breaks') : limitMs);
        this.#answers = Math.max(this.#answers, world.now + delay('back'));
        world.later(this.#answers - world.now, this.#process, tell);
      });
    });
  }
}

/** What is kept in memory is done at once. */
function outcomeOf<T>(
  run: () => MaybePromise<T>,
  resolve: (value: MaybePromise<T>) => void,
  reject: (error: unknown) => void,
): () => void {
  try {
    const value = run();
    return () => resolve(value);
  } catch (error) {
    return (): void => reject(error);
  }
}

type Ask = <T>(run: () => MaybePromise<T>, lost?: () => void) => Promise<T>;

function logOf(log: StreamLog, ask: Ask): StreamLog {
  return {
    write: async (stream, about, mark): Promise<StreamWriter> => {
      const writer = await ask(() => log.write(stream, about, mark));
      let isLost = false;
      const append = (data: string, last?: boolean): MaybePromise<number> => {
        // Nothing is appended after a hole.
        if (isLost) throw new StoreError('unavailable', 'an append before was lost');
        return writer.append(data, last);
      };
      return {
        get mark() {
          return writer.mark;
        },
        append: (data, last) =>
          ask(
            () => append(data, last),
            () => (isLost = true),
          ),
      };
    },
    read: (stream, after) => ask(() => log.read(stream, after)),
    clear: () => ask(() => log.clear()),
  };
}
