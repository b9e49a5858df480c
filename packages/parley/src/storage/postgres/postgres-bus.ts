import type { Bus, SubscriberCount, Unsubscribe } from '../bus.ts';
import { Subscribers } from '../subscribers.ts';
import { ListeningClient } from './listening.ts';
import type { PostgresPool } from './pool.ts';

/** The channel of `LISTEN` and `NOTIFY`: one for all, whose texts name the channel of the bus. */
const notifications = 'parley_tasks';

/** Longest text of a notification, in bytes; PostgreSQL takes less than 8,000. */
const longest = 7_900;

/** The most texts of one statement. */
const maxTexts = 1_000;

interface Publication {
  readonly payload: string;
  resolve(): void;
  reject(reason: unknown): void;
}

/**
 * Sends texts by `NOTIFY`. While there is a subscriber, one connection of the pool listens. If it breaks, another one
 * does, and messages meanwhile are lost.
 */
export class PostgresBus implements Bus {
  readonly #pool: PostgresPool;
  readonly #listening: ListeningClient;
  readonly #subscribers = new Subscribers();
  #waiting: Publication[] = [];
  #isPublishing = false;
  #published = 0;

  constructor(pool: PostgresPool) {
    this.#pool = pool;
    this.#listening = new ListeningClient(pool, notifications, (payload) => this.#heard(payload));
  }

  publish(channel: string, text: string): Promise<SubscriberCount> {
    // The number tells equal texts apart, of which PostgreSQL would hand over one.
    const payload = `${++this.#published} ${channel.length} ${channel}${text}`;
    if (payload.includes('\0') || new TextEncoder().encode(payload).length > longest)
      return Promise.reject(new TypeError(`a text of a bus in PostgreSQL has up to ${longest} bytes, and no U+0000`));
    return new Promise((resolve, reject) => {
      this.#waiting.push({ payload, resolve: () => resolve(), reject });
      if (!this.#isPublishing) void this.#publish();
    });
  }

  async subscribe(channel: string, hear: (text: string) => void): Promise<Unsubscribe> {
    const leave = this.#subscribers.add(channel, hear);
    const end = (): void => {
      leave();
      if (this.#subscribers.size === 0) this.#listening.stop();
    };
    try {
      await this.#listening.start();
    } catch (error) {
      end();
      throw error;
    }
    return end;
  }

  /** Sends texts that came during a statement with the next one, so that the order is that of publishing. */
  async #publish(): Promise<void> {
    this.#isPublishing = true;
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, maxTexts);
      const texts = batch.map(({ payload }) => payload);
      try {
        await this.#pool.query('select pg_notify($1, text) from unnest($2::text[]) as text', [notifications, texts]);
        for (const { resolve } of batch) resolve();
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    this.#isPublishing = false;
  }

  #heard(payload: string): void {
    const [head = '', length = ''] = /^\d+ (\d+) /.exec(payload) ?? [];
    const from = head.length;
    const channel = payload.slice(from, from + Number(length));
    this.#subscribers.tell(channel, payload.slice(from + Number(length)));
  }
}
