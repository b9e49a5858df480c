import { monotonicNow } from '../../../jsonrpc/timeout.ts';
import { maxBusTextLength, type CountingBus, type Unsubscribe } from '../../bus.ts';
import { StoreError } from '../../store.ts';
import type { EngineClient } from './client.ts';
import { isNotRun, TimeoutError, answeredWithin, type RedisEngine } from './engine.ts';
import type { RedisKeys } from './keys.ts';
import type { RedisListening } from './listening.ts';

/** Time that a text waits for a server that takes over. */
const maxWaitMs = 5_000;
/** The most characters that wait where their server cannot be sent to. */
const maxWaiting = 8 * 1024 * 1024;
/** Limit while the server answers and texts wait for earlier ones. */
const maxInTurnLength = 64 * 1024 * 1024;
/** The most texts, and characters of them, that are published together. */
const maxAtOnce = 100;
const maxAtOnceLength = 1024 * 1024;
/** Room that a text takes beside its own while it waits, in characters. */
const besideText = 256;
const pauseMs = 50;

/**
 * Publishes only at a primary. A replica also accepts a bare `SPUBLISH`, as a former primary does, and returns its
 * number of listeners. But the new primary's messages overtake its own. A script that names a key is redirected to the
 * primary. The text of the script is short enough to be sent each time. It has no first line, so that a full server
 * runs it.
 */
const publishing =
  "local heard = {} for at, text in ipairs(ARGV) do heard[at] = redis.call('spublish', KEYS[1], text) end return heard";

/** A text that waits for its turn on a channel. */
interface Waiting {
  readonly text: string;
  readonly until: number;
  resolve(heard: number): void;
  reject(error: unknown): void;
}

/** Texts that wait on one channel. */
interface Queue {
  readonly texts: Waiting[];
  /** True while its server cannot be sent to. */
  isHeld: boolean;
}

/**
 * Sends texts by `SPUBLISH`. Those of one channel keep their order. In a cluster, they are sent after the previous ones
 * have arrived, all waiting ones together: otherwise a redirected message could be overtaken by a direct one. During a
 * failover they wait, each at most 5 seconds. A text that may have been sent is never sent again.
 */
export class RedisStoreBus implements CountingBus {
  readonly #engine: RedisEngine;
  readonly #keys: RedisKeys;
  readonly #listening: RedisListening;
  /** Texts that wait on each channel for those that are under way there. */
  readonly #waiting = new Map<string, Queue>();
  readonly #longest: number;
  readonly #maxWait: number;
  #length = 0;
  /** Since when nothing could be sent to a node. */
  readonly #lostSince = new Map<string, number>();

  /** @param room Times that a text may be longer than one of a user. */
  constructor(
    engine: RedisEngine,
    { keys, listening, room }: { readonly keys: RedisKeys; readonly listening: RedisListening; readonly room: number },
  ) {
    this.#longest = maxBusTextLength * room;
    this.#engine = engine;
    this.#maxWait = Math.max(maxWaitMs, engine.callMs);
    this.#keys = keys;
    this.#listening = listening;
  }

