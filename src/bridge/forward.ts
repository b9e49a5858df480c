import { isObject } from '../jsonrpc/message.ts';
import { ConnectionError } from '../jsonrpc/transport.ts';
import type { Call } from '../peer/call.ts';
import type { RequestOptions } from '../peer/caller.ts';
import type { JsonObject } from '../protocol/common.ts';
import { McpError } from '../protocol/error.ts';
import { fromWire } from '../protocol/from-wire.ts';
import { metaKey } from '../protocol/meta.ts';
import { methodOf } from '../protocol/method.ts';
import { revisionOf, newestRevision } from '../protocol/revision.ts';
import type { Client } from '../client/client.ts';

/** The `_meta` keys that speak of one hop; they are written anew for the next one. */
const hopKeys: ReadonlySet<string> = new Set([
  'progressToken',
  metaKey.protocolVersion,
  metaKey.clientInfo,
  metaKey.clientCapabilities,
  metaKey.logLevel,
]);

/**
 * Carries one request to the upstream and its result back, both in the canonical model.
 *
 * @throws McpError what the upstream answered, or an internal error that says what became of it.
 */
export async function forward(client: Client, params: JsonObject, call: Call): Promise<JsonObject> {
  const revision = revisionOf(client.revision) ?? newestRevision;
  const row = methodOf(call.method);
  const { _meta: _, ...rest } = params;
  try {
    const result = await client.request(call.method, rest, optionsOf(params, call));
    return row?.result === undefined ? result : (fromWire(revision, row.result, result) as unknown as JsonObject);
  } catch (error) {
    throw translated(error, call);
  }
}

function optionsOf(params: JsonObject, call: Call): RequestOptions {
  const meta = isObject(params['_meta']) ? carried(params['_meta']) : undefined;
  return {
    // The client of this hop sets the deadlines; when it gives up, the upstream is told.
    timeoutMs: 0,
    signal: call.signal,
    logLevel: call.logLevel,
    ...(meta === undefined ? {} : { meta }),
    ...(call.client.info === undefined ? {} : { clientInfo: call.client.info }),
    ...(call.meta['progressToken'] === undefined
      ? {}
      : { onProgress: ({ progress, total, message }) => call.progress(progress, total, message) }),
  };
}

function carried(meta: JsonObject): JsonObject | undefined {
  const entries = Object.entries(meta).filter(([key]) => !hopKeys.has(key));
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

/** An error for the hop that it belongs to: the upstream's own words pass, failures of the hop are named as such. */
function translated(error: unknown, call: Call): unknown {
  if (error instanceof ConnectionError) {
    return new McpError('internalError', `the upstream server failed: ${error.message}`, { cause: error });
  }
  if (!(error instanceof McpError)) return error;
  switch (error.kind) {
    case 'headerMismatch':
    case 'unsupportedProtocolVersion':
    case 'missingRequiredClientCapability':
    case 'parseError':
    case 'invalidRequest':
      // These speak of what the bridge sent, not of what its client did.
      return new McpError('internalError', `the upstream server refused ${call.method}: ${error.message}`, { cause: error });
    case 'invalidParams':
      return isNotFound(error, call) ? new McpError('resourceNotFound', error.message, { data: error.data }) : error;
    default:
      return error;
  }
}

/** Spec 2026-07-28, Resources, Error handling: a resource that is not found is invalid params with its URI. */
function isNotFound(error: McpError, call: Call): boolean {
  return call.method === 'resources/read' && isObject(error.data) && typeof error.data['uri'] === 'string';
}
