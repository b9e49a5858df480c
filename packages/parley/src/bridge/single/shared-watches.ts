import { waitFor } from '../../client/api/wait-for.ts';
import type { Subscription, SubscriptionEnd } from '../../client/api/subscription.ts';
import type { JsonObject } from '../../protocol/features/common.ts';
import { kindOfOwner } from '../../auth/common/owner.ts';
import { McpError } from '../../protocol/error.ts';
import type { Upstream } from '../upstream/upstream.ts';
import { Shares } from './shares.ts';
import { WatchStream } from './watch-stream.ts';
import { wholesOf } from './wholes.ts';

/** One resource on the shared connection. */
interface Watched {
  /** The client that it counts for: the first one that wanted it. */
  readonly owner: string | undefined;
  readonly stream: WatchStream;
  readonly followers: Set<Follower>;
}

/** Follower of some resources. */
interface Follower {
  hear(params: JsonObject, method?: string): void;
  end(end: SubscriptionEnd): void;
}

/** Options of watching some resources for one client. */
export interface FollowOptions {
  /** The client that new resources count for. */
  readonly owner: string | undefined;
  /** Aborts the wait for the upstream's agreement. */
  readonly signal: AbortSignal;
}

/** Limit of subscribed resources of all clients together, half of which may count for one client. */
const maxWatched = 100_000;
/** Limit of open streams. Each is a subscription of one client of the server, which may have 1,000. */
const maxStreams = 900;

/**
 * Resource subscriptions on a shared connection. Each client request opens one upstream stream, for those of its
 * resources that have no subscription yet.
 */
export class SharedWatches {
  readonly #main: Upstream;
  readonly #watched = new Map<string, Watched>();
  readonly #streams = new Set<WatchStream>();
  readonly #places = new Shares(maxWatched);
  readonly #begun = new Shares(maxStreams);

  constructor(main: Upstream) {
    this.#main = main;
  }

  /** An update on the shared connection, for the subscribers of the resource or of a resource that contains it. */
  heard(params: JsonObject): void {
    const { uri } = params;
    if (typeof uri !== 'string') return;
    for (const watched of wholesOf(uri, this.#watched))
      for (const follower of this.#watched.get(watched)?.followers ?? []) follower.hear(params);
  }

  /**
   * Subscribes to resources for one client. The subscription ends when the upstream ends a stream that covers any of
   * them.
   *
   * @throws McpError of the upstream's refusal; invalidRequest if there are too many subscriptions.
   */
  async follow(
    uris: readonly string[],
    hear: Follower['hear'],
    { owner, signal }: FollowOptions,
  ): Promise<Subscription> {
    const fresh = uris.filter((uri) => !this.#watched.has(uri));
    if (fresh.length > 0) this.#demandRoom(fresh.length, owner);
    let end!: (end: SubscriptionEnd) => void;
    const closed = new Promise<SubscriptionEnd>((resolve) => (end = resolve));
    const follower = { hear, end };
    if (fresh.length > 0) this.#begin(fresh, owner);
    const streams = uris.flatMap((uri) => {
      const watched = this.#watched.get(uri);
      watched?.followers.add(follower);
      return watched === undefined ? [] : [watched.stream];
    });
    try {
      const opening = Promise.all([...new Set(streams)].map(async (stream) => await stream.opening));
      await waitFor(opening, { method: 'subscribing', signal });
    } catch (error) {
      void Promise.allSettled(this.#leave(uris, follower));
      throw error;
    }
    const honored = uris.filter((uri) => this.#watched.get(uri)?.stream.honours(uri) === true);
    const agreed = new Set(honored);
    void Promise.allSettled(
      this.#leave(
        uris.filter((uri) => !agreed.has(uri)),
        follower,
      ),
    );
    const close = async (): Promise<void> => {
      end({ graceful: true });
      await Promise.all(this.#leave(honored, follower));
    };
    return { honored: { updates: honored }, closed, close };
  }

  #demandRoom(count: number, owner: string | undefined): void {
    const whose = owner === undefined ? 'client' : kindOfOwner(owner);
    requireRoom('resource subscriptions', this.#places.exceeded(count, owner), maxWatched, whose);
    requireRoom('streams of resource subscriptions', this.#begun.exceeded(1, owner), maxStreams, whose);
  }

  #begin(uris: readonly string[], owner: string | undefined): void {
    const stream = this.#stream(uris, owner);
    this.#places.add(uris.length, owner);
    for (const uri of uris) this.#watched.set(uri, { owner, stream, followers: new Set() });
  }

  #stream(uris: readonly string[], owner: string | undefined): WatchStream {
    const stream = new WatchStream(this.#main, uris, {
      owner,
      onMissed: ({ uris: missed }) => missed.forEach((uri) => this.heard({ uri })),
      onExtension: (of, method, params) => this.#extension(of, method, params),
      onEnd: (ended, why) => this.#ended(ended, why),
    });
    this.#streams.add(stream);
    this.#begun.add(1, owner);
    return stream;
  }

  /** A notification of an extension belongs to the client of the stream, if there is only one. */
  #extension({ uris }: WatchStream, method: string, params: JsonObject): void {
    const followers = new Set([...uris].flatMap((uri) => [...(this.#watched.get(uri)?.followers ?? [])]));
    const [only] = followers;
    if (followers.size === 1) only?.hear(params, method);
  }

  #forget(stream: WatchStream): void {
    if (this.#streams.delete(stream)) this.#begun.add(-1, stream.owner);
  }

  /** Frees the place of a resource without subscribers. */
  #free(uri: string, { owner }: Watched): void {
    if (this.#watched.delete(uri)) this.#places.add(-1, owner);
  }

  /** Forgets the resources of a stream that ended by itself, so that they can be asked for again. */
  #ended(stream: WatchStream, why: SubscriptionEnd): void {
    this.#forget(stream);
    for (const uri of stream.uris) {
      const watched = this.#watched.get(uri);
      if (watched?.stream !== stream) continue;
      this.#free(uri, watched);
      for (const follower of watched.followers) follower.end(why);
    }
  }

  /** Ends the interest of one client in resources. Returns the ends of the streams that have no subscriber left. */
  #leave(uris: readonly string[], follower: Follower): Promise<void>[] {
    const left = new Set<WatchStream>();
    for (const uri of uris) {
      const watched = this.#watched.get(uri);
      if (watched?.followers.delete(follower) !== true || watched.followers.size > 0) continue;
      this.#free(uri, watched);
      watched.stream.uris.delete(uri);
      left.add(watched.stream);
    }
    return this.#drop([...left]);
  }

  /** Ends those streams that are about nothing any more. */
  #drop(streams: readonly WatchStream[]): Promise<void>[] {
    // A stream that has ended already needs no end.
    const unused = streams.filter((stream) => stream.uris.size === 0 && this.#streams.has(stream));
    return unused.map(async (stream) => {
      this.#forget(stream);
      await stream.close();
    });
  }
}

function requireRoom(what: string, exceeded: number | undefined, most: number, one: string): void {
  if (exceeded === undefined) return;
  const whose = exceeded === most ? 'all clients' : `one ${one}`;
  throw new McpError('invalidRequest', `too many ${what} of ${whose}; the limit is ${exceeded}`);
}