  async publish(channel: string, text: string): Promise<number> {
    if (text.length > this.#longest)
      throw new StoreError(
        'too-large',
        `a text on the bus has up to ${maxBusTextLength} characters, not ${text.length}`,
      );
    const name = this.#keys.channel(channel);
    const client = this.#waiting.get(name)?.isHeld === true ? undefined : this.#engine.readyFor(name);
    if (client === undefined || client.isCluster === true || this.#waiting.has(name))
      return await this.#inTurn(name, text, client === undefined);
    try {
      const [heard = 0] = await this.#sent(client, name, [text]);
      return heard;
    } catch (error) {
      if (!isNotRun(error)) throw this.#engine.errorOf(error);
    }
    return await this.#inTurn(name, text, true);
  }

  async subscribe(channel: string, hear: (text: string) => void, onGap: () => void = ignore): Promise<Unsubscribe> {
    let isOver = false;
    // An error of one listener does not affect others.
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

  async #sent(client: EngineClient, name: string, texts: readonly string[]): Promise<readonly number[]> {
    const [text = '', ...others] = texts;
    const answer =
      client.isCluster === true || others.length > 0
        ? client.call('eval', publishing, 1, name, ...texts)
        : client.call('spublish', name, text);
    const heard = await answeredWithin(answer, this.#engine.callMs);
    this.#lostSince.delete(this.#engine.ownerOf(client, name));
    return (Array.isArray(heard) ? heard : [heard]).map(Number);
  }

  #inTurn(name: string, text: string, isHeld: boolean): Promise<number> {
    if (this.#length + roomOf(text) > (isHeld ? maxWaiting : maxInTurnLength))
      throw new StoreError('unavailable', 'more texts wait for Redis than there is room for');
    this.#length += roomOf(text);
    return new Promise((resolve, reject) => {
      const one: Waiting = { text, until: monotonicNow() + this.#maxWait, resolve, reject };
      const others = this.#waiting.get(name);
      if (others !== undefined) return void others.texts.push(one);
      const queue: Queue = { texts: [one], isHeld };
      this.#waiting.set(name, queue);
      void this.#sendAll(name, queue);
    });
  }

  /** Sends what waits on a channel until nothing does. It never rejects. */
  async #sendAll(name: string, queue: Queue): Promise<void> {
    while (queue.texts.length > 0) {
      const some = queue.texts.splice(0, countOf(queue.texts));
      await this.#sendInTime(name, some, queue);
      for (const { text } of some) this.#length -= roomOf(text);
    }
    this.#waiting.delete(name);
  }

  /** Sends texts together, each within its own time limit: earlier ones may have used much of it. */
  async #sendInTime(name: string, some: readonly Waiting[], queue: Queue): Promise<void> {
    let error: unknown = new TimeoutError(this.#maxWait);
    for (let left = some, leastMs = 0; ; leastMs = pauseMs) {
      const latest = monotonicNow() + leastMs;
      for (const { until, reject } of left) if (until <= latest) reject(this.#engine.errorOf(error));
      left = left.filter(({ until }) => until > latest);
      const until = left.at(-1)?.until;
      if (until === undefined) return;
      try {
        if (await this.#sentOnce(name, left, until)) return void (queue.isHeld = false);
        error = new TimeoutError(this.#maxWait);
      } catch (cause) {
        error = cause;
        if (!isNotRun(cause)) return left.forEach(({ reject }) => reject(this.#engine.errorOf(cause)));
      }
      queue.isHeld = true;
      await this.#engine.pause(pauseMs);
    }
  }

  /** Sends texts if their server can be reached now, and settles their promises; false if it cannot. */
  async #sentOnce(name: string, some: readonly Waiting[], until: number): Promise<boolean> {
    const opened = await answeredWithin(this.#engine.open(), Math.min(until - monotonicNow(), this.#engine.callMs));
    const client = this.#engine.readyFor(name);
    if (client === undefined) {
      this.#refuseLost(this.#engine.ownerOf(opened, name));
      return false;
    }
    const texts = some.map(({ text }) => text);
    const heard = await this.#sent(client, name, texts);
    for (const [at, { resolve }] of some.entries()) resolve(heard[at] ?? 0);
    return true;
  }

  /** Texts for a server that is down for longer fail at once. */
  #refuseLost(node: string): void {
    const now = monotonicNow();
    const since = this.#lostSince.get(node) ?? now;
    if (this.#lostSince.size > 1_000) this.#lostSince.clear();
    this.#lostSince.set(node, since);
    if (now - since > this.#maxWait || this.#engine.isClosed) throw this.#engine.errorOf(new TimeoutError(now - since));
  }
}

/** Number of those that wait which go together. */
function countOf(queue: readonly Waiting[]): number {
  let length = 0;
  const next = queue.slice(0, maxAtOnce);
  const over = next.findIndex(({ text }, at) => (length += text.length) > maxAtOnceLength && at > 0);
  return over < 0 ? next.length : over;
}

/** Room of a waiting text and its promise, in characters. */
function roomOf(text: string): number {
  return text.length + besideText;
}

/** Used when a subscriber passes no gap listener: tasks accept a bus without gap notices. */
function ignore(): void {}
