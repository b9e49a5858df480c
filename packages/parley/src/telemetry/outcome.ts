/** Outcome of a request in the words of the conventions. */

import { ConnectionError } from '../jsonrpc/transport.ts';
import type { MiddlewareContext } from '../connection/middleware/middleware.ts';
import { errorToWire, McpError } from '../protocol/error.ts';
import type { JsonObject } from '../protocol/features/common.ts';
import { revisionOf } from '../protocol/revision.ts';

/** Failure of a request. */
export interface Failure {
  /** `error.type`. */
  readonly type: string;
  /** The code of the JSON-RPC error, where there was one: `rpc.response.status_code`. */
  readonly code?: number;
  /** Its message; words that stay here are none. */
  readonly message?: string;
}

/** Failure that a result tells of; `undefined` for one that tells of none. */
export function failureIn({ method }: MiddlewareContext, result: JsonObject): Failure | undefined {
  return method === 'tools/call' && result['isError'] === true ? { type: 'tool_error' } : undefined;
}

/** Failure that an error is. */
export function failureOf(passing: MiddlewareContext, error: unknown): Failure {
  return passing.direction === 'received' ? answered(passing, error) : notAnswered(error);
}

/** Failure of a request that was received: the error is what its sender is answered with. */
function answered({ method, revision }: MiddlewareContext, error: unknown): Failure {
  // A tool fails by a result, which is made of this error behind all middleware.
  if (method === 'tools/call' && error instanceof Error && error.name === 'ToolError') return { type: 'tool_error' };
  const told = error instanceof McpError ? error : new McpError('internalError', 'internal error');
  const { code, message } = errorToWire(revisionOf(revision), told);
  return { type: String(code), code, message };
}

/** Failure of a request that was sent: what the peer answered, or why there is no answer. */
function notAnswered(error: unknown): Failure {
  const reason = unansweredFor(error) ?? (error instanceof Error ? unansweredFor(error.cause) : undefined);
  if (reason !== undefined) return { type: reason };
  if (error instanceof McpError) return { type: String(error.code), code: error.code, message: error.message };
  return { type: error instanceof Error ? error.name : 'Error' };
}

/** Reason why a connection gave no answer; a request that was given up is `cancelled`. */
export function unansweredFor(error: unknown): string | undefined {
  if (error instanceof ConnectionError) return error.reason === 'aborted' ? 'cancelled' : error.reason;
  if (!(error instanceof Error)) return undefined;
  if (error.name === 'TimeoutError') return 'timeout';
  return error.name === 'AbortError' ? 'cancelled' : undefined;
}
