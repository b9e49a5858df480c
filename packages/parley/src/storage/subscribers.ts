import { microtask } from '../jsonrpc/timeout.ts';

/** The subscribers to channels of a bus in this process. */
export class Subscribers {
  readonly #channels = new Map<string, Set<Subscriber>>();

  /** Number of channels with a subscriber. */
  get size(): number {
    return this.#channels.size;
  }

  /** Tells whether a channel has a subscriber. */
  has(channel: string): boolean {
    return this.#channels.has(channel);
  }

  /**
   * Adds a subscription. A listener may have several. Returns a function that ends this one, and may be called again.
   */
  add(channel: string, hear: (text: string) => void): () => void {
    const subscriber: Subscriber = { hear };
    const subscribers = this.#channels.get(channel) ?? new Set();
    this.#channels.set(channel, subscribers.add(subscriber));
    return () => {
      subscriber.hear = undefined;
      subscribers.delete(subscriber);
      if (subscribers.size === 0 && this.#channels.get(channel) === subscribers) this.#channels.delete(channel);
    };
  }

  /**
   * Delivers a text to every subscriber of a channel, each in its own turn, so that an error of one does not affect
   * others. Returns their number.
   */
  tell(channel: string, text: string): number {
    const subscribers = this.#channels.get(channel);
    for (const subscriber of subscribers ?? []) microtask(() => subscriber.hear?.(text));
    return subscribers?.size ?? 0;
  }
}

/** One subscription. It receives nothing after its end. */
interface Subscriber {
  hear: ((text: string) => void) | undefined;
}
