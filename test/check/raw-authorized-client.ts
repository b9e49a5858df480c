/** A small client that signs in and makes one mistake, or none, and speaks for itself, so that nothing of ours hides it. */

import { createHash } from 'node:crypto';
import { document, documentMistakes, type AuthorizationMistake } from './authorization-mistakes.ts';

type Json = Readonly<Record<string, unknown>>;

interface Endpoints {
  readonly issuer: string;
  readonly authorize: string;
  readonly token: string;
  readonly register: string;
  readonly promisesIss: boolean;
  readonly takesDocuments: boolean;
}

interface Client {
  readonly id: string;
  readonly secret?: string;
  readonly method: string;
}

const redirectUri = 'http://127.0.0.1:7777/callback';
const newest = '2026-07-28';

/** The client at one server. */
export class RawAuthorizedClient {
  readonly #url: URL;
  readonly #date: string;
  readonly #mistake: AuthorizationMistake | undefined;
  readonly #foreign: string | undefined;
  readonly #clients = new Map<string, Client>();
  #scopes = new Set<string>();
  #id = 0;
  #session: string | undefined;
  #refresh: string | undefined;
  #endpoints: Endpoints | undefined;
  #steps = 0;
  /** The token that it has. */
  token: string | undefined;
  /** True where it has a metadata document. */
  hasDocument: boolean;

  constructor(url: string, date: string, mistake?: AuthorizationMistake, foreign?: string) {
    this.#url = new URL(url);
    this.#date = date;
    this.#mistake = mistake;
    this.#foreign = foreign;
    this.hasDocument = mistake !== undefined && documentMistakes.includes(mistake);
  }

