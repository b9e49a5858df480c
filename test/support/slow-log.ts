/** An event log whose writes and reads take their time, in an order that a seed decides. */
import type { EventLog, EventStore, LoggedEvent } from '../../src/store/events.ts';

/** Decides what happens next among everything that waits; the same seed gives the same schedule. */
export class Schedule {
  readonly #waiting: (() => void)[] = [];
  #state: number;

  constructor(seed: number) {
    this.#state = (seed * 2_654_435_761 + 1) >>> 0;
  }

  /** A number from 0 to below `limit`. (Marsaglia, Xorshift RNGs, 2003.) */
  pick(limit: number): number {
    this.#state ^= this.#state << 13;
    this.#state ^= this.#state >>> 17;
    this.#state ^= this.#state << 5;
    this.#state >>>= 0;
    return this.#state % limit;
  }

  /** Resolves when its turn comes. */
  turn(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  get idle(): boolean {
    return this.#waiting.length === 0;
  }

  /** Lets one of those that wait go on. */
  step(): void {
    this.#waiting.splice(this.pick(this.#waiting.length || 1), 1)[0]?.();
  }
}

/** What a log does beside being slow. */
export interface SlowLogOptions {
  /** Of so many writes one fails; none does when left out. */
  readonly failsOneIn?: number;
  /** Whether a later write may be done before an earlier one. */
  readonly reorders?: boolean;
}

/** Keeps the promises of an `EventLog`, and no others: what is not confirmed yet may be seen or not, in any order. */
export function slowEvents(schedule: Schedule, { failsOneIn, reorders = false }: SlowLogOptions = {}): EventStore {
  return { open: () => slowLog() };

  function slowLog(): EventLog {
    const streams = new Map<string, LoggedEvent[]>();
    let before = Promise.resolve();
    const write = async (stream: string, event: LoggedEvent, earlier: Promise<void>): Promise<void> => {
      await schedule.turn();
      if (!reorders) await earlier;
      if (failsOneIn !== undefined && schedule.pick(failsOneIn) === 0) throw new Error('disk full');
      const events = streams.get(stream) ?? [];
      streams.set(stream, events);
      events.push(event);
      await schedule.turn();
    };
    return {
      append: (stream, event) => {
        const written = write(stream, event, before);
        before = written.catch(() => undefined);
        return written;
      },
      replayAfter: async (stream, number) => {
        await schedule.turn();
        const found = streams.get(stream)?.filter((event) => event.number > number);
        await schedule.turn();
        return found?.toSorted((one, other) => one.number - other.number);
      },
      clear: () => streams.clear(),
    };
  }
}
