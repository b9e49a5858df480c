import type { RequestId } from '../../jsonrpc/message.ts';
import { microtask } from '../../jsonrpc/timeout.ts';
import { eachInSlices, Slices } from '../../jsonrpc/slices.ts';
import type { Call } from '../runtime/call.ts';
import type { AuthInfo } from '../runtime/request-handler.ts';
import type { ServiceListeners } from '../runtime/events/listeners.ts';
import type { ServerSession } from '../runtime/server-core.ts';
import { listChanges, type ListChange } from '../../protocol/catalogue.ts';
import type { JsonObject } from '../../protocol/features/common.ts';
import { McpError } from '../../protocol/error.ts';
import { metaKey } from '../../protocol/meta.ts';
import type { ListKind, SubscriptionFilter } from '../../protocol/features/subscriptions.ts';
import type { MaybePromise } from '../../storage/maybe-promise.ts';

/** The subscriptions at other processes of the same service. */
export interface ChangesElsewhere {
  /** Tells the other processes that a list changed. */
  listChanged(kind: ListKind): void;
  /** Tells the other processes that a resource changed. */
  resourceUpdated(uri: string): Promise<void>;
  /** Listens for changes of resources. */
  listen(uris?: readonly string[], areWatched?: boolean): Promise<void>;
  /** Listens before a subscription begins. Returns a function that ends the wait. */
  listenBefore(uris: readonly string[]): Promise<() => void>;
  /** Called when nobody here watches a resource any more. */
  left(uri: string): void;
  close(): Promise<void>;
}

/** The lists that have change notifications. Clients subscribe to them by these names. */
export const listKinds: readonly ListKind[] = listChanges.map(({ list }) => list);

/** Tells whether a word names a list. */
export function isListKind(word: unknown): word is ListKind {
  return listKinds.some((kind) => kind === word);
}

/** Topic that a listen stream may carry: changes of lists, updates of single resources, and tasks. */
export type Telling = ListKind | 'updates' | 'tasks';

/** One open `subscriptions/listen` of a stateless client. There may be very many: each holds as little as it can. */
class Listener {
  readonly call: Call;
  readonly filter: SubscriptionFilter;
  readonly answer: (result: JsonObject) => void;

  constructor(call: Call, filter: SubscriptionFilter, answer: (result: JsonObject) => void) {
    this.call = call;
    this.filter = filter;
    this.answer = answer;
  }
}

/** Listener to single resources: a session, or a listen stream. */
type Watcher = ServerSession | Listener;

/** The limits of subscriptions. */
export interface SubscriptionLimits {
  /**
   * Limit of resources that one session or one listen stream may watch; 1000 by default. The URIs of a session may have 256
   * characters each on average.
   */
  readonly resourcesPerClient: number;
  /**
   * Limit of listen streams that may be open at once, over all transports. Without a number only the transports count
   * them: over HTTP `maxStreams`, elsewhere how many requests a conversation may run. Beyond it clients get a busy
   * error, which over HTTP is a 503 with `Retry-After`.
   */
  readonly listeners: number;
}

/** Parts of the server that subscriptions need. */
export interface SubscriptionParts {
  readonly limits: SubscriptionLimits;
  /** Tells whether a caller may learn of a resource now. It does not throw. */
  readonly mayHear: (uri: string, auth: AuthInfo | undefined) => boolean;
  /** Listeners that receive the number of notified clients. */
  readonly listeners?: ServiceListeners | undefined;
}

/** The characters that the URIs of one client may have: so many on average, and one long one always. */
const charactersEach = 256;
const leastCharacters = 8192;

const watchedUris = Symbol('watched resources');

/**
 * Listeners to changes. Sessions get changes of lists without a request, and of resources by `resources/subscribe`.
 * Stateless clients get both by `subscriptions/listen` only. Changes of one turn are sent once, to very many listeners
 * in slices.
 */
export class Subscriptions {
  readonly #sessions = new Set<ServerSession>();
  readonly #listeners = new Map<Call, Listener>();
  /** The resources that have subscribers here, with these subscribers. */
  readonly watched: Map<string, Set<Watcher>> = new Map();
  readonly #pending = new Set<string>();
  readonly #slices = new Slices();
  readonly #limits: SubscriptionLimits;
  readonly #mayHear: SubscriptionParts['mayHear'];
  readonly #told: ServiceListeners | undefined;
  /** The other processes of the server, if there are any. Loaded on demand. */
  #shared: Promise<ChangesElsewhere | undefined> | undefined;
  #loaded: ChangesElsewhere | undefined;

