/** A server that wants authorization, its authorization server and a person, in memory: a `fetch` that leads nowhere else. */

import { connect, type Client } from '../../packages/parley/src/client.ts';
import type { ConnectOptions } from '../../packages/parley/src/client/api/options.ts';
import { createHandler } from '../../packages/parley/src/transports/http/server/fetch.ts';
import type { HttpTransportOptions } from '../../packages/parley/src/transports/http/client/request.ts';
import {
  oauth,
  type Authorization,
  type OAuth,
  type OAuthEvent,
  type OAuthOptions,
  type RedirectRequest,
} from '../../packages/parley/src/oauth.ts';
import { createServer, type Server } from '../../packages/parley/src/server.ts';

/** One request that somebody made. */
export interface Asked {
  readonly method: string;
  readonly url: URL;
  readonly headers: Headers;
  /** The parameters of a form, or the fields of JSON. */
  readonly body: Readonly<Record<string, unknown>>;
}

type Answer = Response | Promise<Response>;

/** What may be changed of the world, at any time. */
export interface Laws {
  /** The challenge of a 401. */
  challenge: string;
  /** The metadata of the resource; a text is answered as it is, `undefined` by 404. */
  resource: unknown;
  /** The metadata of the authorization server; likewise. */
  server: unknown;
  /** What becomes of the URL to which the person is sent back. */
  callback: (callback: URL, page: URL) => URL | string;
  /** The scopes without which a tool is refused, by its name. */
  needs: Readonly<Record<string, readonly string[]>>;
  /** The scopes that are granted of those that are asked for. */
  grants: (asked: readonly string[]) => readonly string[];
  /** How long tokens are valid, in seconds. */
  expiresIn: number;
  /** Answers in place of the endpoint, where it gives anything. */
  answers: Readonly<Record<string, (asked: Asked) => Answer | undefined>>;
}

export const mcp = 'https://mcp.example/mcp';
export const issuer = 'https://as.example';
export const redirectUri = 'http://127.0.0.1:7777/callback';

/** A world with everything in order. */
export interface World {
  readonly laws: Laws;
  /** Everything that was asked, in order. */
  readonly asked: Asked[];
  /** The pages that the person saw. */
  readonly pages: RedirectRequest[];
  readonly events: OAuthEvent[];
  /** Every token, secret and code that was given out. */
  readonly secrets: string[];
  /** The tokens that the server takes now, with their scopes. */
  readonly tokens: Map<string, readonly string[]>;
  readonly server: Server;
  /** The time, in milliseconds. */
  time: number;
  readonly fetch: typeof fetch;
  /** How often something was asked, such as `POST /token`. */
  count(what: string): number;
  oauth(options?: Partial<OAuthOptions>): OAuth;
  /** Signs the person in on the page of a login; gives the URL to which they are sent back. */
  visit(request: RedirectRequest): Promise<string>;
  connect(auth: Authorization, options?: ConnectOptions & HttpTransportOptions): Promise<Client>;
}

export function createWorld(changes: Partial<Laws> = {}): World {
  const laws: Laws = {
    challenge: 'Bearer resource_metadata="https://mcp.example/.well-known/oauth-protected-resource/mcp"',
    resource: { resource: mcp, authorization_servers: [issuer] },
    server: {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      registration_endpoint: `${issuer}/register`,
      revocation_endpoint: `${issuer}/revoke`,
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['none'],
      authorization_response_iss_parameter_supported: true,
    },
    callback: (callback) => callback,
    needs: {},
    grants: (asked) => asked,
    expiresIn: 3600,
    answers: {},
    ...changes,
  };
  const world = new Made(laws);
  return world;
}

class Made implements World {
  readonly laws: Laws;
  readonly asked: Asked[] = [];
  readonly pages: RedirectRequest[] = [];
  readonly events: OAuthEvent[] = [];
  readonly secrets: string[] = [];
  readonly tokens = new Map<string, readonly string[]>();
  readonly server: Server;
  time = 1_000_000_000_000;
  readonly #handle: (request: Request) => Promise<Response>;
  readonly #codes = new Map<string, { readonly scopes: readonly string[]; readonly challenge: string }>();
  readonly #renewable = new Map<string, readonly string[]>();
  #made = 0;

  constructor(laws: Laws) {
    this.laws = laws;
    this.server = createServer({ name: 's', version: '1' });
    for (const name of ['read', 'write']) this.server.tool(name, {}, () => name);
    this.#handle = createHandler(this.server, { allowedHosts: ['mcp.example'] });
  }

  count(what: string): number {
    return this.asked.filter(({ method, url }) => `${method} ${url.pathname}` === what).length;
  }

  oauth(options: Partial<OAuthOptions> = {}): OAuth {
    return oauth({
      redirect: (request) => this.visit(request),
      // Other ways of coming back know their own.
      ...(typeof options.redirect === 'object' ? {} : { redirectUri }),
      now: () => this.time,
      onEvent: (event) => this.events.push(event),
      ...options,
    });
  }

