/** A world of its own time, in which simulated processes live: nothing happens in it but by its queue, one event after the other. */

import { createHash } from 'node:crypto';
import { Queue } from './queue.ts';
import { randomOf, type Random } from '../support/random.ts';

/** One simulated process: it may die, and stand still. */
export class Process {
  readonly name: string;
  alive = true;
  /** Timers that it waits for. */
  readonly timers: Set<object> = new Set();
  /** How far its wall clock is off, in milliseconds. */
  clockOffset = 0;
  /** Until when it stands still; nothing reaches it before. */
  stoppedUntil = 0;
  /** When it stood still, and for how long, by the time of the world. */
  readonly stops: { readonly from: number; readonly to: number }[] = [];
  /** What befalls it, and after how many more events. */
  fate: { after: number; readonly befall: () => void } | undefined;

  constructor(name: string) {
    this.name = name;
  }

  /** How long it stood still within a time. */
  stoppedWithin(from: number, to: number): number {
    let sum = 0;
    for (const stop of this.stops) sum += Math.max(0, Math.min(to, stop.to) - Math.max(from, stop.from));
    return sum;
  }
}

/** What happens at one time: to a process, or to nobody's. */
interface Event {
  time: number;
  readonly order: number;
  readonly owner: Process | undefined;
  run: (() => void) | undefined;
}

/** More events than this are no schedule that ends. */
const maxEvents = 400_000;

/** How many characters of what happened are taken into the digest at once. */
const notedAtOnce = 16_384;

const real = { soon: setImmediate, later: setTimeout };

/** The time, the chance and the events of one schedule. */
export class World {
  readonly random: Random;
  /** Milliseconds since it began. */
  now = 0;
  /** Whose turn it is. */
  current: Process | undefined;
  events = 0;
  /** When no process stands still any more. */
  stillUntil: number = Number.NEGATIVE_INFINITY;
  /** Hears of each step in the middle of which a process had better not end. */
  delicate: (process: Process) => void = () => {};
  /** What happened, in words; the last of it. */
  readonly #trace: string[] = [];
  readonly #digest = createHash('sha256');
  /** What the digest has not seen yet: little by little it would cost more. */
  #noted = '';
  readonly #queue = new Queue<Event>(
    (one, other) => one.time < other.time || (one.time === other.time && one.order < other.order),
  );
  #order = 0;
  #ended = false;

  constructor(seed: number) {
    this.random = randomOf(seed);
  }

  /** Lets something happen later, to a process that lives by then and does not stand still. */
  later(ms: number, owner: Process | undefined, run: () => void): () => void {
    const event: Event = { time: this.now + Math.max(0, ms), order: this.#order++, owner, run };
    this.#queue.add(event);
    return () => {
      event.run = undefined;
    };
  }

  note(words: string): void {
    const line = `${(this.now / 1000).toFixed(3)} ${this.current?.name ?? '-'}: ${words}`;
    this.#noted += line;
    if (this.#noted.length > notedAtOnce) this.#digestNoted();
    this.#trace.push(line);
    if (this.#trace.length > 4_000) this.#trace.splice(0, 2_000);
  }

  /** The last things that happened. */
  trace(most: number): string {
    return this.#trace.slice(-most).join('\n');
  }

  /** The same for the same course of events. */
  digest(): string {
    this.#digestNoted();
    return this.#digest.copy().digest('hex').slice(0, 16);
  }

  #digestNoted(): void {
    this.#digest.update(this.#noted);
    this.#noted = '';
  }

  stop(process: Process, ms: number): void {
    if (!process.alive || process.stoppedUntil > this.now) return;
    process.stoppedUntil = this.now + ms;
    this.stillUntil = Math.max(this.stillUntil, process.stoppedUntil);
    process.stops.push({ from: this.now, to: process.stoppedUntil });
    this.note(`${process.name} stands still for ${ms} ms`);
  }

  kill(process: Process): void {
    if (!process.alive) return;
    process.alive = false;
    this.note(`${process.name} dies`);
  }

  end(): void {
    this.#ended = true;
  }

  /** True where each event waits until what it needed first is loaded, which takes time that no world moves. */
  loads = false;

  /** Lets everything happen that is to, until somebody ends it. */
  async run(): Promise<void> {
    for (let event = this.#queue.take(); event !== undefined && !this.#ended; event = this.#queue.take()) {
      const { owner, run } = event;
      if (run === undefined || owner?.alive === false) continue;
      if (owner !== undefined && owner.stoppedUntil > event.time) {
        // The same one: who cancels it meanwhile has no other.
        event.time = owner.stoppedUntil;
        this.#queue.add(event);
        continue;
      }
      this.now = event.time;
      if (++this.events > maxEvents) throw new Error('it does not end');
      if (owner?.fate !== undefined && owner.fate.after-- <= 0) {
        const { befall } = owner.fate;
        owner.fate = undefined;
        befall();
        this.#queue.add(event);
        continue;
      }
      event.run = undefined;
      this.current = owner;
      run();
      // Whatever follows from it follows before the next event.
      if (owner !== undefined)
        for (let batch = 0; batch < tickBatches; batch++)
          await new Promise<void>((resolve) => process.nextTick(resolve));
      if (this.loads) await loaded();
      this.current = undefined;
    }
  }
}

/**
 * Every promise that can be settled is, and what waited for it has run, when ticks have had their turn: they have it when no promise has any more, each batch of them
 * after the promises of the one before. A turn of the loop would do as well, and costs as much as most events. What runs in ticks itself may have ticks follow, as
 * streams of the platform do.
 */
const tickBatches = 2;

/** Resolves when no file is being read any more, and what was waited for it has run. */
async function loaded(): Promise<void> {
  for (let quiet = 0; quiet < quietTurns; quiet++) {
    await new Promise<void>((resolve) => void real.soon(resolve));
    if (process.getActiveResourcesInfo().some((kind) => kind.startsWith('FS'))) {
      quiet = 0;
      await new Promise<void>((resolve) => void real.later(resolve, 1));
    }
  }
}

/** How many turns without reading say that nothing is read any more: a module is found, read and run in several. */
const quietTurns = 8;