  constructor({ limits, mayHear, listeners }: SubscriptionParts) {
    this.#limits = limits;
    this.#mayHear = mayHear;
    this.#told = listeners;
  }

  /** Publishes changes to other processes, and receives theirs. */
  share(loading: Promise<ChangesElsewhere | undefined>): void {
    this.#shared = loading.then((shared) => (this.#loaded = shared));
  }

  opened(session: ServerSession): void {
    this.#sessions.add(session);
    void this.#shared?.then((shared) => shared?.listen());
  }

  closed(session: ServerSession): void {
    this.#sessions.delete(session);
    for (const uri of watchedBy(session)) this.#unwatch(uri, session);
  }

  /** Notifies every client that may know it of a changed list, in every process. Changes of one turn are sent once. */
  listChanged(kind: ListKind): void {
    if (this.#loaded === undefined) this.listChangedHere(kind);
    else this.#loaded.listChanged(kind);
  }

  /** Notifies the listeners in this process. */
  listChangedHere(kind: ListKind): void {
    const list = listChanges.find((one) => one.list === kind);
    if (list !== undefined) this.#soon(`list ${kind}`, () => this.#tellList(list));
  }

  /** Tells those who watch a resource that it changed, in every process. */
  resourceUpdated(uri: string): void {
    void this.#shared?.then((shared) => shared?.resourceUpdated(uri));
    this.resourceUpdatedHere(uri);
  }

  /** Notifies the subscribers in this process. */
  resourceUpdatedHere(uri: string): void {
    if (this.watched.has(uri)) this.#soon(`resource ${uri}`, () => this.#tellUpdate(uri));
  }

  *#tellList({ method, flag }: ListChange): Generator<void> {
    for (const session of this.#sessions) {
      session.notify(method, {});
      yield;
    }
    for (const { call, filter } of this.#listeners.values()) {
      if (filter[flag] !== true) continue;
      call.send(method, ofSubscription(call.requestId));
      yield;
    }
  }

  *#tellUpdate(uri: string): Generator<void> {
    const method = 'notifications/resources/updated';
    for (const watcher of this.watched.get(uri) ?? []) {
      yield;
      const isListener = 'call' in watcher;
      // It may have become invisible to them since they subscribed.
      if (!this.#mayHear(uri, (isListener ? watcher.call : watcher).auth)) continue;
      if (isListener) watcher.call.send(method, { uri, ...ofSubscription(watcher.call.requestId) });
      else watcher.notify(method, { uri });
    }
  }

