import type { SubscribeOptions } from '../api/subscription.ts';
import { runOnAbort } from '../../jsonrpc/run-on-abort.ts';
import { microtask } from '../../jsonrpc/timeout.ts';
import type { ConnectionError } from '../../jsonrpc/transport.ts';
import { harmless } from '../../options/harmless.ts';
import { settledOrAborted, waitFor } from '../api/wait-for.ts';
import type { JsonObject } from '../../protocol/features/common.ts';
import { aborted } from '../../connection/pending.ts';
import { McpError } from '../../protocol/error.ts';
import { backoffMs, Pauses } from '../connection/backoff.ts';
import type { ServerConnection } from '../connection/server-connection.ts';
import { ListenSubscription } from './listen.ts';
import type { ClientSettings } from '../requests/settings.ts';
import { isPassing } from '../connection/retry.ts';
import {
  checkTopics,
  covers,
  eventOf,
  staleBy,
  subscriptionOf,
  type Subscription,
  type SubscriptionEvent,
  type Topics,
} from '../api/subscription.ts';
import { WatchSubscription } from './watch.ts';
import { ClientWatches, type SendRequest } from './watches.ts';
import type { Reconnecting } from '../requests/reconnecting.ts';

/** Parts of their client that subscriptions need. */
export interface SubscriptionsOptions {
  readonly connection: Reconnecting;
  readonly settings: ClientSettings;
  /** Receives a notification for what may have changed while no subscription was open. */
  missed(method: string, params: JsonObject): void;
}

const acknowledged = 'notifications/subscriptions/acknowledged';

/** Time for the server to decide whether it opens a stream for unrequested messages. */
const decisionMs = 1_000;

/** The most subscriptions of one client, and the most resources of one subscription. */
const most = { subscriptions: 1_000, resources: 10_000 };

/** The subscriptions of one client, in the way of whatever revision it speaks. */
export class ClientSubscriptions {
  readonly #options: SubscriptionsOptions;
  readonly #watches: ClientWatches;
  readonly #listening = new Set<ListenSubscription>();
  readonly #watching = new Set<WatchSubscription>();
  readonly #pause = new Pauses();
  /** Rest before resources are watched again. */
  readonly #rest = new Pauses();
  #reviving = false;
  /** Number of connections that were opened again. */
  #opened = 0;
  /** True when a listen request is handed over right now, so that its id is not known yet. */
  #handing = false;
  /** True when the server was found to leave out which subscription it tells. */
  #unnamed = false;

