import { isCached, cachedJson } from '../../jsonrpc/cached-json.ts';
import {
  isObject,
  type ErrorMessage,
  type RequestId,
  type RequestMessage,
  type ResultMessage,
} from '../../jsonrpc/message.ts';
import type { JsonObject } from '../../protocol/features/common.ts';
import { errorToWire, type McpError } from '../../protocol/error.ts';
import type { MethodRow } from '../../protocol/method.ts';
import { newestRevision, type Revision } from '../../protocol/revision.ts';
import { toWire } from '../../protocol/compile/to-wire.ts';
import { emptyResultShape } from '../../protocol/features/envelope.ts';
import type { Call } from './call.ts';
import { isExtensionResult, resultFor } from './extension-result.ts';
import type { ServerCore } from './server-core.ts';
import { withServerInfo } from './server-info.ts';
import { observed, tell } from '../../connection/observe.ts';
import { inputRequiredResultShape } from '../../protocol/features/rounds.ts';

/** Converted cached results, in each requested revision. An entry belongs to one host, whose name is in it. */
const projections = new WeakMap<object, Map<Revision, JsonObject>>();

/** The response to a request, from its handler's return value, in the form of a revision. */
export function handled(
  message: RequestMessage,
  result: unknown,
  { host, call, row }: { readonly host: ServerCore; readonly call: Call; readonly row: MethodRow },
): ResultMessage {
  const revision = call.facts;
  if (isExtensionResult(result)) return respond(host, message, revision, resultFor(result, call, host));
  if (!isCached(result)) return respond(host, message, revision, projected(result, row, revision));
  let byRevision = projections.get(result);
  if (byRevision === undefined) projections.set(result, (byRevision = new Map()));
  let made = byRevision.get(revision);
  if (made === undefined)
    byRevision.set(revision, (made = cachedJson(named(host, message, revision, projected(result, row, revision)))));
  return response(message, revision, made);
}

/** The response to a request whose method the protocol does not know. Its result is in wire form. */
export function handledUnknown(
  message: RequestMessage,
  result: unknown,
  { host, call }: { readonly host: ServerCore; readonly call: Call },
): ResultMessage {
  const revision = call.facts;
  // A handler of such a method returns an object. Its result type is sent if the revision has result types.
  const given = isExtensionResult(result) ? resultFor(result, call, host) : (result as JsonObject);
  return respond(host, message, revision, toWire(revision, emptyResultShape, given));
}

/** The response to a request whose result has the form of the revision, except for the name of the server. */
export function respond(
  host: ServerCore,
  message: RequestMessage,
  revision: Revision,
  result: JsonObject,
): ResultMessage {
  return response(message, revision, named(host, message, revision, result));
}

/** The response to a request that failed; without a revision, none is chosen yet. */
export function refusal(
  host: ServerCore,
  id: RequestId | undefined,
  error: McpError,
  revision: Revision | undefined,
): ErrorMessage {
  const spoken = revision ?? host.revisions.at(-1) ?? newestRevision;
  const body = errorToWire(revision, error);
  const withoutId = spoken.errorWithoutId ? {} : { id: null };
  const message: ErrorMessage = { jsonrpc: '2.0', ...(id === undefined ? withoutId : { id }), error: body };
  if (observed()) tell({ from: 'server', revision, message });
  return message;
}

function response({ id, method }: RequestMessage, revision: Revision, result: JsonObject): ResultMessage {
  const message: ResultMessage = { jsonrpc: '2.0', id, result };
  if (observed()) tell({ from: 'server', revision, message, answers: method });
  return message;
}

function named(host: ServerCore, { method }: RequestMessage, revision: Revision, result: JsonObject): JsonObject {
  if (revision.serverNamed !== 'each-result') return result;
  return withServerInfo(host, result, method === 'server/discover');
}

function projected(result: unknown, row: MethodRow, revision: Revision): JsonObject {
  const type = isObject(result) && result['resultType'] === 'input_required' ? inputRequiredResultShape : row.result;
  // The handler's result is of the row's type: the host keys handlers by method.
  return (type === undefined ? result : toWire(revision, type, result as never)) as JsonObject;
}

/** Servers that told of such cursors already. */
const told = new WeakSet<object>();

/** The parameters of a request. An empty cursor comes from no page, so that it means the first one. */
export function fromFirstPage(row: MethodRow, params: JsonObject, host: ServerCore): JsonObject {
  // A bridge passes the cursor of another server, which may be empty.
  if (row.list === undefined || params['cursor'] !== '' || host.relays === true) return params;
  if (!told.has(host))
    host.listeners?.owner?.onWarning?.('a client sends an empty cursor; it is answered all the same');
  told.add(host);
  const { cursor: _, ...rest } = params;
  return rest;
}
