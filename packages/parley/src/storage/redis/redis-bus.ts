import type { Bus, SubscriberCount, Unsubscribe } from '../bus.ts';
import { Subscribers } from '../subscribers.ts';
import type { RedisConnection, RedisSubscription } from './connection.ts';

/**
 * Sends texts by `PUBLISH`. While there is a subscriber, a separate connection listens. Messages are lost while it is
 * broken.
 */
export class RedisBus implements Bus {
  readonly #connection: RedisConnection;
  readonly #channel: string;
  readonly #subscribers = new Subscribers();
  #listening: Promise<RedisSubscription> | undefined;

  /** @param channel The channel of Redis: one for all, whose texts name the channel of the bus. */
  constructor(connection: RedisConnection, channel: string) {
    this.#connection = connection;
    this.#channel = channel;
  }

  async publish(channel: string, text: string): Promise<SubscriberCount> {
    await this.#connection.publish(this.#channel, `${channel.length} ${channel}${text}`);
  }

  async subscribe(channel: string, hear: (text: string) => void): Promise<Unsubscribe> {
    const leave = this.#subscribers.add(channel, hear);
    const end = (): void => {
      leave();
      if (this.#subscribers.size === 0) this.#stop();
    };
    try {
      await (this.#listening ??= this.#connection.subscribe(this.#channel, (payload) => this.#heard(payload)));
    } catch (error) {
      end();
      throw error;
    }
    return end;
  }

  #stop(): void {
    const listening = this.#listening;
    this.#listening = undefined;
    listening?.then(
      (subscription) => subscription.close(),
      () => undefined,
    );
  }

  #heard(payload: string): void {
    const [head = '', length = ''] = /^(\d+) /.exec(payload) ?? [];
    const end = head.length + Number(length);
    this.#subscribers.tell(payload.slice(head.length, end), payload.slice(end));
  }
}
