import { after } from '../../jsonrpc/timeout.ts';
import type { Bus, SubscriberCount } from '../../storage/bus.ts';
import { Turns } from '../../storage/turns.ts';

/**
 * Time after which a message without a receiver is repeated, in milliseconds, and the largest random addition. A
 * process is subscribed again sooner than that.
 */
const pauseMs = 250;
const jitterMs = 50;

/**
 * Limit of the characters that wait to be repeated. Beyond it, a waiting channel stops waiting, and other channels
 * publish once only.
 */
const maxWaiting = 16 * 1024 * 1024;

/** A bus that repeats messages without a receiver. */
export interface InsistentBus extends Bus {
  /**
   * Repeats the waiting messages at once, for the last time. Later messages are sent only once. The creator closes it;
   * twice is fine.
   */
  close(): void;
}

/**
 * Makes a bus on which a process does not count as dead because its connection broke a moment ago. A message without a
 * receiver is published once more a little later. Only if it has no receiver then, the process is gone. Later messages
 * of the channel come after it, even if they were on their way. If there is no room, or the bus is closed, the pause
 * ends at once.
 */
export function insistent(bus: Bus): InsistentBus {
  const pauses = new Map<string, Pause>();
  // The outcome of the previous message must be known first: it may have to be repeated before the next one.
  const sending = new Turns();
  let waiting = 0;
  let isClosed = false;
  const pause = (channel: string): Pause => {
    const known = pauses.get(channel);
    if (known !== undefined) return known;
    const begun = pauseFor(pauseMs + Math.random() * jitterMs);
    pauses.set(channel, begun);
    // A message in the turn in which the pause ends still comes after the waiting ones.
    void begun.over.then(() => pauses.delete(channel));
    return begun;
  };
  const later = async (channel: string, text: string): Promise<SubscriberCount> => {
    waiting += text.length;
    await pause(channel).over;
    waiting -= text.length;
    return await bus.publish(channel, text);
  };
  const hasRoom = (text: string): boolean => !isClosed && waiting + text.length <= maxWaiting;
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

/** Outcome of a message: the number of receivers, or the outcome of its repetition. */
interface Said {
  readonly heard?: SubscriberCount;
  readonly again?: Promise<SubscriberCount>;
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
