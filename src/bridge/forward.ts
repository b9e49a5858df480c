import type { Client } from '../client/client.ts';
import { isObject } from '../jsonrpc/message.ts';
import type { Call } from '../peer/call.ts';
import type { RequestOptions } from '../peer/caller.ts';
import type { ProgressToken } from '../peer/progress.ts';
import type { JsonObject } from '../protocol/common.ts';
import { McpError } from '../protocol/error.ts';
import { fromWire } from '../protocol/from-wire.ts';
import { metaKey } from '../protocol/meta.ts';
import { methodOf } from '../protocol/method.ts';
import { newestRevision, revisionOf, type Revision } from '../protocol/revision.ts';
import { failureFor } from './failure.ts';

/** The `_meta` keys that speak of one hop; they are written anew for the next one. */
const hopKeys: ReadonlySet<string> = new Set([
  'progressToken',
  metaKey.protocolVersion,
  metaKey.clientInfo,
  metaKey.clientCapabilities,
  metaKey.logLevel,
]);

/** One request on its way up. */
export interface Outgoing {
  /** In the canonical model. */
  readonly params: JsonObject;
  readonly call: Call;
  /** Asks the upstream for progress, where the client wants it. */
  readonly progressToken: ProgressToken | undefined;
}

/** The revision that a client speaks. */
export function revisionFor(client: Client): Revision {
  return revisionOf(client.revision) ?? newestRevision;
}

/**
 * Carries one request to the upstream and its result back, both in the canonical model.
 *
 * @throws McpError what the upstream answered, or an internal error that says what became of it.
 */
export async function forward(client: Client, { params, call, progressToken }: Outgoing): Promise<JsonObject> {
  // The bridge declares no tasks, so that nobody may ask it for one. (Spec 2025-11-25, Tasks, Capability negotiation.)
  const { _meta: meta, task: _, ...rest } = params;
  let result: JsonObject;
  try {
    result = await client.request(call.method, rest, {
      // The client of the bridge sets the deadlines; when it gives up, the upstream is told.
      timeoutMs: 0,
      signal: call.signal,
      logLevel: call.logLevel,
      progressToken,
      clientInfo: call.client.info,
      ...carriedMeta(meta),
    });
  } catch (error) {
    throw failureFor(error, { call, params, revision: revisionFor(client) });
  }
  return lifted(result, call.method, revisionFor(client));
}

function carriedMeta(meta: unknown): Pick<RequestOptions, 'meta'> {
  if (!isObject(meta)) return {};
  const entries = Object.entries(meta).filter(([key]) => !hopKeys.has(key));
  return entries.length === 0 ? {} : { meta: Object.fromEntries(entries) };
}

function lifted(result: JsonObject, method: string, revision: Revision): JsonObject {
  const row = methodOf(method);
  if (row?.inputRequired === true && revision.era === 'stateless' && result['resultType'] === 'input_required')
    throw new McpError(
      'internalError',
      `the upstream server wants input for ${method}, which the bridge did not offer to give`,
    );
  if (row?.result === undefined) return result;
  try {
    // Every result type is an object with string keys.
    return fromWire(revision, row.result, result) as unknown as JsonObject;
  } catch (error) {
    if (!(error instanceof McpError)) throw error;
    throw new McpError('internalError', `the upstream server's result of ${method} is malformed: ${error.message}`, {
      cause: error,
    });
  }
}
