import { covers, type Subscription, type SubscriptionEnd } from '../client/subscription.ts';
import type { JsonObject } from '../protocol/common.ts';
import type { Upstream } from './upstream.ts';

/** One resource on the connection that all clients share. */
interface Watched {
  readonly opening: Promise<Subscription>;
  readonly hearers: Set<Hearer>;
}

type Hearer = (params: JsonObject) => void;

/** Watches of single resources where all clients share one connection: each resource is watched upstream once. */
export class SharedWatches {
  readonly #main: Upstream;
  readonly #watched = new Map<string, Watched>();

  constructor(main: Upstream) {
    this.#main = main;
  }

  /** An update on the shared connection, for whoever watches the resource, or what the resource is a part of. */
  heard(params: JsonObject): void {
    const { uri } = params;
    if (typeof uri !== 'string') return;
    for (const [watched, { hearers }] of this.#watched)
      if (covers({ resources: [watched] }, { type: 'resource', uri })) for (const hearer of hearers) hearer(params);
  }

  /** Watches resources for one client; the subscription ends when that of any of them does. */
  async follow(uris: readonly string[], hearer: Hearer): Promise<Subscription> {
    const subscriptions = await Promise.all(uris.map(async (uri) => await this.#watch(uri, hearer)));
    const honoured = uris.filter((uri, at) => subscriptions[at]?.honoured.resources?.includes(uri) === true);
    let left!: (end: SubscriptionEnd) => void;
    const leaving = new Promise<SubscriptionEnd>((resolve) => (left = resolve));
    const close = async (): Promise<void> => {
      left({ graceful: true });
      await Promise.all(uris.map(async (uri) => await this.#leave(uri, hearer)));
    };
    const closed = Promise.race([leaving, ...subscriptions.map((subscription) => subscription.closed)]);
    return { honoured: { resources: honoured }, closed, close };
  }

  async #watch(uri: string, hearer: Hearer): Promise<Subscription> {
    const known = this.#watched.get(uri);
    if (known !== undefined) {
      known.hearers.add(hearer);
      return await known.opening;
    }
    const missed = (): void => this.heard({ uri });
    const watched: Watched = { opening: this.#main.follow({ resources: [uri] }, missed), hearers: new Set([hearer]) };
    this.#watched.set(uri, watched);
    const forget = (): void => {
      if (this.#watched.get(uri) === watched) this.#watched.delete(uri);
    };
    void watched.opening.then((subscription) => subscription.closed).then(forget, forget);
    return await watched.opening;
  }

  async #leave(uri: string, hearer: Hearer): Promise<void> {
    const watched = this.#watched.get(uri);
    if (watched?.hearers.delete(hearer) !== true || watched.hearers.size > 0) return;
    this.#watched.delete(uri);
    await (await watched.opening.catch(() => undefined))?.close();
  }
}
