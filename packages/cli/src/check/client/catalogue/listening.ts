/** Change streams that a client of the newest revision opens, and the notifications on them. */

import { OpenSubscription, metaOfStream } from '../open-subscription.ts';
import { isObject } from '../../../../../parley/src/jsonrpc/message.ts';
import type { JsonObject } from '../../../../../parley/src/protocol/features/common.ts';
import type { Revision } from '../../../../../parley/src/protocol/revision.ts';
import { idText, keptId, paramsOf, type ClientSession } from '../client-session.ts';
import type { GivenAnswer, Giving } from './answers.ts';

/** Tool whose call changes something. */
export const changeTool = 'change';

/** Limit of the streams of one conversation that are open at once, and of the resources that one of them is about. */
const most = { streams: 100, resources: 100 } as const;

/** Limit of the streams that broke which are remembered of one conversation. */
const maxBroken = 100;

/** Capabilities that are declared if changes can be subscribed to. */
export function changingCapabilities({ subscribing }: Revision): JsonObject {
  if (subscribing !== 'listen') return { tools: {}, resources: {}, prompts: {} };
  return { tools: { listChanged: true }, resources: { subscribe: true }, prompts: {} };
}

/** Topics that are granted of those that are wished. */
function grantedOf({ notifications: wished }: JsonObject): JsonObject {
  if (!isObject(wished)) return {};
  const { toolsListChanged, resourceSubscriptions: uris } = wished;
  const known = Array.isArray(uris) ? uris.filter((uri: unknown) => typeof uri === 'string') : undefined;
  return {
    ...(toolsListChanged === true && { toolsListChanged }),
    ...(known !== undefined && { resourceSubscriptions: known.slice(0, most.resources) }),
  };
}

/** Opens a stream, and tells on it what changes until it ends. */
export async function listenedTo(
  message: JsonObject,
  { clientSession, tell, lasts, endStream }: Giving,
): Promise<GivenAnswer> {
  const { id } = message;
  if (clientSession.subscriptions.size >= most.streams)
    return { error: { code: -32_603, message: `no more than ${most.streams} streams are open at once` } };
  const subscription = new OpenSubscription(id, grantedOf(paramsOf(message)), tell);
  clientSession.subscriptions.add(subscription);
  // A client that listens again may use old ids for other requests.
  clientSession.brokenStreams.length = 0;
  clientSession.streamCount++;
  if (clientSession.process !== undefined) clientSession.process.hasListened = true;
  subscription.acknowledge();
  const isThere = await lasts(Infinity, subscription.over);
  clientSession.subscriptions.delete(subscription);
  if (!isThere) return 'given-up';
  if (!subscription.isBroken || endStream === undefined) return { result: { _meta: metaOfStream(id) } };
  // A request whose stream broke is lost. (Spec 2026-07-28, Changelog.)
  clientSession.open.delete(idText(id));
  if (clientSession.brokenStreams.length < maxBroken) clientSession.brokenStreams.push(keptId(id));
  endStream();
  return 'dropped';
}

/** Changes the list of tools, and tells it: the second time streams break off after that, and the third they end. */
export function changeTools(clientSession: ClientSession): void {
  clientSession.changeCount++;
  const turn = clientSession.changeCount % 3;
  for (const subscription of clientSession.subscriptions) {
    subscription.change();
    if (turn !== 1) subscription.end(turn === 2);
  }
}
