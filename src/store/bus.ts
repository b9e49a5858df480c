/** Texts between the processes of one service. */

import { Subscribers } from './subscribers.ts';

/** Ends a subscription; ending it twice is fine. */
export type Unsubscribe = () => void | Promise<void>;

/** The number of subscribers that a text reached; nothing where that cannot be known. */
export type Heard = number | void;

/** Carries texts to whoever listens now, in any process; what nobody hears is gone. */
export interface Bus {
  /**
   * Hands a text to every subscriber of a channel, each channel's texts in the order in which one process sent them.
   *
   * Zero means that no process listens, and ends the wait of whoever published a question: a bus that counts the
   * subscribers of one of its nodes alone gives nothing instead, and then a silence is waited for.
   *
   * @returns How many subscribers it reached, in all processes (what Redis answers to `PUBLISH`), or nothing.
   * @throws When the bus cannot be reached.
   */
  publish(channel: string, text: string): Heard | Promise<Heard>;
  /**
   * Hears every text that is published on a channel from when the returned promise resolves until its end is called.
   *
   * @param hear Called with one text after the other; what it throws is the caller's mistake, and ends no subscription.
   * @throws When the bus cannot be reached.
   */
  subscribe(channel: string, hear: (text: string) => void): Unsubscribe | Promise<Unsubscribe>;
}

/** Makes a bus within this process; a text is heard on a later turn, as from a bus between processes. */
export function memoryBus(): Bus {
  const subscribers = new Subscribers();
  return {
    publish: (channel, text) => subscribers.tell(channel, text),
    subscribe: (channel, hear) => subscribers.add(channel, hear),
  };
}
