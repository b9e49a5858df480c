import { after } from '../../jsonrpc/timeout.ts';
import type { PostgresClient, PostgresPool } from './pool.ts';

/** Pauses between attempts to listen again, in milliseconds; the last one is repeated. */
const pauses: readonly number[] = [100, 1_000, 5_000];

/**
 * One connection that listens to a channel of PostgreSQL from `start` to `stop`. If it breaks, another one is opened.
 */
export class ListeningClient {
  readonly #pool: PostgresPool;
  readonly #channel: string;
  readonly #hear: (payload: string) => void;
  #opening: Promise<void> | undefined;
  #client: PostgresClient | undefined;
  #wanted = false;
  #cancel = (): void => {};

  constructor(pool: PostgresPool, channel: string, hear: (payload: string) => void) {
    this.#pool = pool;
    this.#channel = channel;
    this.#hear = hear;
  }

  /** Resolves when later messages will be received. */
  async start(): Promise<void> {
    this.#wanted = true;
    if (this.#client !== undefined) return;
    this.#opening ??= this.#open().finally(() => (this.#opening = undefined));
    await this.#opening;
  }

  /** Closes the connection. */
  stop(): void {
    this.#wanted = false;
    this.#cancel();
    const client = this.#client;
    this.#client = undefined;
    // It is not returned to the pool: no other user wants its notifications.
    client?.release(true);
  }

  async #open(): Promise<void> {
    const client = await this.#pool.connect();
    let broken = false;
    const lost = (): void => {
      broken = true;
      if (this.#client !== client) return;
      this.#client = undefined;
      client.release(true);
      this.#again(0);
    };
    client.on('error', lost);
    client.on('end', lost);
    client.on('notification', ({ channel, payload }) => {
      if (channel === this.#channel && payload !== undefined) this.#hear(payload);
    });
    try {
      await client.query(`listen ${this.#channel}`);
      if (broken) throw new Error('the connection that was to listen broke');
    } catch (error) {
      client.release(true);
      throw error;
    }
    if (this.#wanted) this.#client = client;
    else client.release(true);
  }

  #again(attempt: number): void {
    if (!this.#wanted) return;
    const pause = pauses[Math.min(attempt, pauses.length - 1)] ?? 0;
    this.#cancel = after(pause, () => {
      if (this.#wanted) this.start().catch(() => this.#again(attempt + 1));
    });
  }
}
