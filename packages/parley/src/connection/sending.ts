/** Parts that go with a request of ours, and the error of one that could not go. */
import { isObject } from '../jsonrpc/message.ts';
import { ConnectionError } from '../jsonrpc/transport.ts';
import type { JsonObject, ProgressToken } from '../protocol/features/common.ts';

/** The params with the token in their `_meta`. */
export function withToken(params: JsonObject | undefined, progressToken: ProgressToken): JsonObject {
  const meta = params?.['_meta'];
  return { ...params, _meta: { ...(isObject(meta) ? meta : {}), progressToken } };
}

/**
 * Error of a request that did not reach its peer, with the reason. A failed authorization already says what to do, and
 * is not wrapped.
 */
export function asConnectionError(error: unknown, method: string): Error {
  if (error instanceof ConnectionError) return error;
  // The name alone: who authorizes nothing does not load the class.
  if ((error as Error | undefined)?.name === 'AuthorizationError') return error as Error;
  const why = error instanceof Error && error.message !== '' ? `: ${error.message}` : '';
  return new ConnectionError('closed', `${method} could not be sent${why}`, { cause: error });
}
