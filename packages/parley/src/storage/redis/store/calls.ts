import { monotonicNow } from '../../../jsonrpc/timeout.ts';
import { StoreError } from '../../store.ts';
import type { EngineClient } from './client.ts';
import { isBroken, isNotRun, TimeoutError, answeredWithin, type RedisEngine } from './engine.ts';
import type { StoreScript } from './store-scripts.ts';

/** The most calls that wait for an answer at once. */
const maxOutstanding = 50_000;
/** While a node does not answer, one call is tried in this time, and the others fail at once. */
const probeMs = 250;
/** Wait between two tries of one call. */
const pauseMs = 50;

/** Arguments of a call. */
export type CallArguments = readonly (string | number)[];

/** Sends commands, so that each ends within 2 seconds: with its answer, or as a `StoreError`. */
export class Calls {
  readonly #engine: RedisEngine;
  /** Nodes that do not answer, and when they are tried again. */
  readonly #silent = new Map<string, number>();
  #outstanding = 0;

  constructor(engine: RedisEngine) {
    this.#engine = engine;
  }

  /** Moment at which a call that begins now has ended. */
  lastMoment(): number {
    return monotonicNow() + this.#engine.callMs;
  }

  /** Runs a script. An idempotent one is retried while there is time. */
  async run(
    script: StoreScript,
    keys: readonly string[],
    values: CallArguments,
    until: number = this.lastMoment(),
  ): Promise<unknown> {
    const words = [keys.length, ...keys, ...values];
    return await this.#call(
      keys[0] ?? '',
      async (client) => {
        try {
          return await client.call('evalsha', script.digest, ...words);
        } catch (error) {
          // It did not run: a restarted server knows no scripts.
          if (error instanceof Error && error.message.startsWith('NOSCRIPT'))
            return await client.call('eval', script.text, ...words);
          throw error;
        }
      },
      { until, mayRepeat: true },
    );
  }

  /** Sends a command about one key that may be run twice. */
  async send(command: string, key: string, ...values: CallArguments): Promise<unknown> {
    return await this.#call(key, (client) => client.call(command, key, ...values), {
      until: this.lastMoment(),
      mayRepeat: true,
    });
  }

  /** Runs a command that may have had an effect when it fails, so it is not retried. */
  async once(key: string, send: (client: EngineClient) => Promise<unknown>): Promise<unknown> {
    return await this.#call(key, send, { until: this.lastMoment(), mayRepeat: false });
  }

  async #call(
    key: string,
    send: (client: EngineClient) => Promise<unknown>,
    { until, mayRepeat }: { readonly until: number; readonly mayRepeat: boolean },
  ): Promise<unknown> {
    if (this.#outstanding >= maxOutstanding)
      throw new StoreError('unavailable', `more than ${maxOutstanding} calls wait for Redis already`);
    this.#outstanding++;
    try {
      return await this.#tried(key, send, { until, mayRepeat });
    } finally {
      this.#outstanding--;
    }
  }

  async #tried(
    key: string,
    send: (client: EngineClient) => Promise<unknown>,
    { until, mayRepeat }: { readonly until: number; readonly mayRepeat: boolean },
  ): Promise<unknown> {
    let owner = this.#engine.client === undefined ? '' : this.#engine.ownerOf(this.#engine.client, key);
    this.#refuseSilent(owner);
    for (;;) {
      try {
        const client = this.#engine.client ?? (await answeredWithin(this.#engine.open(), until - monotonicNow()));
        owner = this.#engine.ownerOf(client, key);
        const answer = await answeredWithin(send(client), until - monotonicNow());
        this.#silent.delete(owner);
        return answer;
      } catch (error) {
        const mayGoOn = isNotRun(error) || (mayRepeat && isBroken(error));
        if (!mayGoOn || this.#engine.isClosed || until - monotonicNow() <= pauseMs) {
          if (mayGoOn || isBroken(error) || error instanceof TimeoutError) this.#hush(owner);
          throw this.#engine.errorOf(error);
        }
        await this.#engine.pause(Math.min(pauseMs, until - monotonicNow()));
      }
    }
  }

  #refuseSilent(owner: string): void {
    const again = this.#silent.get(owner);
    if (again === undefined) return;
    const now = monotonicNow();
    if (now < again) {
      this.#engine.refresh();
      throw this.#engine.errorOf(new Error('it did not answer'));
    }
    this.#silent.set(owner, now + probeMs);
  }

  #hush(owner: string): void {
    this.#silent.set(owner, monotonicNow() + probeMs);
    this.#engine.refresh();
    // Nodes that left a cluster are asked nothing any more.
    if (this.#silent.size > 1_000) this.#silent.clear();
  }
}
