/** An authorization server and the server that it guards, on this machine: each refresh token is good once, and one that comes again revokes all that came of its login. */

import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { nameHeader } from './messages.ts';
import type { Fate } from './plan.ts';

/** How long an access token is valid, in milliseconds. */
const lifeMs = 5_000;

interface Family {
  generation: number;
  revoked: boolean;
}

interface Given {
  readonly family: Family;
  readonly generation: number;
  readonly until: number;
}

/** One use of a refresh token. */
export interface Use {
  readonly token: string;
  readonly process: string;
  /** By the monotonic clock. */
  readonly at: number;
  /** `lost` where nobody can have heard what came of it. */
  state: 'pending' | 'answered' | 'lost';
}

/** What a schedule decides about a renewal, and hears of it. */
export interface Watcher {
  used(use: Use, again: readonly Use[]): Fate;
}

/** Both servers, at one origin. */
export class Authority {
  readonly #server: Server = createServer();
  readonly #watcher: Watcher;
  readonly #families: Family[] = [];
  readonly #given = new Map<string, Given>();
  readonly #codes = new Map<string, string>();
  readonly #uses = new Map<string, Use[]>();
  #clients = 0;
  renewals = 0;
  revoked = 0;

  constructor(watcher: Watcher) {
    this.#watcher = watcher;
    this.#server.on('request', (request, response) => void this.#answer(request, response));
  }

  get origin(): string {
    // It listens at a port, so that the address is one of those.
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async listen(): Promise<void> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  async close(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  /** Whether somebody who has a refresh token can still renew by it, or by one that came after it. */
  isGood(refreshToken: string): boolean {
    const given = this.#given.get(refreshToken);
    return given !== undefined && !given.family.revoked;
  }

  /** Whether a refresh token was the last of its family. */
  isLast(refreshToken: string): boolean {
    const given = this.#given.get(refreshToken);
    return given !== undefined && given.generation === given.family.generation;
  }

  /** What a person who agrees, or does not, is sent back with. */
  agreed(url: URL, agrees: boolean): string {
    const redirectUri = url.searchParams.get('redirect_uri') ?? '';
    const back = new URL(redirectUri);
    back.searchParams.set('state', url.searchParams.get('state') ?? '');
    back.searchParams.set('iss', this.origin);
    const code = `code.${this.#codes.size}`;
    if (agrees) this.#codes.set(code, redirectUri);
    if (agrees) back.searchParams.set('code', code);
    else back.searchParams.set('error', 'access_denied');
    return back.href;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = '';
    // A process may die in the middle of its request.
    try {
      for await (const chunk of request.setEncoding('utf8')) body += String(chunk);
    } catch {
      return;
    }
    const { pathname } = new URL(request.url ?? '/', this.origin);
    const { origin } = this;
    if (pathname === '/mcp') this.#serve(request, response);
    else if (pathname === '/.well-known/oauth-protected-resource/mcp')
      reply(response, 200, { resource: `${origin}/mcp`, authorization_servers: [origin] });
    else if (pathname === '/.well-known/oauth-authorization-server') reply(response, 200, this.#metadata());
    else if (pathname === '/register')
      reply(response, 201, { client_id: `client.${++this.#clients}`, token_endpoint_auth_method: 'none' });
    else if (pathname === '/token') this.#token(new URLSearchParams(body), request, response);
    else reply(response, pathname === '/authorize' ? 200 : 404, {});
  }

  #serve(request: IncomingMessage, response: ServerResponse): void {
    const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1];
    const given = this.#given.get(token ?? '');
    if (given !== undefined && given.until > performance.now() && !given.family.revoked)
      return reply(response, 200, {});
    const metadata = `resource_metadata="${this.origin}/.well-known/oauth-protected-resource/mcp"`;
    response.setHeader('www-authenticate', `Bearer ${token === undefined ? '' : 'error="invalid_token", '}${metadata}`);
    reply(response, 401, {});
  }

  #metadata(): object {
    const { origin } = this;
    return {
      issuer: origin,
      authorization_endpoint: `${origin}/authorize`,
      token_endpoint: `${origin}/token`,
      registration_endpoint: `${origin}/register`,
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['none'],
      authorization_response_iss_parameter_supported: true,
    };
  }

  #token(form: URLSearchParams, request: IncomingMessage, response: ServerResponse): void {
    if (form.get('grant_type') === 'authorization_code') {
      const code = form.get('code') ?? '';
      const isGood = this.#codes.get(code) === form.get('redirect_uri');
      this.#codes.delete(code);
      if (!isGood) return reply(response, 400, { error: 'invalid_grant' });
      const family = { generation: 0, revoked: false };
      this.#families.push(family);
      return reply(response, 200, this.#give(family));
    }
    this.#renew(form.get('refresh_token') ?? '', String(request.headers[nameHeader]), response);
  }

  #renew(token: string, process: string, response: ServerResponse): void {
    this.renewals++;
    const use: Use = { token, process, at: performance.now(), state: 'pending' };
    const before = this.#uses.get(token) ?? [];
    this.#uses.set(token, [...before, use]);
    const fate = this.#watcher.used(use, before);
    response.once('close', () => (use.state = response.writableFinished && fate !== 'busy' ? 'answered' : 'lost'));
    if (fate === 'lost before') return void response.destroy();
    if (fate === 'busy') return reply(response, 429, {});
    const given = this.#given.get(token);
    if (given === undefined || given.family.revoked) return reply(response, 400, { error: 'invalid_grant' });
    if (given.generation !== given.family.generation) {
      given.family.revoked = true;
      this.revoked++;
      return reply(response, 400, { error: 'invalid_grant' });
    }
    given.family.generation++;
    const answer = this.#give(given.family);
    if (fate === 'lost after') response.destroy();
    else if (fate === 'answered') reply(response, 200, answer);
    // Silence: who asked gives up by itself.
  }

  #give(family: Family): object {
    const of = this.#families.indexOf(family);
    const given = { family, generation: family.generation, until: performance.now() + lifeMs };
    const [access, refresh] = [`at.${of}.${this.#given.size}`, `rt.${of}.${family.generation}`];
    this.#given.set(access, given);
    this.#given.set(refresh, given);
    return { access_token: access, refresh_token: refresh, token_type: 'Bearer', expires_in: lifeMs / 1_000 };
  }
}

function reply(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
