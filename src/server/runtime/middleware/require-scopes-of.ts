import type { Passing } from '../../../connection/middleware/middleware.ts';
import { requireScopes } from '../protection.ts';

/**
 * Makes sure, in middleware of a server, that who sent a request has scopes; what is known of a tool alone belongs into its definition. Without
 * authorization it passes everywhere but over HTTP.
 *
 * @throws McpError where one is missing: over HTTP, while nothing was sent, the answer is then a 403 that names all of them.
 * @example
 * server.use('tools/call', (passing, next) => {
 *   requireScopesOf(passing, 'calls');
 *   return next();
 * });
 */
export function requireScopesOf(passing: Pick<Passing, 'auth' | 'transport'>, ...scopes: readonly string[]): void {
  requireScopes({ auth: passing.auth, network: passing.transport }, scopes);
}
