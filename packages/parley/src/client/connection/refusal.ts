import { ConnectionError, failedLoads } from '../../jsonrpc/transport.ts';
import { McpError } from '../../protocol/error.ts';

/** Tells whether a server rejected a request because it lacks authorization, without a challenge. */
export function isBareRefusal(error: unknown): boolean {
  return error instanceof ConnectionError && error.reason === 'unauthorized' && error.challenge === undefined;
}

/** An answer that rejects the content of a request. */
export type RefusedOffer = McpError | ConnectionError;

export function isRefusedOffer(error: unknown): error is RefusedOffer {
  return error instanceof McpError || (error instanceof ConnectionError && error.status === 400);
}

/** Failures that are independent of the revision: another request would fail in the same way. */
export function isFinal(error: unknown): boolean {
  // Any other error does not come from the server. For example, a sign-in failed.
  if (!(error instanceof ConnectionError)) return !(error instanceof McpError);
  const { reason, challenge } = error;
  if (reason === 'unauthorized') return challenge !== undefined;
  return failedLoads.has(error) || reason === 'aborted' || reason === 'refused' || reason === 'timeout';
}
