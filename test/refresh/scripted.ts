/** Servers and a person that do what a step of a script says: the events of the table of states. */

import { AuthorizationError } from '../../packages/parley/src/auth/common/errors.ts';
import type { RedirectHook } from '../../packages/parley/src/auth/common/redirect.ts';
import { answered, type Arrived, type ServerCore, type HostAnswer } from './network.ts';
import { sleep } from './program.ts';
import type { Process, World } from '../simulation/world.ts';

/** What everybody does during one request. */
export interface Step {
  /** What is before it. */
  readonly before: 'nothing' | 'a token expires' | 'an hour passes' | 'another renews' | 'another deletes';
  readonly server: 'takes' | 'refuses all' | 'refuses once' | 'wants more' | 'forbids' | 'wants Basic';
  readonly challenge: boolean;
  readonly resource: 'valid' | 'missing' | 'failing' | 'foreign' | 'a page';
  readonly metadata: 'valid' | 'foreign' | 'without S256' | 'missing' | 'failing';
  readonly registration: 'takes' | 'refuses' | 'failing';
  readonly token:
    | 'gives'
    | 'invalid_client'
    | 'invalid_grant'
    | 'failing'
    | 'busy'
    | 'no JSON'
    | 'silent'
    | 'gives no refresh token';
  readonly person: 'agrees' | 'denies' | 'never' | 'wrong state' | 'wrong issuer' | 'goes away';
}

const origin = 'https://mcp.example';
const issuer = 'https://as1.example';

/** The server and its authorization server, by the step that is on. */
export class ScriptedHosts {
  step: Step | undefined;
  readonly #world: World;
  #given = 0;
  #refused = false;
  /** Access tokens by their end. */
  readonly #tokens = new Map<string, { readonly until: number; readonly scope: string }>();
  #scope = '';

  constructor(world: World) {
    this.#world = world;
  }

  begin(step: Step): void {
    this.step = step;
    this.#refused = false;
  }

  /** A token answer, as another process would get it. */
  tokens(withRefresh: boolean): Readonly<Record<string, unknown>> {
    const number = ++this.#given;
    this.#tokens.set(`at.as1.0.${number}`, { until: this.#world.now + 300_000, scope: this.#scope });
    const refresh = withRefresh ? { refresh_token: `rt.as1.0.${number}` } : {};
    return { access_token: `at.as1.0.${number}`, token_type: 'Bearer', expires_in: 300, ...refresh };
  }

  get hosts(): readonly ServerCore[] {
    return [
      { origin, answer: (request) => this.#serve(request) },
      { origin: issuer, answer: (request) => this.#authorize(request) },
    ];
  }

  #serve({ url, headers }: Arrived): HostAnswer | undefined {
    const { server, challenge, resource } = this.step!;
    const metadata = '/.well-known/oauth-protected-resource';
    if (url.pathname.startsWith(metadata)) {
      if (resource === 'missing') return answered(404, {});
      if (resource === 'failing') return answered(500, {});
      if (resource === 'a page') return { status: 200, headers: {}, body: '<html>' };
      const of = resource === 'foreign' ? 'https://other.example/mcp' : `${origin}/mcp`;
      return answered(200, { resource: of, authorization_servers: [issuer] });
    }
    if (url.pathname !== '/mcp') return answered(404, {});
    if (server === 'wants Basic') return answered(401, {}, { 'www-authenticate': 'Basic realm="a"' });
    const token = this.#tokens.get((headers['authorization'] ?? '').slice('Bearer '.length));
    const isGood = token !== undefined && token.until > this.#world.now;
    const says = challenge ? `Bearer resource_metadata="${origin}${metadata}/mcp"` : undefined;
    const isRefused = server === 'refuses all' || (server === 'refuses once' && !this.#refused);
    if (!isGood || isRefused) {
      this.#refused = true;
      return answered(401, {}, says === undefined ? {} : { 'www-authenticate': says });
    }
    if (server === 'forbids') return answered(403, {});
    if (server === 'wants more' && !token.scope.includes('more'))
      return answered(
        403,
        {},
        {
          'www-authenticate': `${says ?? 'Bearer'}${says === undefined ? '' : ','} error="insufficient_scope", scope="more"`,
        },
      );
    return answered(200, {});
  }

  #authorize({ url }: Arrived): HostAnswer | undefined {
    const { metadata, registration, token } = this.step!;
    if (url.pathname.startsWith('/.well-known/')) {
      if (metadata === 'missing') return answered(404, {});
      if (metadata === 'failing') return answered(503, {});
      return answered(200, {
        issuer: metadata === 'foreign' ? 'https://other.example' : issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        registration_endpoint: `${issuer}/register`,
        token_endpoint_auth_methods_supported: ['none'],
        ...(metadata === 'without S256' ? {} : { code_challenge_methods_supported: ['S256'] }),
        authorization_response_iss_parameter_supported: true,
      });
    }
    if (url.pathname === '/register') {
      if (registration === 'refuses') return answered(403, { error: 'access_denied' });
      if (registration === 'failing') return answered(503, {});
      return answered(201, { client_id: `client.as1.${++this.#given}`, token_endpoint_auth_method: 'none' });
    }
    if (url.pathname === '/authorize') return answered(200, {});
    if (url.pathname !== '/token') return answered(404, {});
    if (token === 'silent') return undefined;
    if (token === 'failing') return answered(502, {});
    if (token === 'busy') return answered(429, {});
    if (token === 'no JSON') return { status: 200, headers: {}, body: 'welcome' };
    if (token === 'invalid_client' || token === 'invalid_grant') return answered(400, { error: token });
    return answered(200, this.tokens(token === 'gives'));
  }

  /** The person of a process. */
  person(process: Process, asked: () => void): RedirectHook {
    return async (request, signal) => {
      const { person } = this.step!;
      asked();
      const given = new Promise<never>((_, reject) => {
        // The reason is what the owner of the signal gave.
        signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
      });
      given.catch(() => undefined);
      await Promise.race([sleep(this.#world, process, person === 'never' ? 10_000_000 : 2_000), given]);
      if (person === 'goes away') throw new AuthorizationError('denied', 'the window was closed');
      const back = new URL(request.redirectUri);
      back.searchParams.set('state', person === 'wrong state' ? 'x' : request.state);
      back.searchParams.set('iss', person === 'wrong issuer' ? 'https://other.example' : issuer);
      if (person === 'denies') back.searchParams.set('error', 'access_denied');
      else back.searchParams.set('code', 'code.as1.0');
      this.#scope = new URL(request.url).searchParams.get('scope') ?? '';
      return back.href;
    };
  }
}
