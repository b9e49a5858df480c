import { isObject } from '../../jsonrpc/message.ts';
import { listChanges, methodOf } from '../../protocol/catalogue.ts';
import type { JsonObject } from '../../protocol/features/common.ts';
import type { ListKind, SubscriptionFilter } from '../../protocol/features/subscriptions.ts';
import { metaKey } from '../../protocol/meta.ts';

/** The options of one subscription. */
export interface SubscribeOptions {
  /** Ends the subscription; while it is being opened, that rejects with the reason of the signal. */
  readonly signal?: AbortSignal | undefined;
}

/** The topics of a subscription. */
export interface Topics {
  /** That the list of tools changed. */
  readonly tools?: boolean;
  /** That the list of prompts changed. */
  readonly prompts?: boolean;
  /** That the list of resources or of resource templates changed. */
  readonly resources?: boolean;
  /** That one of these resources, by their URIs, changed, or a part of one. */
  readonly updates?: readonly string[];
}

/** The event of a subscription: it reports a change, not the new value. */
export type SubscriptionEvent =
  | { readonly type: 'list'; readonly list: ListKind }
  /** The URI may belong to a part of the subscribed resource. */
  | { readonly type: 'update'; readonly uri: string }
  /** The subscription broke off and is open again: anything that it is about may have changed unheard. */
  | { readonly type: 'reopened' };

/** The end of a subscription. */
export interface SubscriptionEnd {
  /** True if one side ended it deliberately: this side, or the server in order and again after each reopening. */
  readonly graceful: boolean;
  /** Reason why it could not go on. */
  readonly error?: Error;
}

/** An open subscription. */
export interface Subscription {
  /**
   * Topics that the server agreed to, perhaps fewer than requested. They may change with an event `reopened`. For
   * session-based servers, lists count as agreed if the server declared change notifications for them. Nothing does if
   * it refused the stream for notifications (HTTP 405).
   */
  readonly honored: Topics;
  /** Resolves when no more events follow; never rejects. */
  readonly closed: Promise<SubscriptionEnd>;
  /** Ends the subscription. Resolves when the server has been notified. Closing twice is fine. */
  close(): Promise<void>;
}

/** Listeners to notifications of extensions that name a subscription, by the topics that this was opened with. */
export const extensionListeners: WeakMap<Topics, (method: string, params: JsonObject) => void> = new WeakMap();

/** The event for a notification; `undefined` if there is none. */
export function eventOf(method: string, params: JsonObject): SubscriptionEvent | undefined {
  const list = methodOf(method)?.tells?.list;
  if (list !== undefined) return { type: 'list', list };
  const { uri } = params;
  return method === 'notifications/resources/updated' && typeof uri === 'string' ? { type: 'update', uri } : undefined;
}

/** Tells whether an event is about one of the topics; a resource has its parts below it. */
export function covers(topics: Topics, event: SubscriptionEvent): boolean {
  if (event.type === 'reopened') return true;
  if (event.type === 'update') {
    const { updates = [] } = topics;
    if (updates.length <= few) return updates.some((uri) => isWithin(event.uri, uri));
    return isWithinAny(event.uri, lookupOf(updates));
  }
  return topics[event.list] === true;
}

/** Up to this number, a linear search is faster than a lookup. */
const few = 16;
/** Looking up all that a longer URI may be a part of costs more than a look at each resource. */
const maxLookedUpLength = 4_096;

/** Sets for the lookup of resources in long lists. */
const lookups = new WeakMap<readonly string[], ReadonlySet<string>>();

function lookupOf(wholes: readonly string[]): ReadonlySet<string> {
  const known = lookups.get(wholes);
  if (known !== undefined) return known;
  const lookup = new Set(wholes);
  lookups.set(wholes, lookup);
  return lookup;
}

/**
 * Tells whether a URI is one of some resources, or a part of one, without a search through all of them if there are
 * many.
 */
export function isWithinAny(uri: string, wholes: ReadonlySet<string>): boolean {
  if (wholes.has(uri)) return true;
  const ends = uri.length > maxLookedUpLength ? undefined : [...uri.matchAll(/[/#?]/g)];
  if (ends === undefined || 2 * ends.length >= wholes.size) return [...wholes].some((whole) => isWithin(uri, whole));
  return ends.some(({ index }) => wholes.has(uri.slice(0, index)) || wholes.has(uri.slice(0, index + 1)));
}

function isWithin(uri: string, whole: string): boolean {
  return uri === whole || (uri.startsWith(whole) && (/[/#?]$/.test(whole) || /^[/#?]/.test(uri.slice(whole.length))));
}

/**
 * Rejects unknown topics, and topics with a wrong type. A misspelt topic would otherwise never get an event.
 *
 * @throws TypeError that suggests the right name.
 */
export function checkTopics(topics: Topics): void {
  for (const [name, value] of Object.entries((topics as Topics | undefined) ?? {})) {
    const isList = listChanges.some(({ list }) => list === name);
    if (!isList && name !== 'updates')
      throw new TypeError(`there is no topic ${JSON.stringify(name)}; there are tools, prompts, resources and updates`);
    if (isList && value !== undefined && typeof value !== 'boolean')
      throw new TypeError(`the topic ${name} is true or false; the URIs of single resources are given as updates`);
    if (name === 'updates' && value !== undefined && !isTexts(value))
      throw new TypeError(
        'the topic updates is a list of URIs; that the list of resources changes is the topic resources',
      );
  }
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}

/** The notifications for changes of all topics. */
export function staleBy(topics: Topics): readonly (readonly [string, JsonObject])[] {
  const { updates = [] } = topics;
  return [
    ...updates.map((uri) => ['notifications/resources/updated', { uri }] as const),
    ...listChanges.filter(({ list }) => topics[list] === true).map(({ method }) => [method, {}] as const),
  ];
}

/** The topics in the form of `subscriptions/listen`; unwanted ones are left out. */
export function toFilter(topics: Topics): SubscriptionFilter {
  const { updates = [] } = topics;
  const wanted = listChanges.filter(({ list }) => topics[list] === true);
  return {
    ...Object.fromEntries(wanted.map(({ flag }) => [flag, true])),
    ...(updates.length > 0 && { resourceSubscriptions: [...new Set(updates)] }),
  };
}

/** The requested topics that a server agreed to. Anything beyond the request is ignored. */
export function fromFilter(filter: SubscriptionFilter, asked: Topics): Topics {
  const told = listChanges.filter(({ list, flag }) => asked[list] === true && filter[flag] === true);
  const agreed = new Set(filter.resourceSubscriptions);
  const updates = [...new Set(asked.updates)].filter((uri) => agreed.has(uri));
  return {
    ...Object.fromEntries(told.map(({ list }) => [list, true])),
    ...(updates.length > 0 && { updates }),
  };
}

/** The subscription that a notification names. (Spec 2026-07-28, Subscriptions.) */
export function subscriptionOf(params: JsonObject): unknown {
  const meta = params['_meta'];
  return isObject(meta) ? meta[metaKey.subscriptionId] : undefined;
}
