import { GapBrake } from './upstream/gap-brake.ts';
import type { Subscription, Topics } from '../client/subscriptions/subscription.ts';
import { Slices } from '../jsonrpc/slices.ts';
import { after } from '../jsonrpc/timeout.ts';
import { isObject } from '../jsonrpc/message.ts';
import type { Call } from '../server/runtime/call.ts';
import type { ServerSession } from '../server/runtime/host.ts';
import type { ServerCapabilities } from '../protocol/capability.ts';
import { listChanges, methodOf, type ListChange } from '../protocol/catalogue.ts';
import type { JsonObject } from '../protocol/features/common.ts';
import { McpError } from '../protocol/error.ts';
import { metaKey } from '../protocol/meta.ts';
import type { SubscriptionFilter } from '../protocol/features/subscriptions.ts';
import { wordsOf } from './failure.ts';
import type { Upstream } from './upstream/upstream.ts';

/** Limit of resources that one session, or one listen stream, may watch. */
export const mostResources = 1_000;
/** Rest after the upstream ended what was followed, or could not be reached for long. */
const restMs = 30_000;

/** A subscription that lasted this long was well. */
export const healthyMs = 30_000;

/** No topics, as text. */
const nothing = '{}';

/** Parts of the bridge that following changes needs. */
export interface ChangesOptions {
  capabilities(): ServerCapabilities;
  /** Hears first what became stale. */
  stale(method: string, params: JsonObject): void;
  /** Tells whether a session hears of changes on a connection of its own. */
  hearsItself(session: ServerSession): boolean;
  /** Tells whether the upstream tells of changes unasked, be it that it declared so or not. */
  tellsUnasked(): boolean;
  /**
   * True when its listen streams are parts of streams which promised the changes of every list: each is about all that it
   * was asked for, since the upstream may begin to tell of it while the stream is open.
   */
  readonly ofPart?: boolean | undefined;
  /** The same work, with those who hear to how many a change was told. */
  watched(telling: Iterator<unknown>): Iterator<unknown>;
  onWarning(message: string): void;
}

/** Carries changes of the upstream's lists to the clients that may know of them. */
export class Changes {
  readonly #options: ChangesOptions;
  /** By state, which stays the same for the life of a session. */
  readonly #sessions = new Map<ServerSession['state'], ServerSession>();
  readonly #listeners = new Map<Call, { readonly filter: SubscriptionFilter; readonly end: () => void }>();
  #stopped = false;
  readonly #slices = new Slices();
  /** Topics that the upstream agreed to tell of, where it must be asked; not known before it said so. */
  #agreed: Pick<Subscription, 'honored'> | undefined;
  /** Topics that are followed, or were last, as text; none where the upstream tells of nothing. */
  #followed = nothing;
  /** End of what is followed: something else is to be, or nothing any more. */
  #revised = new AbortController();

  /** Gaps of what is followed, and new beginnings of it. */
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

  /** Takes note that the shared connection is another one, and what is behind it may declare something else. */
  renewed(): void {
    if (JSON.stringify(topicsOf(this.#options.capabilities())) === this.#followed) return;
    this.#agreed = undefined;
    this.#revised.abort();
  }

  /** Hears of changes until the upstream ends that. */
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
   * @param by Whose connection it is, where it is one principal's alone.
   */
  heard(method: string, params: JsonObject, by?: Whose): void {
    const list = listChanges.find((one) => one.method === method);
    if (list === undefined) return;
    this.#options.stale(method, params);
    const key = by === undefined ? method : `${method} ${JSON.stringify(by.principal ?? null)}`;
    // What else a connection of calls says of it is for the client of a call, and nobody knows of which.
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

  /** Reports everything, since it is not known what changed meanwhile: tells that every list may have. */
  everything(by?: Whose): void {
    for (const { method } of changing(this.#options.capabilities())) this.heard(method, {}, by);
  }

  /** The same for one session. */
  everythingFor(session: ServerSession): void {
    for (const { method } of changing(this.#options.capabilities())) session.notify(method, {});
  }

  /** Topics that a stateless client may listen to, of those that it asks for. */
  honored(asked: SubscriptionFilter): SubscriptionFilter {
    const capabilities = this.#options.capabilities();
    const uris =
      capabilities.resources?.subscribe === true ? asked.resourceSubscriptions?.slice(0, mostResources) : undefined;
    const flags = this.#tellable(capabilities).filter(({ flag }) => asked[flag] === true);
    return {
      ...Object.fromEntries(flags.map(({ flag }) => [flag, true])),
      ...(uris === undefined ? {} : { resourceSubscriptions: [...new Set(uris)] }),
    };
  }

  /** The lists whose changes can come: some servers tell of those that they did not declare, others do not as they did. */
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
      // It may have ended while its resources were asked for: that is said at once.
      this.#listeners.set(call, { filter, end });
      call.onAbort(end);
      call.onLeave(end);
      void until?.then(end);
    });
  }

  /** Ends every listen stream gracefully, and hears of nothing any more. */
  stop(): void {
    this.#stopped = true;
    this.#gaps.close();
    this.#revised.abort();
    for (const { end } of this.#listeners.values()) end();
  }
}

/** Origin of a change, by whose connection told of it. */
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

/** Tells whether a notification tells of a change of a list. */
export function isListChange(method: string): boolean {
  return methodOf(method)?.tells !== undefined;
}

function changing(capabilities: ServerCapabilities): readonly ListChange[] {
  return listChanges.filter(({ list }) => capabilities[list]?.listChanged === true);
}

function topicsOf(capabilities: ServerCapabilities): Topics {
  return Object.fromEntries(changing(capabilities).map(({ list }) => [list, true]));
}

/** Waits, unless the signal says that nobody does any more. */
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