  /** Signs in, and calls tools. @throws Error where it refuses to go on. */
  async run(tools: readonly string[]): Promise<void> {
    if (this.#foreign !== undefined) this.token = this.#foreign;
    if (this.#date !== newest) await this.#open();
    for (const tool of tools) await this.#request('tools/call', { name: tool, arguments: {} });
    if (this.#mistake === 'forgets-token') await (await this.#send({ id: 99, method: 'tools/list' }, {}, false)).text();
    if (this.#session !== undefined)
      await fetch(this.#url, {
        method: 'DELETE',
        headers: { ...this.#headers(), authorization: `Bearer ${this.token}` },
      });
  }

  async #open(): Promise<void> {
    const clientInfo = { name: 'raw', version: '1' };
    const params = { protocolVersion: this.#date, capabilities: {}, clientInfo };
    const response = await this.#request('initialize', params);
    this.#session = response.headers.get('mcp-session-id') ?? undefined;
    await (await this.#send({ method: 'notifications/initialized' }, {})).text();
  }

  async #request(method: string, params: Json): Promise<Response> {
    for (let tries = 0; tries < 12; tries++) {
      const response = await this.#send({ id: ++this.#id, method }, params);
      await response.text();
      if (response.status !== 401 && response.status !== 403) return response;
      const challenge = response.headers.get('www-authenticate') ?? '';
      const isStep = response.status === 403;
      if (isStep && this.#mistake === 'no-step-up') return response;
      if (isStep && tries > 1 && this.#mistake !== 'endless-step-up') return response;
      if (!isStep && (await this.#renewed())) continue;
      this.#steps++;
      await this.#signIn(challenge, isStep);
    }
    throw new Error('it is refused for ever');
  }

  async #send(message: Json, params: Json, isWith = true): Promise<Response> {
    const meta = {
      'io.modelcontextprotocol/protocolVersion': newest,
      'io.modelcontextprotocol/clientCapabilities': {},
      'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
    };
    const whole = this.#date === newest ? { ...params, _meta: meta } : params;
    const { method } = message as { readonly method: string };
    const name = params['name'];
    const own =
      this.#date === newest ? { 'mcp-method': method, ...(typeof name === 'string' && { 'mcp-name': name }) } : {};
    const url = new URL(this.#url);
    const token = isWith ? this.token : undefined;
    const how = this.#mistake;
    if (how === 'token-in-query' && token !== undefined) url.searchParams.set('access_token', token);
    const headers: Record<string, string> = {
      ...this.#headers(),
      ...own,
      'content-type': 'application/json',
      ...(token !== undefined && how !== 'token-in-own-header' && { authorization: `Bearer ${token}` }),
      ...(token !== undefined && how === 'token-in-own-header' && { 'x-token': token }),
      ...(how === 'shows-refresh-token' && this.#refresh !== undefined && { 'x-refresh': this.#refresh }),
    };
    const body = JSON.stringify({
      jsonrpc: '2.0',
      ...message,
      ...(Object.keys(whole).length > 0 && { params: whole }),
    });
    return await fetch(url, { method: 'POST', headers, body });
  }

  #headers(): Record<string, string> {
    const isOpen = this.#date === newest || (this.#session !== undefined && this.#date !== '2025-03-26');
    return {
      accept: 'application/json, text/event-stream',
      ...(isOpen && { 'mcp-protocol-version': this.#date }),
      ...(this.#session !== undefined && { 'mcp-session-id': this.#session }),
    };
  }

  async #signIn(challenge: string, isStep: boolean): Promise<void> {
    const how = this.#mistake;
    const { endpoints: found, supported } = await this.#discover(challenge);
    let endpoints = found;
    this.#endpoints = endpoints;
    const client = await this.#clientAt(endpoints);
    const challenged = /scope="([^"]*)"/.exec(challenge)?.[1];
    const isDeaf = how === 'ignores-challenged-scope' && !isStep;
    const wished =
      isDeaf || challenged === undefined
        ? how === 'ignores-supported-scopes'
          ? []
          : supported
        : challenged.split(' ');
    const isNarrow = isStep && how === 'only-new-scope';
    const beside = how === 'wants-all-scopes' ? supported : [];
    this.#scopes = new Set([...(isNarrow ? [] : this.#scopes), ...wished, ...beside]);
    const verifier = 'v'.repeat(43) + this.#steps;
    const state = `state-${this.#steps}`;
    const sent = how === 'unregistered-redirect' ? 'http://127.0.0.1:7777/other' : this.#redirectUri;
    const page = new URL(endpoints.authorize);
    const parameters: Record<string, string> = {
      response_type: 'code',
      client_id: client.id,
      redirect_uri: sent,
      ...this.#resource,
      ...(how !== 'no-state' && { state }),
      ...(this.#scopes.size > 0 && { scope: [...this.#scopes].join(' ') }),
      ...this.#pkce(verifier),
    };
    for (const [name, value] of Object.entries(parameters)) page.searchParams.set(name, value);
    const { headers } = await fetch(page, { redirect: 'manual' });
    const back = new URL(headers.get('location') ?? 'about:blank');
    const said = (name: string): string | null => back.searchParams.get(name);
    if (how !== 'no-state' && how !== 'ignores-state' && said('state') !== state) throw new Error('another state');
    if (how === 'looks-up-again') ({ endpoints } = await this.#discover(challenge));
    this.#checkIss(said('iss'), endpoints);
    const code = said('code');
    if (code === null) throw new Error('no code');
    await this.#take(endpoints, client, {
      grant_type: 'authorization_code',
      code,
      redirect_uri: sent,
      ...(how !== 'no-pkce' && { code_verifier: verifier }),
    });
  }

  get #redirectUri(): string {
    return this.#mistake === 'plain-redirect' ? 'http://app.example/callback' : redirectUri;
  }

  get #resource(): Record<string, string> {
    const { origin, href } = this.#url;
    switch (this.#mistake) {
      case 'no-resource':
        return {};
      case 'foreign-resource':
        return { resource: 'https://elsewhere.example/mcp' };
      case 'origin-as-resource':
        return { resource: origin };
      case 'slash-at-end':
        return { resource: `${href}/` };
      default:
        return { resource: href };
    }
  }

  #pkce(verifier: string): Record<string, string> {
    if (this.#mistake === 'no-pkce') return {};
    if (this.#mistake === 'plain-pkce') return { code_challenge: verifier, code_challenge_method: 'plain' };
    return {
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
    };
  }

  #checkIss(iss: string | null, { issuer, promisesIss }: Endpoints): void {
    if (this.#date !== newest) return;
    const how = this.#mistake;
    if (iss === null) {
      if ((promisesIss && how !== 'ignores-missing-iss') || how === 'wants-iss') throw new Error('no iss');
      return;
    }
    if (how === 'ignores-wrong-iss' && promisesIss) return;
    if (how === 'ignores-unpromised-iss' && !promisesIss) return;
    if (how === 'normalizes-iss' && iss.replace(/\/$/, '') === issuer) return;
    if (iss !== issuer) throw new Error('another iss');
  }

  async #renewed(): Promise<boolean> {
    const endpoints = this.#endpoints;
    const refresh = this.#refresh ?? (this.#mistake === 'assumes-refresh' ? 'undefined' : undefined);
    if (endpoints === undefined || refresh === undefined) return false;
    const client = this.#clients.get(endpoints.issuer);
    this.#refresh = undefined;
    if (client === undefined) return false;
    return await this.#take(endpoints, client, { grant_type: 'refresh_token', refresh_token: refresh }).then(
      () => true,
      () => false,
    );
  }

  async #take({ token }: Endpoints, { id, secret, method }: Client, grant: Record<string, string>): Promise<void> {
    const how = this.#mistake;
    const shown = how === 'wrong-secret' && secret !== undefined ? 'wrong' : secret;
    const isForgotten = how === 'forgets-secret';
    const basic = `Basic ${Buffer.from(`${id}:${shown ?? ''}`).toString('base64')}`;
    const form = new URLSearchParams({
      ...grant,
      client_id: id,
      ...this.#resource,
      ...(method === 'client_secret_post' && !isForgotten && { client_secret: shown ?? '' }),
    });
    const headers: Record<string, string> =
      method === 'client_secret_basic' && !isForgotten ? { authorization: basic } : {};
    const response = await fetch(token, { method: 'POST', headers, body: form });
    const given = (await response.json()) as { readonly access_token?: string; readonly refresh_token?: string };
    if (given.access_token === undefined) throw new Error('no token');
    this.token = given.access_token;
    this.#refresh = given.refresh_token;
  }

  async #clientAt(endpoints: Endpoints): Promise<Client> {
    const how = this.#mistake;
    const none = { method: 'none' } as const;
    if (how === 'made-up-id') return { id: 'made-up', ...none };
    if (how === 'url-id') return { id: 'https://app.example/client.json', ...none };
    if (how === 'plain-url-id') return { id: 'http://app.example/client.json', ...none };
    if (how === 'by-hand-elsewhere') return { id: 'parley-check', ...none };
    const hasUrl = this.hasDocument && endpoints.takesDocuments;
    if (hasUrl && how !== 'registers-beside-document') return { id: document.url, ...none };
    const [first] = this.#clients.values();
    if (how === 'reuses-client' && first !== undefined) return first;
    if (how === 'makes-up-second-id' && first !== undefined && !this.#clients.has(endpoints.issuer))
      return { id: 'second', ...none };
    const known = this.#clients.get(endpoints.issuer);
    if (known !== undefined) return known;
    const response = await this.#registered(endpoints.register);
    if (hasUrl) return { id: document.url, ...none };
    if (how === 'registers-for-ever')
      for (let more = 0; more < 6 && !response.ok; more++) await (await this.#registered(endpoints.register)).text();
    if (how === 'goes-on-unregistered' && !response.ok) return { id: 'unregistered', ...none };
    if (!response.ok) throw new Error('it cannot be registered');
    const given = (await response.json()) as Readonly<Record<string, string>>;
    const client: Client = {
      id: given['client_id'] ?? '',
      method: given['token_endpoint_auth_method'] ?? 'none',
      ...(given['client_secret'] !== undefined && { secret: given['client_secret'] }),
    };
    this.#clients.set(endpoints.issuer, client);
    return client;
  }

  async #registered(register: string): Promise<Response> {
    const how = this.#mistake;
    return await fetch(register, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        client_name: 'raw',
        redirect_uris: [this.#redirectUri],
        grant_types: how === 'unlisted-refresh' ? ['authorization_code'] : ['authorization_code', 'refresh_token'],
        token_endpoint_auth_method: 'none',
        ...(how !== 'no-application-type' && { application_type: how === 'web-on-this-machine' ? 'web' : 'native' }),
      }),
    });
  }

  async #discover(
    challenge: string,
  ): Promise<{ readonly endpoints: Endpoints; readonly supported: readonly string[] }> {
    const { origin, pathname, href } = this.#url;
    const how = this.#mistake;
    if (this.#date === '2025-03-26') return { endpoints: await this.#discoverOwn(), supported: [] };
    if (how === 'fixed-endpoints') return { endpoints: endpointsAt(origin), supported: [] };
    const named = /resource_metadata="([^"]*)"/.exec(challenge)?.[1];
    const root = `${origin}/.well-known/oauth-protected-resource`;
    const places =
      how === 'root-first' ? [root] : how === 'path-only' ? [`${root}${pathname}`] : [`${root}${pathname}`, root];
    const tried = named === undefined || how === 'ignores-challenge' ? places : [named];
    const resource = await firstOf(tried);
    const said = String(resource['resource']);
    const isOwn = how === 'compares-letters' ? said === href : URL.canParse(said) && new URL(said).href === href;
    if (!isOwn && how !== 'believes-other-resource') throw new Error('another resource');
    const [issuer = ''] = resource['authorization_servers'] as readonly string[];
    const supported = (resource['scopes_supported'] ?? []) as readonly string[];
    if (how === 'no-server-metadata') return { endpoints: endpointsAt(issuer), supported };
    const metadata = await firstOf(this.#metadataOf(new URL(issuer)));
    if (metadata['issuer'] !== issuer && how !== 'believes-other-issuer') throw new Error('another issuer');
    if (metadata['code_challenge_methods_supported'] === undefined && how !== 'goes-on-without-pkce')
      throw new Error('no PKCE');
    return {
      supported,
      endpoints: {
        issuer,
        authorize: String(metadata['authorization_endpoint']),
        token: String(metadata['token_endpoint']),
        register: String(metadata['registration_endpoint']),
        promisesIss: metadata['authorization_response_iss_parameter_supported'] === true,
        takesDocuments: metadata['client_id_metadata_document_supported'] === true,
      },
    };
  }

  #metadataOf({ origin, pathname }: URL): readonly string[] {
    const path = pathname === '/' ? '' : pathname;
    const oauth = `${origin}/.well-known/oauth-authorization-server${path}`;
    if (this.#mistake === 'oauth-metadata-only') return [oauth];
    const openid = `${origin}/.well-known/openid-configuration${path}`;
    const appended = path === '' ? [] : [`${origin}${path}/.well-known/openid-configuration`];
    return this.#mistake === 'openid-first' ? [openid, oauth, ...appended] : [oauth, openid, ...appended];
  }

  /** As clients of the first revision with authorization do it. */
  async #discoverOwn(): Promise<Endpoints> {
    const { origin, pathname } = this.#url;
    const how = this.#mistake;
    if (how !== 'no-metadata-first') {
      const place = `${origin}/.well-known/oauth-authorization-server${how === 'keeps-path' ? pathname : ''}`;
      const headers: Record<string, string> = how === 'silent-revision' ? {} : { 'mcp-protocol-version': this.#date };
      await (await fetch(place, { headers })).text();
    }
    if (how === 'gives-up') throw new Error('there are no metadata');
    return endpointsAt(origin);
  }
}

function endpointsAt(issuer: string): Endpoints {
  return {
    issuer,
    authorize: `${issuer}/authorize`,
    token: `${issuer}/token`,
    register: `${issuer}/register`,
    promisesIss: false,
    takesDocuments: false,
  };
}

/** The first document that is there. */
async function firstOf(places: readonly string[]): Promise<Json> {
  for (const place of places) {
    const response = await fetch(place);
    const text = await response.text();
    if (response.ok) return JSON.parse(text) as Json;
  }
  throw new Error('there are no metadata');
}