  /** `resources/subscribe` of the handshake revisions; it has ended when nothing is missed any more. */
  watch(session: ServerSession, uri: string): MaybePromise<void> {
    const uris = watchedBy(session);
    const { resourcesPerClient: most } = this.#limits;
    const mostCharacters = Math.max(leastCharacters, most * charactersEach);
    if (!uris.has(uri)) {
      if (uris.size >= most || charactersOf(uris) + uri.length > mostCharacters)
        throw new McpError(
          'invalidRequest',
          `too many resource subscriptions; the limit is ${most}, of ${mostCharacters} characters`,
        );
      session.changed?.({ kind: 'watch', uri });
    }
    uris.add(uri);
    // It may have ended while its request was on the way.
    if (!this.#sessions.has(session)) return;
    this.#watch(uri, session);
    return this.#shared?.then((shared) => shared?.listen([uri], true));
  }

  /** `resources/unsubscribe`; an unknown URI is fine. */
  unwatch(session: ServerSession, uri: string): void {
    if (watchedBy(session).delete(uri)) session.changed?.({ kind: 'unwatch', uri });
    this.#unwatch(uri, session);
  }

  /**
   * A session is subscribed to exactly these resources. Its client subscribed at other processes, which enforced the
   * limit.
   */
  watches(session: ServerSession, uris: readonly string[]): void {
    const before = watchedBy(session);
    const wanted = new Set(uris);
    for (const uri of before) {
      if (wanted.has(uri)) continue;
      before.delete(uri);
      this.#unwatch(uri, session);
    }
    const added = [...wanted].filter((uri) => !before.has(uri));
    for (const uri of added) {
      before.add(uri);
      if (this.#sessions.has(session)) this.#watch(uri, session);
    }
    if (added.length > 0) void this.#caughtUp(session, added);
  }

  /** Reports the resources that may have changed after the client subscribed and before this process learned of it. */
  async #caughtUp(session: ServerSession, uris: readonly string[]): Promise<void> {
    await (await this.#shared)?.listen(uris, true);
    if (this.#sessions.has(session)) this.#tellUpdates(session, uris);
  }

  #tellUpdates(session: ServerSession, uris: Iterable<string>): void {
    for (const uri of uris)
      if (this.#mayHear(uri, session.auth)) session.notify('notifications/resources/updated', { uri });
  }

  /** Tells a session, which may have missed some, of every change that there can be. */
  missed(session: ServerSession): void {
    for (const { method } of listChanges) session.notify(method, {});
    this.#tellUpdates(session, watchedBy(session));
  }

  /** Serves `subscriptions/listen`: the promise settles when the stream ends. */
  listen(call: Call, asked: SubscriptionFilter, offered: ReadonlySet<Telling>): Promise<JsonObject> {
    if (this.#listeners.size >= this.#limits.listeners) {
      // A stream lasts.
      const data = { retryAfterMs: 10_000 };
      throw new McpError('busy', `too many listen streams; the limit is ${this.#limits.listeners}`, { data });
    }
    const filter = this.#honored(asked, offered);
    return this.#shared === undefined ? this.#begin(call, filter) : this.#beginAmong(this.#shared, call, filter);
  }

  /** Begins once nothing is missed of what other processes tell. */
  async #beginAmong(
    loading: Promise<ChangesElsewhere | undefined>,
    call: Call,
    filter: SubscriptionFilter,
  ): Promise<JsonObject> {
    const uris = filter.resourceSubscriptions ?? [];
    const over = await (await loading)?.listenBefore(uris);
    const answer = this.#begin(call, filter);
    over?.();
    return await answer;
  }

  #begin(call: Call, filter: SubscriptionFilter): Promise<JsonObject> {
    call.send('notifications/subscriptions/acknowledged', { notifications: filter, ...ofSubscription(call.requestId) });
    return new Promise((answer) => this.#open(new Listener(call, filter, answer)));
  }

  #open(listener: Listener): void {
    const { call, filter } = listener;
    this.#listeners.set(call, listener);
    for (const uri of filter.resourceSubscriptions ?? []) this.#watch(uri, listener);
    call.onLeave(() => this.#end(listener));
  }

  #end(listener: Listener): void {
    const { call, filter, answer } = listener;
    this.#listeners.delete(call);
    for (const uri of filter.resourceSubscriptions ?? []) this.#unwatch(uri, listener);
    answer(ofSubscription(call.requestId));
  }

  /** Ends every listen stream gracefully. (Spec 2026-07-28, Subscriptions, Graceful closure.) */
  async end(): Promise<void> {
    await eachInSlices(this.#listeners.values(), (listener) => this.#end(listener));
    await (await this.#shared)?.close();
  }

  #honored(asked: SubscriptionFilter, offered: ReadonlySet<Telling>): SubscriptionFilter {
    const uris = offered.has('updates')
      ? asked.resourceSubscriptions?.slice(0, this.#limits.resourcesPerClient)
      : undefined;
    const told = listChanges.filter(({ list, flag }) => asked[flag] === true && offered.has(list));
    return {
      ...Object.fromEntries(told.map(({ flag }) => [flag, true])),
      ...(uris === undefined ? {} : { resourceSubscriptions: uris }),
      // The task handler has already checked their owner.
      ...(asked.taskIds === undefined || !offered.has('tasks') ? {} : { taskIds: asked.taskIds }),
    };
  }

  #watch(uri: string, watcher: Watcher): void {
    const known = this.watched.get(uri);
    if (known === undefined) this.watched.set(uri, new Set([watcher]));
    else known.add(watcher);
  }

  #unwatch(uri: string, watcher: Watcher): void {
    const watchers = this.watched.get(uri);
    if (watchers?.delete(watcher) !== true || watchers.size > 0) return;
    this.watched.delete(uri);
    this.#loaded?.left(uri);
  }

  #soon(key: string, tell: () => Iterator<unknown>): void {
    if (this.#pending.has(key)) return;
    this.#pending.add(key);
    microtask(() => {
      this.#pending.delete(key);
      this.#slices.add(key, () => this.#told?.watched(tell()) ?? tell());
    });
  }
}

function watchedBy(session: ServerSession): Set<string> {
  // Only this file writes under the symbol.
  const known = session.state.get(watchedUris) as Set<string> | undefined;
  if (known !== undefined) return known;
  const uris = new Set<string>();
  session.state.set(watchedUris, uris);
  return uris;
}

function charactersOf(uris: Iterable<string>): number {
  let sum = 0;
  for (const uri of uris) sum += uri.length;
  return sum;
}

/** Every message of a listen stream carries the id of the request that opened it. */
export function ofSubscription(id: RequestId): JsonObject {
  return { _meta: { [metaKey.subscriptionId]: id } };
}
