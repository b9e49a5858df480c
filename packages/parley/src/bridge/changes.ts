import { GapBrake } from './upstream/gap-brake.ts';
import type { Subscription, Topics } from '../client/api/subscription.ts';
import { Slices } from '../jsonrpc/slices.ts';
import { after } from '../jsonrpc/timeout.ts';
import { isObject } from '../jsonrpc/message.ts';
import type { Call } from '../server/runtime/call.ts';
import type { ServerSession } from '../server/runtime/server-core.ts';
import type { ServerCapabilities } from '../protocol/capability.ts';
import { listChanges, methodOf, type ListChange } from '../protocol/catalogue.ts';
import type { JsonObject } from '../protocol/features/common.ts';
import { McpError } from '../protocol/error.ts';
import { metaKey } from '../protocol/meta.ts';
import type { SubscriptionFilter } from '../protocol/features/subscriptions.ts';
import { wordsOf } from './failure.ts';
import type { Upstream } from './upstream/upstream.ts';

/** Limit of resources that one session, or one listen stream, may watch. */
export const maxResources = 1_000;
/** Pause after the upstream ended the subscription, or could not be reached for long. */
const restMs = 30_000;

/** A subscription that lasted this long was well. */
export const healthyMs = 30_000;

/** No topics, as text. */
const nothing = '{}';

/** Parts of the bridge that following changes needs. */
export interface ChangesOptions {
  capabilities(): ServerCapabilities;
  /** Marks data as stale, before clients are notified. */
  stale(method: string, params: JsonObject): void;
  /** Tells whether a session receives changes on a connection of its own. */
  hearsItself(session: ServerSession): boolean;
  /** Tells whether the upstream sends changes without a request, declared or not. */
  tellsUnasked(): boolean;
  /**
   * True if its listen streams are parts of streams that promised the changes of every list. Each one then covers all
   * requested lists, since the upstream may begin to send changes while the stream is open.
   */
  readonly ofPart?: boolean | undefined;
  /** The same work, watched by the listeners that count notified clients. */
  watched(telling: Iterator<unknown>): Iterator<unknown>;
  onWarning(message: string): void;
}

/** Carries changes of the upstream's lists to the clients that may know of them. */
export class Changes {
  readonly #options: ChangesOptions;
  /** By the session's state object, which stays the same for its life. */
  readonly #sessions = new Map<ServerSession['state'], ServerSession>();
  readonly #listeners = new Map<Call, { readonly filter: SubscriptionFilter; readonly end: () => void }>();
  #stopped = false;
  readonly #slices = new Slices();
  /** Topics that the upstream agreed to, if it must be asked; unknown before its answer. */
  #agreed: Pick<Subscription, 'honored'> | undefined;
  /** Current or last subscribed topics, as text; none if the upstream sends no changes. */
  #followed = nothing;
  /** Aborted when the topics change or the subscription ends. */
  #revised = new AbortController();

  /** Gaps of the subscription, and its reconnects. */
  readonly #gaps = new GapBrake(() => this.everything());

  constructor(options: ChangesOptions) {
    this.#options = options;
  }

  opened(session: ServerSession): void {
    this.#sessions.set(session.state, session);
  }

  closed(session: ServerSession): void {
    this.#sessions.delete(session.state);
  }

