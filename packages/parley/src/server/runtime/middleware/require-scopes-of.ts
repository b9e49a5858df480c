import type { MiddlewareContext } from '../../../connection/middleware/middleware.ts';
import { requireScopes } from '../protection.ts';

/**
 * Checks, in middleware of a server, that the sender of a request has the given scopes. Put the scopes of a single tool
 * into its definition instead. Without authorization, the check passes on every transport except HTTP.
 *
 * @throws McpError if one is missing. Over HTTP, if nothing was sent yet, the answer is a 403 that names all of them.
 * @example server.use('tools/call', (passing, next) => {
 * requireScopesOf(passing, 'calls');
 * return next(); });
 */
export function requireScopesOf(
  passing: Pick<MiddlewareContext, 'auth' | 'transport'>,
  ...scopes: readonly string[]
): void {
  requireScopes({ auth: passing.auth, network: passing.transport }, scopes);
}