  constructor(options: SubscriptionsOptions) {
    this.#options = options;
    this.#watches = new ClientWatches({
      request: (method, params, given) => options.connection.request(method, params, given),
      warn: (message, cause) => options.settings.onWarning?.(message, cause),
    });
    options.connection.observe({
      misplaced: (method, params) => this.#isMisplaced(method, params),
      notified: (method, params) => this.#notified(method, params),
      gap: () => this.#gap(),
      lost: () => void this.#revive(),
      reopened: (connection) => this.#reopened(connection),
      ended: (error) => this.#ended(error),
    });
  }

  /**
   * Opens a subscription. Resolves when the server agreed.
   *
   * @throws TypeError if there are no topics or too many, or no listener.
   * @throws McpError that the server rejected with.
   * @throws ConnectionError if the server does not answer.
   */
  async open(
    topics: Topics,
    onEvent: (event: SubscriptionEvent) => void,
    { signal }: SubscribeOptions = {},
  ): Promise<Subscription> {
    this.#check(topics);
    if (typeof onEvent !== 'function')
      throw new TypeError('the second argument of subscribe must be a function, which receives the events');
    if (signal !== undefined && isAborted(signal)) throw aborted('subscribing', signal);
    const { connection, settings } = this.#options;
    await connection.ensureOpen(signal);
    if (connection.revision.subscribing === 'session') await this.#learnWhetherHeard(signal);
    const heard = (event: SubscriptionEvent): void => this.#tell(onEvent, event);
    const subscription =
      connection.revision.subscribing === 'listen'
        ? this.#listen(topics, heard)
        : new WatchSubscription(topics, {
            capabilities: () => connection.capabilities,
            hears: () => connection.hears,
            watches: this.#watches,
            heard,
            done: (ended) => void this.#watching.delete(ended),
          });
    if (subscription instanceof WatchSubscription) this.#watching.add(subscription);
    const end = (): void => subscription.giveUp();
    if (signal !== undefined) void subscription.closed.then(runOnAbort(signal, end));
    if (isAborted(signal)) end();
    else await waitFor(subscription.open(settings.timeoutMs), { method: 'subscribing', signal });
    if (signal !== undefined && isAborted(signal)) throw aborted('subscribing', signal);
    return subscription;
  }

  /** A server that neither gives the stream nor refuses it is waited for no longer than a moment. */
  async #learnWhetherHeard(signal?: AbortSignal): Promise<void> {
    const { connection, settings } = this.#options;
    const { listening } = connection;
    const warnIfDeaf = (): void => {
      if (connection.hears || connection.listening !== listening) return;
      settings.onWarning?.('the server refused the stream for change notifications, so none may arrive');
    };
    if (listening === undefined || (await settledOrAborted(decisionMs, listening, signal))) warnIfDeaf();
    else void listening.then(warnIfDeaf, warnIfDeaf);
  }

  #listen(topics: Topics, heard: (event: SubscriptionEvent) => void): ListenSubscription {
    const { connection, settings } = this.#options;
    const subscription: ListenSubscription = new ListenSubscription(topics, {
      connection,
      settings,
      listen: (...given) => {
        this.#handing = true;
        try {
          return connection.listen(...given);
        } finally {
          this.#handing = false;
        }
      },
      heard: (event) => {
        if (event.type === 'reopened') this.#missed(topics);
        heard(event);
      },
      done: () => void this.#listening.delete(subscription),
    });
    this.#listening.add(subscription);
    return subscription;
  }

  #check(wanted: Topics): void {
    checkTopics(wanted);
    const { tools, prompts, resources, updates = [] } = wanted;
    if (tools !== true && prompts !== true && resources !== true && updates.length === 0)
      throw new TypeError('a subscription needs at least one topic');
    if (updates.length > most.resources) throw new TypeError(`a subscription has at most ${most.resources} resources`);
    if (this.#listening.size + this.#watching.size >= most.subscriptions)
      throw new TypeError(`a client has at most ${most.subscriptions} subscriptions`);
  }

  #tell(onEvent: (event: SubscriptionEvent) => void, event: SubscriptionEvent): void {
    const { failed } = this.#options.settings;
    harmless(onEvent, (error) => failed('the listener of a subscription threw', error))(event);
  }

  /** Progress and log messages have no place on a listen stream. (Spec 2026-07-28, Streamable HTTP, Receiving Messages.) */
  #isMisplaced(method: string, params: JsonObject): boolean {
    if (method !== 'notifications/progress' && method !== 'notifications/message') return false;
    const found = this.#named(subscriptionOf(params)) !== undefined;
    if (found) this.#options.settings.onWarning?.(`a notification on a listen stream was ignored: ${method}`);
    return found;
  }

  #named(id: unknown): ListenSubscription | undefined {
    if (id === undefined) return undefined;
    for (const subscription of this.#listening) if (subscription.id === id) return subscription;
    return undefined;
  }

  #notified(method: string, params: JsonObject): void {
    if (this.#handing) return microtask(() => this.#notified(method, params));
    // Spec 2026-07-28, Cancellation: a server may end a subscription so, in place of the response.
    if (method === 'notifications/cancelled') return this.#named(params['requestId'])?.cancelled();
    const id = subscriptionOf(params);
    if (id !== undefined) return this.#named(id)?.notified(method, params);
    if (this.#listening.size + this.#watching.size === 0) return;
    const event = eventOf(method, params);
    if (event !== undefined) {
      for (const subscription of hearersOf(this.#watching, event)) subscription.heard(event);
      const unnamed = hearersOf(this.#listening, event);
      if (unnamed.length > 0) this.#warnOfUnnamed(method);
      for (const subscription of unnamed) subscription.notified(method, params);
    } else if (method === acknowledged) {
      // Servers answer in the order in which they were asked.
      const [first] = [...this.#listening].filter(({ isAwaiting }) => isAwaiting);
      if (first !== undefined) this.#warnOfUnnamed(method);
      first?.notified(method, params);
    }
  }

  /** Once: a server that leaves the name out does so each time. */
  #warnOfUnnamed(method: string): void {
    if (this.#unnamed) return;
    this.#unnamed = true;
    const message = `${method} names no subscription; every subscription that it may concern gets it, and later ones too`;
    this.#options.settings.onWarning?.(message);
  }

  /** Perhaps only the subscriptions need the connection, so they reopen it. */
  async #revive(): Promise<void> {
    if (this.#reviving || this.#watching.size === 0) return;
    this.#reviving = true;
    const { connection, settings } = this.#options;
    try {
      for (let tries = 0; this.#watching.size > 0; tries++) {
        await this.#pause.wait(backoffMs(tries, settings.random()));
        const failure = this.#watching.size === 0 ? undefined : await failureOf(connection.ensureOpen());
        if (failure === undefined) return;
        if (isPassing(failure) && tries + 1 < settings.maxReopens) continue;
        for (const subscription of this.#watching) subscription.end({ graceful: false, error: failure });
      }
    } finally {
      this.#reviving = false;
    }
  }

  async #reopened(connection: ServerConnection): Promise<void> {
    this.#pause.wake();
    for (const subscription of this.#listening) subscription.wake();
    if (connection.revision.subscribing === 'listen') {
      const error = new McpError('methodNotFound', 'the server came back with another way to subscribe');
      for (const subscription of this.#watching) subscription.end({ graceful: false, error });
      return;
    }
    // This also runs without subscribers: the state of the old connection does not apply to this one.
    const opened = this.#renewed();
    const request: SendRequest = (method, params, options) => connection.request(method, params, options);
    const left = await this.#watches.restore(request);
    if (opened !== this.#opened) return;
    this.#gap();
    if (this.#watching.size > 0) void this.#learnWhetherHeard();
    if (left.length > 0) void this.#watchAgain(left, { request, isCurrent: () => opened === this.#opened });
  }

  /**
   * Requests subscriptions to resources that a connection has not confirmed: it stays open, and no other code would ask
   * again. After enough refusals the resource is dropped.
   */
  async #watchAgain(
    uris: readonly string[],
    { request, isCurrent }: { readonly request: SendRequest; isCurrent(): boolean },
  ): Promise<void> {
    const { settings } = this.#options;
    let left = uris;
    for (let tries = 0; left.length > 0; tries++) {
      await this.#rest.wait(backoffMs(tries, settings.random()));
      if (!isCurrent() || this.#watching.size === 0) return;
      left = await this.#watches.again(left, request, tries + 1 >= settings.maxReopens);
    }
    if (isCurrent()) this.#gap();
  }

  /** Something may have changed unheard. */
  #gap(): void {
    for (const subscription of this.#watching) {
      this.#missed(subscription.topics);
      subscription.heard({ type: 'reopened' });
    }
  }

  #missed(topics: Topics): void {
    for (const [method, params] of staleBy(topics)) this.#options.missed(method, params);
  }

  /** Nothing is owed to the connection before. */
  #renewed(): number {
    this.#opened++;
    this.#rest.wake();
    return this.#opened;
  }

  #ended(error: ConnectionError | undefined): void {
    this.#pause.wake();
    this.#renewed();
    const closure = error === undefined ? { graceful: true } : { graceful: false, error };
    for (const subscription of [...this.#listening, ...this.#watching]) subscription.end(closure);
  }
}

/** The subscriptions that an event without a subscription id may concern. */
function hearersOf<Hearer extends { readonly topics: Topics }>(
  open: ReadonlySet<Hearer>,
  event: SubscriptionEvent,
): readonly Hearer[] {
  const wanted = [...open].filter(({ topics }) => covers(topics, event));
  // A server may see a resource as part of a subscribed one although its URI does not look like it.
  const anybody = event.type === 'update' && wanted.length === 0;
  return anybody ? [...open].filter(({ topics }) => (topics.updates ?? []).length > 0) : wanted;
}

async function failureOf(work: Promise<unknown>): Promise<Error | undefined> {
  try {
    await work;
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : new Error('connecting failed', { cause: error });
  }
}

/** Asked again and again, since it changes meanwhile. */
function isAborted(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true;
}
