/** The simulated server that wants tokens. */

import type { AuthorizationServer } from './authorization-server.ts';
import { answered, type Arrived, type ServerCore, type HostAnswer } from './network.ts';
import type { World } from '../simulation/world.ts';

/** Takes the tokens of one authorization server; which one may change. */
export class GuardedServer implements ServerCore {
  readonly origin = 'https://mcp.example';
  issuer: AuthorizationServer;
  /** How often it refuses a good token. */
  moodiness = 0;
  readonly #world: World;
  /** Whether it knows what was revoked. */
  readonly #introspects: boolean;

  constructor(world: World, issuer: AuthorizationServer) {
    this.#world = world;
    this.issuer = issuer;
    this.#introspects = world.random.chance(0.5);
  }

  answer({ url, headers }: Arrived): HostAnswer {
    if (url.pathname === '/.well-known/oauth-protected-resource/mcp')
      return answered(200, { resource: `${this.origin}/mcp`, authorization_servers: [this.issuer.origin] });
    if (url.pathname !== '/mcp') return answered(404, {});
    const token = /^Bearer (.+)$/.exec(headers['authorization'] ?? '')?.[1];
    const given = token === undefined ? undefined : this.issuer.given(token);
    const isGood =
      given !== undefined &&
      given.expiresAt > this.#world.now &&
      !(this.#introspects && given.family.revoked) &&
      !this.#world.random.chance(this.moodiness);
    if (isGood) return answered(200, {});
    const metadata = `resource_metadata="${this.origin}/.well-known/oauth-protected-resource/mcp"`;
    const error = token === undefined ? '' : 'error="invalid_token", ';
    return answered(401, {}, { 'www-authenticate': `Bearer ${error}${metadata}` });
  }
}
