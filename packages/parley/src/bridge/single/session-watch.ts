import { backoffMs } from '../../client/connection/backoff.ts';
import { waitFor } from '../../client/api/wait-for.ts';
import type { Subscription } from '../../client/api/subscription.ts';
import { monotonicNow } from '../../jsonrpc/timeout.ts';
import { McpError } from '../../protocol/error.ts';
import { healthyMs, pause } from '../changes.ts';
import { wordsOf } from '../failure.ts';
import { GapBrake } from '../upstream/gap-brake.ts';

/** Parts of a session that a watch needs. */
export interface SessionWatchOptions {
  readonly uri: string;
  /**
   * @param onMissed Called when changes may have been missed.
   * @param signal Aborts opening it.
   */
  open(onMissed: () => void, signal: AbortSignal): Promise<Subscription>;
  /** Tells whether nothing that ends is followed again. */
  isLast(): boolean;
  /** The resource may have changed unheard; once in a while at most. */
  onMissed(): void;
  /** It is over, by itself. */
  onEnd(): void;
  onWarning(message: string): void;
  random(): number;
}

/**
 * One resource subscription of a session. Its client subscribes once and is not notified of an end. If the upstream
 * ends the subscription, it is opened again while the session wants it. (Spec 2025-11-25, Resources, Subscriptions.)
 */
export class SessionWatch {
  readonly #options: SessionWatchOptions;
  readonly #left = new AbortController();
  readonly #gaps: GapBrake;
  /** Number of requests that wait for the upstream to agree. */
  #waiting = 0;
  /** Aborts the request that opens it, while that is in flight. */
  #opening: AbortController | undefined;
  #following: Promise<Subscription>;
  #tries = 0;

  constructor(options: SessionWatchOptions) {
    this.#options = options;
    this.#gaps = new GapBrake(() => options.onMissed());
    this.#following = this.#opened();
    void this.#keep().catch((error: unknown) => this.#lost(wordsOf(error)));
  }

  /**
   * Tells whether the upstream agreed to the subscription.
   *
   * @throws McpError of the refusal.
   */
  async agreed(signal: AbortSignal): Promise<boolean> {
    const following = this.#following;
    this.#waiting++;
    try {
      await waitFor(following, { method: 'resources/subscribe', signal });
    } finally {
      this.#waiting--;
    }
    return this.#isHonoured(await following);
  }

  /** True while the upstream has not agreed, and every request that waited for that was cancelled. */
  get isAbandoned(): boolean {
    return this.#opening !== undefined && this.#waiting === 0;
  }

  /** Ends the subscription. Resolves when the upstream was notified. */
  async leave(): Promise<void> {
    this.#left.abort();
    this.#gaps.close();
    // An open subscription ends with a request. The client waits for that.
    this.#opening?.abort();
    await (await this.#following.catch(() => undefined))?.close();
  }

  async #keep(): Promise<void> {
    const { isLast, onEnd } = this.#options;
    // The caller handles a failed start.
    let subscription = await this.#following.catch(() => undefined);
    while (subscription !== undefined) {
      const since = monotonicNow();
      await subscription.closed;
      if (this.#left.signal.aborted || isLast()) break;
      if (monotonicNow() - since >= healthyMs) this.#tries = 0;
      subscription = await this.#again();
      if (subscription !== undefined) this.#gaps.note();
    }
    this.#gaps.close();
    if (!this.#left.signal.aborted) onEnd();
  }

  #opened(): Promise<Subscription> {
    const { signal } = (this.#opening = new AbortController());
    return this.#options.open(() => this.#gaps.note(), signal).finally(() => (this.#opening = undefined));
  }

  /** Subscribes again. Returns `undefined` if no client wants it any more, or the upstream refuses. */
  async #again(): Promise<Subscription | undefined> {
    const { isLast, random } = this.#options;
    const { signal } = this.#left;
    for (;;) {
      await pause(backoffMs(this.#tries++, random()), signal);
      if (signal.aborted || isLast()) return undefined;
      try {
        this.#following = this.#opened();
        const subscription = await this.#following;
        if (this.#isHonoured(subscription)) return subscription;
        await subscription.close();
        return this.#lost('the upstream server would not watch it any more');
      } catch (error) {
        if (error instanceof McpError && error.kind !== 'internalError' && error.kind !== 'busy')
          return this.#lost(wordsOf(error));
      }
    }
  }

  #isHonoured({ honored }: Subscription): boolean {
    return honored.updates?.includes(this.#options.uri) === true;
  }

  #lost(why: string): undefined {
    const shown = JSON.stringify(this.#options.uri.slice(0, 256));
    if (!this.#left.signal.aborted) this.#options.onWarning(`a session no longer receives changes of ${shown}: ${why}`);
  }
}
