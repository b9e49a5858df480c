import { microtask } from '../jsonrpc/timeout.ts';

/** Whoever listens to the channels of a bus in this process. */
export class Subscribers {
  readonly #channels = new Map<string, Set<Subscriber>>();

  /** Number of channels that somebody listens to. */
  get size(): number {
    return this.#channels.size;
  }

  /** Tells whether somebody listens to a channel. */
  has(channel: string): boolean {
    return this.#channels.has(channel);
  }

  /** Adds a listener, who may have several subscriptions; gives what ends this one, which may be called again. */
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

  /** Hands a text to every listener of a channel, each in a turn of its own, so that one that throws is in nobody's way; gives their number. */
  tell(channel: string, text: string): number {
    const subscribers = this.#channels.get(channel);
    for (const subscriber of subscribers ?? []) microtask(() => subscriber.hear?.(text));
    return subscribers?.size ?? 0;
  }
}

/** One subscription; it hears nothing once it ended. */
interface Subscriber {
  hear: ((text: string) => void) | undefined;
}
