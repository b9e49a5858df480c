/** A log of events that takes its time, and fails at times; it keeps what a log must promise, and nothing else. */

import type { EventStore, LoggedEvent } from '../../../src/store/events.ts';

/** One of so many writes fails, and one throws at once. */
const failsOneIn = 40;

const longestMs = 60;

/**
 * Makes one.
 *
 * @param later Lets something happen at another time; no timer of who keeps the log.
 */
export function slowEvents(later: (ms: number, run: () => void) => void): EventStore {
  const takesTime = async (): Promise<void> =>
    await new Promise<void>((resolve) => later(Math.ceil(Math.random() ** 2 * longestMs), resolve));
  return {
    open: () => {
      const streams = new Map<string, LoggedEvent[]>();
      const write = async (stream: string, event: LoggedEvent, chance: number): Promise<void> => {
        await takesTime();
        if (chance < 1) throw new Error('the disk is full');
        const events = streams.get(stream) ?? [];
        streams.set(stream, events);
        events.push(event);
      };
      return {
        append: (stream, event) => {
          const chance = Math.random() * failsOneIn;
          if (chance > failsOneIn - 1) throw new Error('the disk is gone');
          return write(stream, event, chance);
        },
        replayAfter: async (stream, number) => {
          await takesTime();
          const found = streams.get(stream)?.filter((event) => event.number > number);
          return found?.toSorted((one, other) => one.number - other.number);
        },
        clear: async () => {
          await takesTime();
          streams.clear();
          if (Math.random() * failsOneIn < 1) throw new Error('the disk is slow');
        },
      };
    },
  };
}
