/** Texts between the processes of one service. */

import type { NowOrLater } from './now-or-later.ts';
import { Subscribers } from './subscribers.ts';

/** Ends a subscription; ending it twice is fine. */
export type Unsubscribe = () => NowOrLater<void>;

/** The number of subscribers that a text reached; nothing where that cannot be known. */
export type Heard = number | void;

/** Carries texts to whoever listens now, in any process; what nobody hears is gone. */
export interface Bus {
  /**
   * Hands a text to every subscriber of a channel, each channel's texts in the order in which one process sent them.
   *
   * Zero means that no process listens, and ends the wait of whoever published a question, once it is so 250 ms later too: a bus that counts the
   * subscribers of one of its nodes alone gives nothing instead, and then a silence is waited for.
   *
   * @returns How many subscribers it reached, in all processes (what Redis answers to `PUBLISH`), or nothing.
   * @throws When the bus cannot be reached.
   */
  publish(channel: string, text: string): NowOrLater<Heard>;
  /**
   * Hears every text that is published on a channel from when the returned promise resolves until its end is called.
   *
   * @param hear Called with one text after the other; what it throws is the caller's mistake, and ends no subscription.
   * @param onGap Called when texts may have been missed, since the bus could not be heard for a while: it is heard again. A bus that never says so
   *   may lose texts silently.
   * @throws When the bus cannot be reached.
   */
  subscribe(channel: string, hear: (text: string) => void, onGap?: () => void): NowOrLater<Unsubscribe>;
}

/** The longest text that a `CountingBus` carries, in characters; what is longer travels as a record, and its key on the bus. */
export const longestBusText: number = 256 * 1024;

/**
 * A bus that counts, as the one of a store does. A text reaches a subscriber once or not at all, and where it may not have, `onGap` is called.
 *
 * Subscribers in one process may count as one, so that a number says whether anybody heard, and not how many.
 */
export interface CountingBus extends Bus {
  /**
   * A text may wait up to 5 seconds for an engine that fails over, in its order, where every other call of a store ends within 2.
   *
   * @returns How many subscribers the text was sent to, in all processes; 0 when nobody listens.
   * @throws StoreError `too-large` for more than 262,144 characters, or `unavailable`.
   */
  publish(channel: string, text: string): NowOrLater<number>;
  /** @throws StoreError `unavailable`. */
  subscribe(channel: string, hear: (text: string) => void, onGap: () => void): NowOrLater<Unsubscribe>;
}

/** Makes a bus within this process; a text is heard on a later turn, as from a bus between processes. */
export function memoryBus(): Bus {
  const subscribers = new Subscribers();
  return {
    publish: (channel, text) => subscribers.tell(channel, text),
    subscribe: (channel, hear) => subscribers.add(channel, hear),
  };
}
