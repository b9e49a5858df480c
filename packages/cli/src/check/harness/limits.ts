import { after, monotonicNow } from '../../../../parley/src/jsonrpc/timeout.ts';

/** Limits of messages to a checked server. */
export interface Bounds {
  /** The most messages in all. */
  readonly messages: number;
  /** The most processes that are started in all. */
  readonly children: number;
  /** The most messages a second; `Infinity` where the server is on this machine. */
  readonly perSecond: number;
  /**
   * The longest time of a run in milliseconds: a server that always sends other messages makes each request wait its
   * full time.
   */
  readonly ms: number;
}

/** Lets no more than so many things go on at once; the rest waits, in order. */
export class ConcurrencyLimit {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  async take<T>(act: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await act();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free++;
      else next();
    }
  }
}

/** The bound that was reached, after which nothing more is sent. */
export class Spent extends Error {}

/** Counts what is sent, and spreads it over time. */
export class Budget {
  messages = 0;
  children = 0;
  readonly #limits: Bounds;
  readonly #signal: AbortSignal;
  #next = 0;

  constructor(limits: Bounds, signal: AbortSignal) {
    this.#limits = limits;
    this.#signal = signal;
  }

  /**
   * Waits until one more message may be sent.
   *
   * @throws Spent when there may be no more; what the signal was aborted with.
   */
  async message(): Promise<void> {
    this.#signal.throwIfAborted();
    if (this.messages >= this.#limits.messages)
      throw new Spent(`no more than ${this.#limits.messages} messages are sent`);
    this.messages++;
    const now = monotonicNow();
    const at = Math.max(now, this.#next);
    this.#next = at + 1_000 / this.#limits.perSecond;
    if (at > now) await new Promise<void>((resolve) => void after(at - now, resolve, true));
    this.#signal.throwIfAborted();
  }

  /** @throws Spent when no more processes may be started. */
  child(): void {
    this.#signal.throwIfAborted();
    if (this.children >= this.#limits.children)
      throw new Spent(`no more than ${this.#limits.children} processes are started`);
    this.children++;
  }
}
