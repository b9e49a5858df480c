import { isObject } from '../jsonrpc/message.ts';
import type { MessageOrigin } from '../jsonrpc/transport.ts';
import { metaKey } from '../protocol/meta.ts';
import type { ProgressRoutes } from './progress.ts';
import type { PendingRequest } from './pending.ts';

/** The requests in flight. */
interface Asked {
  find(id: number): PendingRequest | undefined;
  each(): Iterable<PendingRequest>;
}

/** The requests in flight, by their ids and by their tokens. */
export interface Underway {
  readonly asked: Asked;
  /** Left out if no request has a token. */
  readonly progress: ProgressRoutes | undefined;
}

/**
 * The request within which a message that is not an answer came: the one whose exchange carried it, or whose progress
 * it reports, or else the only pending one. A listen request has no such limit.
 */
export function chargedFor(
  value: unknown,
  about: MessageOrigin | undefined,
  underway: Underway,
): PendingRequest | undefined {
  const { asked, progress } = underway;
  const { method, params } = isObject(value) ? value : {};
  const named = isObject(params) ? params : undefined;
  const id = about?.request ?? (method === told ? progress?.requestOf(named) : undefined);
  if (typeof id === 'number') return unlessListen(asked.find(id));
  // Its stream or its subject is known, so it is charged to no other request.
  if (about?.request !== undefined || method === told || isSubscribed(named)) return undefined;
  return onlyOne(asked.each());
}

const told = 'notifications/progress';

function unlessListen(pending: PendingRequest | undefined): PendingRequest | undefined {
  return pending?.isListen === true ? undefined : pending;
}

/** It stops at the second one. */
function onlyOne(pending: Iterable<PendingRequest>): PendingRequest | undefined {
  let only: PendingRequest | undefined;
  for (const one of pending) {
    if (one.isListen) continue;
    if (only !== undefined) return undefined;
    only = one;
  }
  return only;
}

/** Spec 2026-07-28, Subscriptions: a message for a subscription names it. */
function isSubscribed(params: Readonly<Record<string, unknown>> | undefined): boolean {
  const meta = params?.['_meta'];
  return isObject(meta) && meta[metaKey.subscriptionId] !== undefined;
}
