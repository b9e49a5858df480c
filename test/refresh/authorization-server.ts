/** Simulated authorization servers: they rotate refresh tokens, and revoke a whole family when a used one comes again. */

import type { Random } from '../support/random.ts';
import { answered, type Arrived, type ServerCore, type HostAnswer } from './network.ts';
import type { World } from '../simulation/world.ts';

/** How long an access token is valid, in milliseconds. */
const lifeMs = 5_000;

/** All that comes of one login. */
export interface Family {
  readonly issuer: string;
  readonly client: string;
  /** The number of the refresh token that is valid. */
  generation: number;
  revoked: boolean;
}

/** What was given out, by the texts of the tokens. */
export interface Given {
  readonly family: Family;
  readonly generation: number;
  readonly expiresAt: number;
}

/** One authorization server. */
export class AuthorizationServer implements ServerCore {
  readonly origin: string;
  readonly #world: World;
  /** Whether it gives a new refresh token with each renewal. */
  readonly #rotates: boolean;
  readonly #method: 'none' | 'client_secret_post';
  readonly #families: Family[] = [];
  readonly #given = new Map<string, Given>();
  readonly #clients = new Map<string, string | undefined>();
  readonly #codes = new Map<
    string,
    { readonly client: string; readonly redirectUri: string; used: Family | undefined }
  >();

  constructor(origin: string, world: World) {
    this.origin = origin;
    this.#world = world;
    this.#rotates = world.random.chance(0.9);
    this.#method = world.random.pick(['none', 'client_secret_post']);
  }

  /** What a token stands for. */
  given(token: string): Given | undefined {
    return this.#given.get(token);
  }

  /** Whether a grant could still be renewed by a refresh token, or by one that came after it. */
  isGood(refreshToken: string): boolean {
    const family = this.#given.get(refreshToken)?.family;
    return family !== undefined && !family.revoked && this.#clients.has(family.client);
  }

  /** An operator takes back what was granted, or forgets who was registered. */
  revoke({ chance }: Random): void {
    const isPruned = chance(0.3);
    this.#world.note(`${this.origin} ${isPruned ? 'forgets its clients' : 'revokes what it gave'}`);
    if (isPruned) this.#clients.clear();
    for (const family of this.#families) family.revoked = true;
  }

  answer(request: Arrived): HostAnswer {
    const { pathname } = request.url;
    if (pathname === '/.well-known/oauth-authorization-server') return answered(200, this.#metadata());
    if (pathname === '/token') return this.#token(new URLSearchParams(request.body));
    if (pathname === '/register') return this.#register();
    if (pathname === '/authorize')
      return this.#clients.has(request.url.searchParams.get('client_id') ?? '')
        ? answered(200, {})
        : answered(400, { error: 'invalid_client' });
    return answered(404, {});
  }

  /** Whether it shows a page of errors, from which nobody comes back: it has forgotten the client. */
  isDeadEnd(url: URL): boolean {
    return !this.#clients.has(url.searchParams.get('client_id') ?? '');
  }

  /** What a person who agrees, or does not, is sent back with. */
  agreed(url: URL, agrees: boolean): string {
    const parameters = url.searchParams;
    const redirectUri = parameters.get('redirect_uri') ?? '';
    const back = new URL(redirectUri);
    back.searchParams.set('state', parameters.get('state') ?? '');
    back.searchParams.set('iss', this.origin);
    const client = parameters.get('client_id') ?? '';
    if (agrees) {
      const code = `code.${this.#name()}.${this.#codes.size}`;
      this.#codes.set(code, { client, redirectUri, used: undefined });
      back.searchParams.set('code', code);
    } else back.searchParams.set('error', 'access_denied');
    return back.href;
  }

  #metadata(): object {
    return {
      issuer: this.origin,
      authorization_endpoint: `${this.origin}/authorize`,
      token_endpoint: `${this.origin}/token`,
      registration_endpoint: `${this.origin}/register`,
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: [this.#method],
      authorization_response_iss_parameter_supported: true,
    };
  }

  #register(): HostAnswer {
    const id = `client.${this.#name()}.${this.#clients.size}.${this.#world.events}`;
    const secret = this.#method === 'none' ? undefined : `secret.${this.#name()}.${id.slice(7)}`;
    this.#clients.set(id, secret);
    const given = secret === undefined ? {} : { client_secret: secret, client_secret_expires_at: 0 };
    return answered(201, { client_id: id, ...given, token_endpoint_auth_method: this.#method });
  }

  #token(parameters: URLSearchParams): HostAnswer {
    const client = parameters.get('client_id') ?? '';
    if (!this.#clients.has(client) || (this.#clients.get(client) ?? null) !== parameters.get('client_secret'))
      return answered(401, { error: 'invalid_client' });
    const grantType = parameters.get('grant_type');
    if (grantType === 'authorization_code') return this.#redeem(parameters, client);
    return grantType === 'refresh_token'
      ? this.#refresh(parameters, client)
      : answered(400, { error: 'invalid_request' });
  }

  #redeem(parameters: URLSearchParams, client: string): HostAnswer {
    const code = this.#codes.get(parameters.get('code') ?? '');
    const isSound = code?.client === client && code.redirectUri === parameters.get('redirect_uri');
    if (code === undefined || !isSound || code.used !== undefined) {
      if (code?.used !== undefined) code.used.revoked = true;
      return answered(400, { error: 'invalid_grant' });
    }
    code.used = { issuer: this.origin, client, generation: 0, revoked: false };
    this.#families.push(code.used);
    return this.#give(code.used, true);
  }

  #refresh(parameters: URLSearchParams, client: string): HostAnswer {
    const given = this.#given.get(parameters.get('refresh_token') ?? '');
    if (given === undefined || given.family.client !== client || given.family.revoked)
      return answered(400, { error: 'invalid_grant' });
    if (given.generation !== given.family.generation) {
      this.#world.note(`${this.origin} revokes a family: its refresh token ${given.generation} came again`);
      given.family.revoked = true;
      return answered(400, { error: 'invalid_grant' });
    }
    if (this.#rotates) given.family.generation++;
    return this.#give(given.family, this.#rotates);
  }

  #give(family: Family, isNew: boolean): HostAnswer {
    const of = `${this.#name()}.${this.#families.indexOf(family)}`;
    const expiresAt = this.#world.now + lifeMs;
    const accessToken = `at.${of}.${this.#given.size}`;
    const refreshToken = `rt.${of}.${family.generation}`;
    const given = { family, generation: family.generation, expiresAt };
    this.#given.set(accessToken, given);
    this.#given.set(refreshToken, given);
    return answered(200, {
      access_token: accessToken,
      token_type: 'Bearer',
      expires_in: lifeMs / 1_000,
      ...(isNew ? { refresh_token: refreshToken } : {}),
    });
  }

  #name(): string {
    return new URL(this.origin).hostname.split('.', 1)[0] ?? '';
  }
}
