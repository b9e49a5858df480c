import type { ServerCapabilities } from '../../protocol/capability.ts';
import type { Subscription, SubscriptionEnd, SubscriptionEvent, Topics } from '../api/subscription.ts';
import type { ClientWatches } from './watches.ts';

/** Parts of its client that a subscription of a handshake revision needs. */
export interface WatchSubscriptionOptions {
  capabilities(): ServerCapabilities;
  /** Tells whether the server may send unrequested messages. */
  hears(): boolean;
  readonly watches: ClientWatches;
  heard(event: SubscriptionEvent): void;
  done(subscription: WatchSubscription): void;
}

/**
 * A subscription to a session-based server: it sends list changes without a request, and updates of single resources
 * after `resources/subscribe`. (Spec 2025-11-25, Resources, Subscriptions.)
 */
export class WatchSubscription implements Subscription {
  readonly topics: Topics;
  readonly closed: Promise<SubscriptionEnd>;
  readonly #options: WatchSubscriptionOptions;
  readonly #uris: readonly string[];
  readonly #resolveClosed: (end: SubscriptionEnd) => void;
  #held: readonly string[] = [];
  #ended = false;
  /** Topics that were agreed to when it ended. */
  #last: Topics | undefined;

  constructor(topics: Topics, options: WatchSubscriptionOptions) {
    this.topics = topics;
    this.#options = options;
    this.#uris = [...new Set(topics.updates)];
    let resolveClosed!: (end: SubscriptionEnd) => void;
    this.closed = new Promise((resolve) => (resolveClosed = resolve));
    this.#resolveClosed = resolveClosed;
  }

  get honored(): Topics {
    if (this.#last !== undefined) return this.#last;
    if (!this.#options.hears()) return {};
    const { tools, prompts, resources } = this.#options.capabilities();
    const watched = this.#held.filter((uri) => this.#options.watches.has(uri));
    return {
      ...(this.topics.tools === true && tools?.listChanged === true && { tools: true }),
      ...(this.topics.prompts === true && prompts?.listChanged === true && { prompts: true }),
      ...(this.topics.resources === true && resources?.listChanged === true && { resources: true }),
      ...(watched.length > 0 && { updates: watched }),
    };
  }

  /** Resolves when the server watches the resources, as far as it does. */
  async open(): Promise<void> {
    if (this.#uris.length === 0 || this.#options.capabilities().resources?.subscribe !== true) return;
    this.#held = this.#uris;
    try {
      await this.#options.watches.hold(this.#uris);
    } catch (error) {
      this.giveUp();
      throw error;
    }
  }

  heard(event: SubscriptionEvent): void {
    if (!this.#ended) this.#options.heard(event);
  }

  async close(): Promise<void> {
    await this.#release(true);
  }

  /** Ends it, and notifies the server without waiting for that. */
  giveUp(): void {
    void this.#release(false);
  }

  /** Ends it without notifying the server, which is gone or need not know. */
  end(end: SubscriptionEnd): void {
    if (this.#ended) return;
    this.#finish(end);
    this.#options.watches.forget(this.#held);
  }

  async #release(isAwaited: boolean): Promise<void> {
    if (this.#ended) return;
    this.#finish({ graceful: true });
    await this.#options.watches.release(this.#held, isAwaited);
  }

  #finish(end: SubscriptionEnd): void {
    this.#last = this.honored;
    this.#ended = true;
    this.#options.done(this);
    this.#resolveClosed(end);
  }
}