  /** Keeps hearing of changes on the shared connection until `stop`. */
  async follow(main: Upstream): Promise<void> {
    for (let first = true; !this.#stopped; first = false) {
      this.#revised = new AbortController();
      const until = this.#revised.signal;
      const topics = topicsOf(this.#options.capabilities());
      this.#followed = JSON.stringify(topics);
      if (this.#followed !== nothing) await this.#listen(main, { topics, first, until });
      await pause(this.#followed === nothing ? Infinity : restMs, until);
    }
  }

  /** Records that the shared connection was replaced, whose server may declare other capabilities. */
  renewed(): void {
    if (JSON.stringify(topicsOf(this.#options.capabilities())) === this.#followed) return;
    this.#agreed = undefined;
    this.#revised.abort();
  }

  /** Receives changes until the upstream ends the subscription. */
  async #listen(
    main: Upstream,
    { topics, first, until }: { readonly topics: Topics; readonly first: boolean; readonly until: AbortSignal },
  ): Promise<void> {
    try {
      const subscription = await main.follow(topics, () => this.#gaps.note(), until);
      this.#agreed = subscription;
      if (!first) this.everything();
      await subscription.closed;
    } catch (error) {
      if (until.aborted) return;
      this.#options.onWarning(`the upstream's changes cannot be followed: ${wordsOf(error)}`);
      if (!(error instanceof McpError) || error.kind !== 'methodNotFound') return;
      this.#agreed = { honored: {} };
      this.#followed = nothing;
    }
  }

  /**
   * A notification on a shared connection.
   *
   * @param by The owner of the connection, if it belongs to one principal.
   */
  heard(method: string, params: JsonObject, by?: Whose): void {
    const list = listChanges.find((one) => one.method === method);
    if (list === undefined) return;
    this.#options.stale(method, params);
    const key = by === undefined ? method : `${method} ${JSON.stringify(by.principal ?? null)}`;
    // Other fields of such a notification belong to the client of an unknown call, so they are dropped.
    const told = by === undefined ? params : {};
    this.#slices.add(key, () => this.#options.watched(this.#tell(list, told, by)));
  }

  *#tell({ method, flag }: ListChange, params: JsonObject, by: Whose | undefined): Generator<void> {
    for (const session of this.#sessions.values()) {
      if (!isFor(session.principal, by) || this.#options.hearsItself(session)) continue;
      session.notify(method, ownWords(params));
      yield;
    }
    for (const [call, { filter }] of this.#listeners) {
      if (filter[flag] !== true || !isFor(call.auth?.principal, by)) continue;
      call.send(method, subscribed(params, call));
      yield;
    }
  }

  /** Reports that every list may have changed, after changes may have been missed. */
  everything(by?: Whose): void {
    for (const { method } of changing(this.#options.capabilities())) this.heard(method, {}, by);
  }

  /** Reports that to one session. */
  everythingFor(session: ServerSession): void {
    for (const { method } of changing(this.#options.capabilities())) session.notify(method, {});
  }

  /** Topics that a stateless client may listen to, of those that it asks for. */
  honored(asked: SubscriptionFilter): SubscriptionFilter {
    const capabilities = this.#options.capabilities();
    const uris =
      capabilities.resources?.subscribe === true ? asked.resourceSubscriptions?.slice(0, maxResources) : undefined;
    const flags = this.#tellable(capabilities).filter(({ flag }) => asked[flag] === true);
    return {
      ...Object.fromEntries(flags.map(({ flag }) => [flag, true])),
      ...(uris === undefined ? {} : { resourceSubscriptions: [...new Set(uris)] }),
    };
  }

  /**
   * The lists whose changes can arrive. Some servers send changes that they did not declare, others do not send
   * declared ones.
   */
  #tellable(capabilities: ServerCapabilities): readonly ListChange[] {
    if (this.#options.ofPart === true) return listChanges;
    if (this.#options.tellsUnasked()) return listChanges.filter(({ list }) => capabilities[list] !== undefined);
    const agreed = this.#agreed?.honored;
    return changing(capabilities).filter(({ list }) => agreed === undefined || agreed[list] === true);
  }

  /**
   * Serves `subscriptions/listen`: acknowledges, and settles when the stream ends.
   *
   * @param until Ends it in good order, so that the client can ask again.
   */
  listen(call: Call, filter: SubscriptionFilter, until?: Promise<unknown>): Promise<JsonObject> {
    call.send('notifications/subscriptions/acknowledged', subscribed({ notifications: filter }, call));
    return new Promise((resolve) => {
      const end = (): void => {
        this.#listeners.delete(call);
        resolve(subscribed({}, call));
      };
      if (this.#stopped) return end();
      // The stream may have ended while its resources were requested. Then it ends at once.
      this.#listeners.set(call, { filter, end });
      call.onAbort(end);
      call.onLeave(end);
      void until?.then(end);
    });
  }

  /** Ends every listen stream in order, and stops listening. */
  stop(): void {
    this.#stopped = true;
    this.#gaps.close();
    this.#revised.abort();
    for (const { end } of this.#listeners.values()) end();
  }
}

/** Origin of a change: the owner of the connection that reported it. */
export interface Whose {
  readonly principal: string | undefined;
}

function isFor(principal: string | undefined, by: Whose | undefined): boolean {
  return by === undefined || by.principal === principal;
}

/** The params of a notification for a listen stream: its messages carry the id of the request that opened it. */
export function subscribed(params: JsonObject, call: Call): JsonObject {
  const meta = isObject(params['_meta']) ? params['_meta'] : {};
  return { ...params, _meta: { ...meta, [metaKey.subscriptionId]: call.requestId } };
}

/** The params of a notification without the name of the subscription that it came by. */
export function ownWords(params: JsonObject): JsonObject {
  const { _meta: meta, ...rest } = params;
  if (!isObject(meta) || !Object.hasOwn(meta, metaKey.subscriptionId)) return params;
  const { [metaKey.subscriptionId]: _, ...others } = meta;
  return Object.keys(others).length === 0 ? rest : { ...rest, _meta: others };
}

/** Tells whether a notification reports a change of a list. */
export function isListChange(method: string): boolean {
  return methodOf(method)?.tells !== undefined;
}

function changing(capabilities: ServerCapabilities): readonly ListChange[] {
  return listChanges.filter(({ list }) => capabilities[list]?.listChanged === true);
}

function topicsOf(capabilities: ServerCapabilities): Topics {
  return Object.fromEntries(changing(capabilities).map(({ list }) => [list, true]));
}

/** Waits until the time is up or the signal aborts. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const done = (): void => {
      cancel();
      signal.removeEventListener('abort', done);
      resolve();
    };
    const cancel = after(ms, done);
    signal.addEventListener('abort', done);
  });
}
