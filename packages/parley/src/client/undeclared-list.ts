import { ConnectionError } from '../jsonrpc/transport.ts';
import type { ServerCapabilities } from '../protocol/capability.ts';
import { isAskedForLists } from '../connection/gate.ts';
import { McpError } from '../protocol/error.ts';
import type { ClientRequestOptions } from './api/client.ts';

/** Longest wait for one page of a list that a server did not declare, in milliseconds. */
export const undeclaredMs = 2_000;

/** Methods that servers rejected, by their declared capabilities; `all` if a server did not answer. */
const refused = new WeakMap<ServerCapabilities, Set<string> | 'all'>();

/**
 * Fetches a list that a server did not declare, since some serve it all the same. If the server rejects it or does not
 * answer, the list is empty. If the server does not know the method, or does not answer, it is not asked again on the
 * same connection.
 */
export async function undeclaredList<Item>(
  { capabilities, method }: { readonly capabilities: ServerCapabilities; readonly method: string },
  options: ClientRequestOptions | undefined,
  list: (options: ClientRequestOptions) => Promise<readonly Item[]>,
): Promise<readonly Item[]> {
  const known = refused.get(capabilities) ?? new Set();
  if (known === 'all' || known.has(method) || !isAskedForLists(capabilities)) return [];
  try {
    return await list({ ...options, timeoutMs: Math.min(options?.timeoutMs || Infinity, undeclaredMs) });
  } catch (error) {
    if (options?.signal?.aborted === true) throw error;
    const isSilent = error instanceof ConnectionError && error.reason === 'timeout';
    const isMalformed = error instanceof ConnectionError && error.reason === 'invalid-message';
    if (!(error instanceof McpError || isSilent || isMalformed)) throw error;
    if (isSilent) refused.set(capabilities, 'all');
    // Another error may pass: the server may be busy, or still starting.
    else if (error instanceof McpError && error.kind === 'methodNotFound') refused.set(capabilities, known.add(method));
    return [];
  }
}
