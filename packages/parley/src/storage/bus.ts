/** Texts between the processes of one service. */

import type { MaybePromise } from './maybe-promise.ts';
import { Subscribers } from './subscribers.ts';

/** Ends a subscription; ending it twice is fine. */
export type Unsubscribe = () => MaybePromise<void>;

/** The number of subscribers that a text reached; `undefined` if unknown. */
export type SubscriberCount = number | void;

/** Delivers texts to the current subscribers, in any process. A text without a subscriber is lost. */
export interface Bus {
  /**
   * Delivers a text to every subscriber of a channel. The texts of one process on one channel keep their order.
   *
   * Zero means that no process listens. It ends the wait of a process that published a question, if it is still zero
   * 250 ms later. A bus that only counts the subscribers of one of its nodes must return nothing instead; then the wait
   * lasts until its time-out.
   *
   * @returns The number of subscribers that it reached, in all processes (the reply of Redis to `PUBLISH`), or nothing.
   * @throws If the bus cannot be reached.
   */
  publish(channel: string, text: string): MaybePromise<SubscriberCount>;
  /**
   * Receives every text on a channel, from when the returned promise resolves until its end function is called.
   *
   * @param hear Called with one text after the other. Its errors are its own mistake, and end no subscription.
   * @param onGap Called when texts may have been missed because the bus could not be reached for a while, and it works
   *   again. A bus that never calls it
   * may lose texts silently.
   * @throws If the bus cannot be reached.
   */
  subscribe(channel: string, hear: (text: string) => void, onGap?: () => void): MaybePromise<Unsubscribe>;
}

/**
 * The longest text that a `CountingBus` carries, in characters. A longer one is stored as a record, and its key is sent
 * on the bus.
 */
export const maxBusTextLength: number = 256 * 1024;

/**
 * A bus that counts, such as that of a store. A text reaches a subscriber once or not at all. If it may not have
 * arrived, `onGap` is called.
 *
 * Subscribers in one process may count as one, so the number only tells whether there is a subscriber, not how many.
 */
export interface CountingBus extends Bus {
  /**
   * A text may wait up to 5 seconds for an engine that fails over, in its order. Every other call of a store ends
   * within 2 seconds.
   *
   * @returns The number of subscribers that the text was sent to, in all processes; 0 if there are none.
   * @throws StoreError `too-large` for more than 262,144 characters, or `unavailable`.
   */
  publish(channel: string, text: string): MaybePromise<number>;
  /**
   * Subscribes to a channel, in all processes.
   *
   * @throws StoreError `unavailable`.
   */
  subscribe(channel: string, hear: (text: string) => void, onGap: () => void): MaybePromise<Unsubscribe>;
}

/** Makes a bus within this process. A text arrives on a later turn, as from a bus between processes. */
export function memoryBus(): Bus {
  const subscribers = new Subscribers();
  return {
    publish: (channel, text) => subscribers.tell(channel, text),
    subscribe: (channel, hear) => subscribers.add(channel, hear),
  };
}
