import { ConnectionError, failedLoads } from '../../jsonrpc/transport.ts';
import { McpError } from '../../protocol/error.ts';

/** Tells whether a server refused a request for want of authorization, without a challenge. */
export function isBareRefusal(error: unknown): boolean {
  return error instanceof ConnectionError && error.reason === 'unauthorized' && error.challenge === undefined;
}

/** An answer of the server that refuses a request for what it says. */
export type RefusedOffer = McpError | ConnectionError;

export function isRefusedOffer(error: unknown): error is RefusedOffer {
  return error instanceof McpError || (error instanceof ConnectionError && error.status === 400);
}

/** Failures that say nothing of the revisions: to ask in another way would fail alike. */
export function isFinal(error: unknown): boolean {
  // What is neither of the two is no word of the server: an authorization that did not come about, say.
  if (!(error instanceof ConnectionError)) return !(error instanceof McpError);
  const { reason, challenge } = error;
  if (reason === 'unauthorized') return challenge !== undefined;
  return failedLoads.has(error) || reason === 'aborted' || reason === 'refused' || reason === 'timeout';
}
