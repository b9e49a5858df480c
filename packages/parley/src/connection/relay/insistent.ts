import { after } from '../../jsonrpc/timeout.ts';
import type { Bus, Heard } from '../../storage/bus.ts';
import { Turns } from '../../storage/turns.ts';

/** Time after which what nobody heard is said once more, in milliseconds, and the most by which it is longer, at random. A process is heard again sooner. */
const pauseMs = 250;
const jitterMs = 50;

/** The most characters that wait to be said again. Where there are more, a channel on which something waits does not wait any longer, and on others what nobody hears is said once. */
const mostWaiting = 16 * 1024 * 1024;

/** A bus that says again what nobody heard. */
export interface InsistentBus extends Bus {
  /** Says at once what waits, for the last time; what is said later is said once. Whoever made it closes it; twice is fine. */
  close(): void;
}

/**
 * Makes a bus on which a process is not taken for dead since its connection broke a moment ago: what nobody heard is published once more a little later, and only
 * then nobody is there. What is published on that channel meanwhile comes after it, whether it was on its way already or not, and also where there is no room for it
 * or the bus is closed: then the pause is over at once.
 */
export function insistent(bus: Bus): InsistentBus {
  const pauses = new Map<string, Pause>();
  // Whether the one before was heard is known first: it may have to come before once more.
  const sending = new Turns();
  let waiting = 0;
  let isClosed = false;
  const pause = (channel: string): Pause => {
    const known = pauses.get(channel);
    if (known !== undefined) return known;
    const begun = pauseFor(pauseMs + Math.random() * jitterMs);
    pauses.set(channel, begun);
    // What comes in the turn in which it ends still comes after what waited.
    void begun.over.then(() => pauses.delete(channel));
    return begun;
  };
  const later = async (channel: string, text: string): Promise<Heard> => {
    waiting += text.length;
    await pause(channel).over;
    waiting -= text.length;
    return await bus.publish(channel, text);
  };
  const hasRoom = (text: string): boolean => !isClosed && waiting + text.length <= mostWaiting;
  return {
    publish: async (channel, text) => {
      const { heard, again } = await sending.run(channel, async (): Promise<Said> => {
        const begun = pauses.get(channel);
        if (begun !== undefined) {
          if (!hasRoom(text)) begun.end();
          return { again: later(channel, text) };
        }
        const heard = await bus.publish(channel, text);
        return heard === 0 && hasRoom(text) ? { again: later(channel, text) } : { heard };
      });
      return again === undefined ? heard : await again;
    },
    subscribe: (channel, hear, onGap) => bus.subscribe(channel, hear, onGap),
    close: () => {
      isClosed = true;
      for (const { end } of pauses.values()) end();
    },
  };
}

/** Outcome of a text: who heard it, or what becomes of it when it is said again. */
interface Said {
  readonly heard?: Heard;
  readonly again?: Promise<Heard>;
}

interface Pause {
  readonly over: Promise<void>;
  end(): void;
}

function pauseFor(ms: number): Pause {
  let end = (): void => undefined;
  const ended = new Promise<void>((resolve) => {
    end = () => {
      cancel();
      resolve();
    };
    const cancel = after(ms, end, true);
  });
  return { over: ended, end };
}
