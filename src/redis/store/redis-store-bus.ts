import { monotonicNow } from '../../jsonrpc/timeout.ts';
import { longestBusText, type CountingBus, type Unsubscribe } from '../../store/bus.ts';
import { StoreError } from '../../store/store.ts';
import type { EngineClient } from './client.ts';
import { isNotRun, longestCallMs, TimeoutError, answeredWithin, type RedisEngine } from './engine.ts';
import type { RedisKeys } from './keys.ts';
import type { RedisListening } from './listening.ts';

/** Time that a text waits for a server that takes over. */
const longestWaitMs = 5_000;
/** The most characters that wait. */
const longestWaiting = 8 * 1024 * 1024;
const pauseMs = 50;

/**
 * Publishes at a primary alone. A replica takes a bare `SPUBLISH` too, as one that handed over does, and answers how many listen there; what it tells them is
 * overtaken by what the new primary does. A script that names a key is sent on to that. Its text is short enough to go along each time, and it has no first
 * line, so that a full server runs it.
 */
const publishing = "return redis.call('spublish', KEYS[1], ARGV[1])";

/**
 * Carries texts by `SPUBLISH`. Those of one channel leave in the order in which they came. While its server fails over they wait, each at most 5 seconds; one that may
 * have been sent is never sent again.
 */
export class RedisStoreBus implements CountingBus {
  readonly #engine: RedisEngine;
  readonly #keys: RedisKeys;
  readonly #listening: RedisListening;
  /** The last text of each channel that waits, so that the next one does after it. */
  readonly #waiting = new Map<string, Promise<unknown>>();
  readonly #longest: number;
  #length = 0;
  /** Since when nothing could be sent to a node. */
  readonly #lostSince = new Map<string, number>();

  /** @param room Times that a text may be longer than one of a user. */
  constructor(
    engine: RedisEngine,
    { keys, listening, room }: { readonly keys: RedisKeys; readonly listening: RedisListening; readonly room: number },
  ) {
    this.#longest = longestBusText * room;
    this.#engine = engine;
    this.#keys = keys;
    this.#listening = listening;
  }

  async publish(channel: string, text: string): Promise<number> {
    if (text.length > this.#longest)
      throw new StoreError('too-large', `a text on the bus has up to ${longestBusText} characters, not ${text.length}`);
    const name = this.#keys.channel(channel);
    const client = this.#waiting.has(name) ? undefined : this.#engine.readyFor(name);
    if (client === undefined) return await this.#wait(name, text);
    try {
      return await this.#sent(client, name, text);
    } catch (error) {
      if (!isNotRun(error)) throw this.#engine.errorOf(error);
    }
    return await this.#wait(name, text);
  }

  async subscribe(channel: string, hear: (text: string) => void, onGap: () => void = ignore): Promise<Unsubscribe> {
    let isOver = false;
    // What a listener throws is in nobody's way.
    const told = (run: () => void): void => queueMicrotask(() => isOver || run());
    const leave = await this.#listening.listen(this.#keys.channel(channel), {
      hear: (text) => told(() => hear(text)),
      gap: () => told(onGap),
    });
    return () => {
      isOver = true;
      leave();
    };
  }

  async #sent(client: EngineClient, name: string, text: string): Promise<number> {
    const answer =
      client.isCluster === true ? client.call('eval', publishing, 1, name, text) : client.call('spublish', name, text);
    const heard = Number(await answeredWithin(answer, longestCallMs));
    this.#lostSince.delete(this.#engine.ownerOf(client, name));
    return heard;
  }

  async #wait(name: string, text: string): Promise<number> {
    if (this.#length + text.length > longestWaiting)
      throw new StoreError('unavailable', 'more texts wait for Redis than there is room for');
    this.#length += text.length;
    const until = monotonicNow() + longestWaitMs;
    const before = this.#waiting.get(name);
    const mine = (async () => {
      await before?.catch(() => undefined);
      return await this.#sentInTime(name, text, until);
    })();
    this.#waiting.set(name, mine);
    try {
      return await mine;
    } finally {
      this.#length -= text.length;
      if (this.#waiting.get(name) === mine) this.#waiting.delete(name);
    }
  }

  async #sentInTime(name: string, text: string, until: number): Promise<number> {
    for (;;) {
      try {
        const opened = await answeredWithin(this.#engine.open(), Math.min(until - monotonicNow(), longestCallMs));
        const client = this.#engine.readyFor(name);
        if (client !== undefined) return await this.#sent(client, name, text);
        this.#refuseLost(this.#engine.ownerOf(opened, name), until);
      } catch (error) {
        if (!isNotRun(error) || until - monotonicNow() <= pauseMs) throw this.#engine.errorOf(error);
      }
      await this.#engine.pause(pauseMs);
    }
  }

  /** A server that is away for longer is not waited for. */
  #refuseLost(node: string, until: number): void {
    const now = monotonicNow();
    const since = this.#lostSince.get(node) ?? now;
    if (this.#lostSince.size > 1_000) this.#lostSince.clear();
    this.#lostSince.set(node, since);
    if (now >= until || now - since > longestWaitMs || this.#engine.isClosed)
      throw this.#engine.errorOf(new TimeoutError(now - since));
  }
}

/** In the place of who hears of gaps: tasks take a bus that need not tell of them. */
function ignore(): void {}