  connect(auth: Authorization, options: ConnectOptions & HttpTransportOptions = {}): Promise<Client> {
    return connect(mcp, {
      auth,
      fetch: (url, request) => this.fetch(url, request),
      revisions: ['2026-07-28'],
      ...options,
    });
  }

  readonly fetch = async (input: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const request = new Request(input, { ...init, redirect: 'follow' });
    const text = await request.clone().text();
    const url = new URL(request.url);
    const isForm = request.headers.get('content-type')?.includes('form') === true;
    const body: unknown = text === '' ? {} : isForm ? Object.fromEntries(new URLSearchParams(text)) : JSON.parse(text);
    const asked: Asked = { method: request.method, url, headers: request.headers, body: body as Asked['body'] };
    this.asked.push(asked);
    const instead = await this.laws.answers[url.pathname]?.(asked);
    if (instead !== undefined) return instead;
    if (url.origin === 'https://mcp.example') return await this.#mcp(request, asked);
    if (url.origin === issuer) return await this.#authorizationServer(asked);
    throw new TypeError(`nothing is at ${url.origin}`);
  };

  async #mcp(request: Request, { url, headers, body }: Asked): Promise<Response> {
    if (url.pathname.startsWith('/.well-known/oauth-protected-resource')) return document(this.laws.resource);
    if (url.pathname !== '/mcp') return new Response('', { status: 404 });
    const scopes = this.tokens.get((headers.get('authorization') ?? '').replace(/^\w+ /, ''));
    if (scopes === undefined)
      return new Response('{}', { status: 401, headers: { 'www-authenticate': this.laws.challenge } });
    const name = (body['params'] as { readonly name?: string } | undefined)?.name ?? '';
    const missing = (this.laws.needs[name] ?? []).filter((scope) => !scopes.includes(scope));
    if (missing.length === 0) return await this.#handle(request);
    const challenge = `Bearer error="insufficient_scope", scope="${missing.join(' ')}", resource_metadata="https://mcp.example/.well-known/oauth-protected-resource/mcp"`;
    return new Response('{}', { status: 403, headers: { 'www-authenticate': challenge } });
  }

  async #authorizationServer(asked: Asked): Promise<Response> {
    const { url } = asked;
    switch (url.pathname) {
      case '/.well-known/oauth-authorization-server':
      case '/.well-known/openid-configuration':
        return document(this.laws.server);
      case '/register':
        return Response.json({ client_id: `client-${++this.#made}`, ...asked.body }, { status: 201 });
      case '/token':
        return await this.#token(asked.body as Readonly<Record<string, string>>);
      case '/revoke':
        this.tokens.delete(String(asked.body['token']));
        return new Response('');
      default:
        return new Response('', { status: 404 });
    }
  }

  async #token(form: Readonly<Record<string, string>>): Promise<Response> {
    if (form['grant_type'] === 'authorization_code') {
      const code = this.#codes.get(form['code'] ?? '');
      this.#codes.delete(form['code'] ?? '');
      const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(form['code_verifier']));
      const fits = code?.challenge === Buffer.from(hash).toString('base64url');
      return fits && code !== undefined ? this.#give(code.scopes) : refuse('invalid_grant');
    }
    if (form['grant_type'] === 'client_credentials') return this.#give((form['scope'] ?? '').split(' '), false);
    const scopes = this.#renewable.get(form['refresh_token'] ?? '');
    this.#renewable.delete(form['refresh_token'] ?? '');
    return scopes === undefined ? refuse('invalid_grant') : this.#give(scopes);
  }

  #give(scopes: readonly string[], renewable = true): Response {
    const made = ++this.#made;
    const [access, refresh] = [`access-${made}-secret`, `refresh-${made}-secret`];
    this.secrets.push(access, refresh);
    this.tokens.set(access, scopes);
    if (renewable) this.#renewable.set(refresh, scopes);
    return Response.json({
      access_token: access,
      token_type: 'Bearer',
      expires_in: this.laws.expiresIn,
      scope: scopes.join(' '),
      ...(renewable ? { refresh_token: refresh } : {}),
    });
  }

  async visit(request: RedirectRequest): Promise<string> {
    this.pages.push(request);
    const page = new URL(request.url);
    const code = `code-${++this.#made}-secret`;
    const asked = (page.searchParams.get('scope') ?? '').split(' ').filter((scope) => scope !== '');
    this.#codes.set(code, {
      scopes: this.laws.grants(asked),
      challenge: page.searchParams.get('code_challenge') ?? '',
    });
    this.secrets.push(code);
    const callback = new URL(page.searchParams.get('redirect_uri') ?? '');
    callback.searchParams.set('code', code);
    callback.searchParams.set('state', page.searchParams.get('state') ?? '');
    callback.searchParams.set('iss', issuer);
    return String(this.laws.callback(callback, page));
  }
}

function document(value: unknown): Response {
  if (value === undefined) return new Response('', { status: 404 });
  return typeof value === 'string' ? new Response(value) : Response.json(value);
}

/** The answer of a token endpoint that refuses. */
export function refuse(error: string, status = 400): Response {
  return Response.json({ error, error_description: 'no' }, { status });
}
