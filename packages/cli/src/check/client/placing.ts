/** Revision and conversation that a message belongs to, by itself. */

import type { JsonObject } from '../../../../parley/src/protocol/features/common.ts';
import { metaKey } from '../../../../parley/src/protocol/meta.ts';
import { chooseRevision, newestOf, revisionOf, type Revision } from '../../../../parley/src/protocol/revision.ts';
import type { HeardHead } from './client-rule.ts';
import { idText, isAsking, metaOf, paramsOf, type ClientSession } from './client-session.ts';

/** Tells whether a message is of a revision without sessions, or looks for one. */
export function isStateless(message: JsonObject): boolean {
  const claimed = revisionOf(metaOf(message)[metaKey.protocolVersion]);
  return claimed?.sessions === false || message['method'] === 'server/discover';
}

/**
 * Tells whether a notification or an answer belongs to the stateless conversation: by its header, or by the request
 * that it cancels.
 */
export function isBeside(message: JsonObject, { ids }: ClientSession, http: HeardHead | undefined): boolean {
  const { requestId } = paramsOf(message);
  if (http !== undefined) return revisionOf(http.headers['mcp-protocol-version'])?.sessions === false;
  return message['method'] === 'notifications/cancelled' && ids.has(idText(requestId));
}

/**
 * The answer of a session-based server to a stateless probe; `undefined` if a stateless revision is served. A client
 * may probe, and tries `initialize` next. The probe belongs to no checked revision.
 */
export function refusedProbe(message: JsonObject, served: readonly Revision[]): JsonObject | undefined {
  if (!isAsking(message) || !isStateless(message) || newestOf(served, 'stateless') !== undefined) return undefined;
  return jsonRpcRefusal(message['id'], -32_601, `there is no method ${JSON.stringify(message['method'])} here`);
}

/** The revision of a message before one is settled. */
export function revisionOfMessage(message: JsonObject, served: readonly Revision[]): Revision {
  const handshakes = served.filter(({ sessions }) => sessions);
  const asked = message['method'] === 'initialize' ? paramsOf(message)['protocolVersion'] : undefined;
  const chosen = handshakes.length > 0 ? chooseRevision(handshakes, asked) : undefined;
  const found = chosen ?? served.at(-1);
  if (found === undefined) throw new TypeError('a revision must be served');
  return found;
}

/** A refusal. */
export function jsonRpcRefusal(id: unknown, code: number, message: string): JsonObject {
  return { jsonrpc: '2.0', id: id ?? null, error: { code, message } };
}
