import type { Subscription } from '../../client/api/subscription.ts';
import type { Call } from '../../server/runtime/call.ts';
import type { ServerSession } from '../../server/runtime/server-core.ts';
import type { JsonObject } from '../../protocol/features/common.ts';
import { McpError } from '../../protocol/error.ts';
import type { SubscriptionFilter } from '../../protocol/features/subscriptions.ts';
import { maxResources, ownWords, subscribed, type Changes } from '../changes.ts';
import { wordsOf } from '../failure.ts';
import type { FollowedTasks } from '../tasks/task-listening.ts';
import type { Pool } from '../upstream/pool.ts';
import { SessionWatch } from './session-watch.ts';
import { SharedWatches } from './shared-watches.ts';
import type { Upstream } from '../upstream/upstream.ts';
import { ownerOf } from '../../auth/common/owner.ts';

const updated = 'notifications/resources/updated';
/** Limit of updates that wait for the acknowledgement of a stream. */
const maxEarly = 1_000;

/** Watches of a session, by URI. */
type Watched = Map<string, SessionWatch>;

/** Carries watches of single resources: upstream they follow its way, downstream that of the client. */
export class UpstreamWatches {
  readonly #pool: Pool;
  readonly #changes: Changes;
  readonly #onWarning: (message: string) => void;
  /** Watches on connections that several clients, or several streams of one, share. */
  readonly #shared = new WeakMap<Upstream, SharedWatches>();
  /** By the session's state object, which stays the same for its life. */
  readonly #watched = new WeakMap<ServerSession['state'], Watched>();
  /** Sessions that are over. */
  readonly #ended = new WeakSet<ServerSession['state']>();
  #stopped = false;

  constructor(pool: Pool, changes: Changes, onWarning: (message: string) => void) {
    this.#pool = pool;
    this.#changes = changes;
    this.#onWarning = onWarning;
  }

  /** An update on a shared connection. */
  heard(params: JsonObject, upstream: Upstream): void {
    this.#shared.get(upstream)?.heard(params);
  }

  /**
   * The session downstream ended. Its own connection ends with it, including its subscriptions. A shared connection
   * stays open.
   */
  closed(session: ServerSession): void {
    this.#ended.add(session.state);
    const watched = this.#watchedBy(session);
    for (const watch of watched.values()) this.#leave(watch);
    watched.clear();
  }

  /** Follows nothing again that ends from now on. */
  stop(): void {
    this.#stopped = true;
  }

  /** Serves `resources/subscribe`; updates come on the session's own connection. */
  async watch(uri: string, session: ServerSession, signal: AbortSignal): Promise<JsonObject> {
    // Finding the owner of the resource may have outlasted the session. Then nothing would end the subscription.
    if (this.#ended.has(session.state)) throw new McpError('internalError', 'the session is over');
    const watched = this.#watchedBy(session);
    const known = watched.get(uri);
    if (known === undefined && watched.size >= maxResources)
      throw new McpError('invalidRequest', `too many resource subscriptions; the limit is ${maxResources}`);
    const watch = known ?? this.#begin(uri, session);
    try {
      if (await watch.agreed(signal)) return {};
    } catch (error) {
      if (watch.isAbandoned && watched.get(uri) === watch) await this.unwatch(uri, session);
      throw error;
    }
    await this.unwatch(uri, session);
    throw new McpError('invalidParams', `the upstream server would not watch ${JSON.stringify(uri.slice(0, 256))}`);
  }

  /** Serves `resources/unsubscribe`; an unknown URI is fine. */
  async unwatch(uri: string, session: ServerSession): Promise<JsonObject> {
    const watched = this.#watchedBy(session);
    const watch = watched.get(uri);
    watched.delete(uri);
    await watch?.leave();
    return {};
  }

  /**
   * Serves `subscriptions/listen` with resources, on the connection of its client's calls, because the effects of these
   * calls appear there.
   */
  listen(
    call: Call,
    filter: SubscriptionFilter & { readonly resourceSubscriptions: readonly string[] },
    followed?: FollowedTasks,
  ): Promise<JsonObject> {
    const uris = filter.resourceSubscriptions;
    // The acknowledgement is the first message of a stream. Earlier messages wait for it.
    let early: (readonly [JsonObject, string])[] | undefined = [];
    const tell = (params: JsonObject, method: string = updated): void => {
      if (early !== undefined) void (early.length < maxEarly && early.push([params, method]));
      else call.send(method, subscribed(params, call));
    };
    const listen = async ({ honored, closed }: Subscription): Promise<JsonObject> => {
      const agreed = { ...filter, resourceSubscriptions: honored.updates ?? [] };
      const until = followed?.until === undefined ? closed : Promise.race([closed, followed.until]);
      const listening = this.#changes.listen(call, agreed, until);
      followed?.acknowledged();
      const waiting = early ?? [];
      early = undefined;
      for (const told of waiting) tell(...told);
      return await listening;
    };
    const shared = this.#on(this.#pool.preferredBy(call));
    return listenShared(
      shared.follow(uris, (params, method) => tell(ownWords(params), method), {
        owner: ownerOf(call.auth?.principal, call.address),
        signal: call.signal,
      }),
      listen,
    );
  }

  #on(upstream: Upstream): SharedWatches {
    const known = this.#shared.get(upstream);
    if (known !== undefined) return known;
    const watches = new SharedWatches(upstream);
    this.#shared.set(upstream, watches);
    return watches;
  }

  #begin(uri: string, session: ServerSession): SessionWatch {
    const watched = this.#watchedBy(session);
    const watch: SessionWatch = new SessionWatch({
      uri,
      open: async (onMissed, signal) => await this.#open(uri, session, { onMissed, signal }),
      // A subscriber that stops leaves. A stream that ends in another way, even in order, is opened again.
      isLast: () => this.#stopped,
      onMissed: () => session.notify(updated, { uri }),
      onEnd: () => void (watched.get(uri) === watch && watched.delete(uri)),
      onWarning: this.#onWarning,
      random: Math.random,
    });
    watched.set(uri, watch);
    return watch;
  }

  async #open(
    uri: string,
    session: ServerSession,
    { onMissed, signal }: { readonly onMissed: () => void; readonly signal: AbortSignal },
  ): Promise<Subscription> {
    if (this.#pool.shared) {
      const tell = (params: JsonObject, method: string = updated): void => session.notify(method, ownWords(params));
      return await this.#on(this.#pool.main).follow([uri], tell, {
        owner: ownerOf(session.principal, session.address),
        signal,
      });
    }
    return await this.#pool.ownedBy(session).follow({ updates: [uri] }, onMissed, signal);
  }

  #leave(watch: SessionWatch): void {
    void watch.leave().catch((error: unknown) => {
      this.#onWarning(`the upstream may not know that a resource is watched no longer: ${wordsOf(error)}`);
    });
  }

  #watchedBy(session: ServerSession): Watched {
    const known = this.#watched.get(session.state);
    if (known !== undefined) return known;
    const watched: Watched = new Map();
    this.#watched.set(session.state, watched);
    return watched;
  }
}

/** Listens as long as the stream is open; the connection stays. */
async function listenShared(
  opening: Promise<Subscription>,
  listen: (subscription: Subscription) => Promise<JsonObject>,
): Promise<JsonObject> {
  const subscription = await opening;
  try {
    return await listen(subscription);
  } finally {
    await subscription.close();
  }
}
