import {
  extensionListeners,
  type Subscription,
  type SubscriptionEnd,
  type Topics,
} from '../../client/api/subscription.ts';
import type { JsonObject } from '../../protocol/features/common.ts';
import { GapBrake } from '../upstream/gap-brake.ts';
import type { Upstream } from '../upstream/upstream.ts';

/** Parts of those who want a stream that it needs. */
export interface WatchStreamOptions {
  /** Client that it was begun for. */
  readonly owner: string | undefined;
  /** Updates may have been missed. */
  onMissed(stream: WatchStream): void;
  /** A notification of an extension came on it. */
  onExtension(stream: WatchStream, method: string, params: JsonObject): void;
  /** It ended, or never began. */
  onEnd(stream: WatchStream, end: SubscriptionEnd): void;
}

/** One stream of the shared connection, for several resources. */
export class WatchStream {
  /** The resources that still have a subscriber. None is added later. */
  readonly uris: Set<string>;
  /** The client that it counts for. */
  readonly owner: string | undefined;
  /** Settles when the upstream agreed to the stream, or would not. */
  readonly opening: Promise<Subscription>;
  readonly #gaps: GapBrake;
  /** Aborts opening it. */
  readonly #unwanted = new AbortController();
  #subscription: Subscription | undefined;

  constructor(main: Upstream, uris: readonly string[], { owner, onMissed, onExtension, onEnd }: WatchStreamOptions) {
    this.uris = new Set(uris);
    this.owner = owner;
    this.#gaps = new GapBrake(() => onMissed(this));
    const topics = { updates: uris };
    extensionListeners.set(topics, (method, params) => onExtension(this, method, params));
    this.opening = this.#open(main, topics, () => this.#gaps.note());
    const end = (why: SubscriptionEnd): void => {
      this.#gaps.close();
      onEnd(this, why);
    };
    // The subscriber handles a failed start.
    void this.opening.then((subscription) => subscription.closed).then(end, () => end({ graceful: false }));
  }

  /** Tells whether the upstream watches a resource. */
  honours(uri: string): boolean {
    return this.#subscription?.honored.updates?.includes(uri) === true;
  }

  /**
   * Resolves when the upstream was notified. A stream that failed to start is over already. A starting one is aborted.
   */
  async close(): Promise<void> {
    if (this.#subscription === undefined) this.#unwanted.abort();
    await (await this.opening.catch(() => undefined))?.close();
  }

  async #open(main: Upstream, topics: Topics, onReopened: () => void): Promise<Subscription> {
    return (this.#subscription = await main.follow(topics, onReopened, this.#unwanted.signal));
  }
}
