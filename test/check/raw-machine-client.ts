/** A small client that acts for itself and makes one mistake, or none, and speaks for itself. */

import { createHash } from 'node:crypto';

type Json = Readonly<Record<string, unknown>>;

/** Way in which it says who it is; `url` is by a key, and the URL of its metadata document, which it shows everywhere. */
export type MachineKind = 'secret' | 'key' | 'url' | 'workload' | 'identity' | 'proof';

/** Mistakes that it can make. */
export type MachineMistake =
  | 'no-secret'
  | 'untyped-assertion'
  | 'other-subject'
  | 'other-issuer'
  | 'other-audience'
  | 'stale-assertion'
  | 'plain-assertion'
  | 'plain-workload'
  | 'asks-again'
  | 'tries-another-grant'
  | 'identity-as-token'
  | 'same-id-elsewhere'
  | 'bound-as-bearer'
  | 'same-proof'
  | 'proof-of-nothing'
  | 'proof-of-another-url'
  | 'no-proof-for-token'
  | 'deaf-to-issuer'
  | 'deaf-to-server'
  | 'symmetric-proof';

const newest = '2026-07-28';
const id = 'parley-check';
const documentId = 'https://app.example/client.json';
const grants = { own: 'client_credentials', asserted: 'urn:ietf:params:oauth:grant-type:jwt-bearer' } as const;

const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** The client at one server. */
export class RawMachineClient {
  readonly #url: string;
  readonly #kind: MachineKind;
  readonly #mistake: MachineMistake | undefined;
  #token: string | undefined;
  /** True where the token is bound to a key. */
  #isBound = false;
  #issuer: string | undefined;
  #id = 0;
  #proofs = 0;
  /** Nonces by origin. */
  readonly #nonces = new Map<string, string>();

  constructor(url: string, kind: MachineKind, mistake?: MachineMistake) {
    this.#url = url;
    this.#kind = kind;
    this.#mistake = mistake;
  }

  /** Signs in, and calls tools. @throws Error where it gives up. */
  async run(tools: readonly string[]): Promise<void> {
    if (this.#mistake === 'identity-as-token') this.#token = this.#identity(this.#url);
    for (const tool of tools) await this.#call(tool);
  }

  /** Calls a tool several times at once. */
  async atOnce(tool: string, times: number): Promise<void> {
    await Promise.all(Array.from({ length: times }, () => this.#call(tool)));
  }

  async #call(name: string): Promise<void> {
    for (let tries = 0; tries < 4; tries++) {
      const response = await this.#send(name);
      await response.text();
      if (response.headers.get('dpop-nonce') !== null) {
        if (this.#mistake === 'deaf-to-server') throw new Error('it wants a nonce');
        this.#nonces.set(new URL(this.#url).origin, response.headers.get('dpop-nonce') ?? '');
        continue;
      }
      if (response.status !== 401 && response.status !== 403) return;
      await this.#signIn(response.headers.get('www-authenticate') ?? '');
    }
    throw new Error('it is refused for ever');
  }

  async #send(name: string): Promise<Response> {
    const meta = {
      'io.modelcontextprotocol/protocolVersion': newest,
      'io.modelcontextprotocol/clientCapabilities': {},
      'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
    };
    const params = { name, arguments: {}, _meta: meta };
    const headers = {
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      'mcp-protocol-version': newest,
      'mcp-method': 'tools/call',
      'mcp-name': name,
      ...(this.#token !== undefined && this.#authorization(this.#token)),
    };
    const body = JSON.stringify({ jsonrpc: '2.0', id: ++this.#id, method: 'tools/call', params });
    return await fetch(this.#url, { method: 'POST', headers, body });
  }

  #authorization(token: string): Record<string, string> {
    if (!this.#isBound) return { authorization: `Bearer ${token}` };
    const scheme = this.#mistake === 'bound-as-bearer' ? 'Bearer' : 'DPoP';
    return { authorization: `${scheme} ${token}`, dpop: this.#dpop(this.#url, token) };
  }

  #dpop(url: string, token?: string): string {
    const how = this.#mistake;
    const { origin } = new URL(url);
    const header = { typ: 'dpop+jwt', alg: how === 'symmetric-proof' ? 'HS256' : 'ES256', jwk: {} };
    const hash = createHash('sha256')
      .update(token ?? '')
      .digest('base64url');
    const claims = {
      jti: how === 'same-proof' && token !== undefined ? 'same' : `proof-${++this.#proofs}`,
      htm: 'POST',
      htu: how === 'proof-of-another-url' ? origin : url,
      iat: 1,
      ...(token !== undefined && { ath: how === 'proof-of-nothing' ? 'none' : hash }),
      ...(this.#nonces.has(origin) && { nonce: this.#nonces.get(origin) }),
    };
    return `${part(header)}.${part(claims)}.c2lnbmF0dXJl`;
  }

  async #signIn(challenge: string): Promise<void> {
    const root = `${new URL(this.#url).origin}/.well-known/oauth-protected-resource`;
    const named = /resource_metadata="([^"]*)"/.exec(challenge)?.[1] ?? `${root}/mcp`;
    const found = await firstOf([named, root]);
    const said = String(found['resource']);
    if (!URL.canParse(said) || new URL(said).href !== this.#url) throw new Error('another resource');
    const [issuer = ''] = found['authorization_servers'] as readonly string[];
    const isElsewhere = this.#issuer !== undefined && this.#issuer !== issuer;
    if (isElsewhere && this.#kind !== 'url' && this.#mistake !== 'same-id-elsewhere') throw new Error('another issuer');
    this.#issuer = issuer;
    const { origin, pathname } = new URL(issuer);
    const path = pathname === '/' ? '' : pathname;
    const metadata = await firstOf([
      `${origin}/.well-known/oauth-authorization-server${path}`,
      `${origin}/.well-known/openid-configuration${path}`,
      `${origin}${path}/.well-known/openid-configuration`,
    ]);
    if (metadata['issuer'] !== issuer) throw new Error('another issuer');
    const scope = /scope="([^"]*)"/.exec(challenge)?.[1];
    const form = { resource: this.#url, ...(scope !== undefined && { scope }) };
    await this.#asks(String(metadata['token_endpoint']), issuer, form);
  }

  async #asks(endpoint: string, issuer: string, form: Record<string, string>): Promise<void> {
    const how = this.#mistake;
    const own = this.#kind !== 'workload' && this.#kind !== 'identity';
    const body: Record<string, string> = {
      ...form,
      grant_type: own ? grants.own : grants.asserted,
      ...this.#proof(issuer, endpoint),
    };
    for (let tries = 0; tries < (how === 'asks-again' ? 5 : this.#kind === 'proof' ? 2 : 1); tries++) {
      const isProven = this.#kind === 'proof' && !(how === 'no-proof-for-token' && this.#token !== undefined);
      const headers: Record<string, string> = isProven ? { dpop: this.#dpop(endpoint) } : {};
      const response = await fetch(endpoint, { method: 'POST', headers, body: new URLSearchParams(body) });
      const nonce = response.headers.get('dpop-nonce');
      if (nonce !== null && how !== 'deaf-to-issuer') this.#nonces.set(new URL(endpoint).origin, nonce);
      const given = (await response.json()) as { readonly access_token?: string; readonly token_type?: string };
      this.#isBound = given.token_type === 'DPoP';
      this.#token = given.access_token;
      if (this.#token !== undefined) return;
    }
    if (how === 'tries-another-grant') {
      const other = { ...form, grant_type: grants.own, client_id: id, client_secret: 's' };
      await (await fetch(endpoint, { method: 'POST', body: new URLSearchParams(other) })).text();
    }
    throw new Error('no token');
  }

  #proof(issuer: string, endpoint: string): Record<string, string> {
    const how = this.#mistake;
    if (this.#kind === 'secret' || this.#kind === 'proof')
      return { client_id: id, ...(how !== 'no-secret' && { client_secret: 's' }) };
    if (this.#kind === 'workload')
      return { client_id: id, assertion: how === 'plain-workload' ? 'the-workload' : jwt('JWT', { sub: 'workload' }) };
    if (this.#kind === 'identity') return { client_id: id, client_secret: 's', assertion: this.#identity(issuer) };
    const own = this.#kind === 'url' ? documentId : id;
    const claims = {
      iss: how === 'other-issuer' ? 'somebody' : own,
      sub: how === 'other-subject' ? 'somebody' : own,
      aud: how === 'other-audience' ? 'https://elsewhere.example' : [endpoint],
      exp: Math.floor(Date.now() / 1_000) + (how === 'stale-assertion' ? -3_600 : 60),
    };
    return {
      client_assertion: how === 'plain-assertion' ? 'it is me' : jwt('JWT', claims),
      ...(how !== 'untyped-assertion' && {
        client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      }),
    };
  }

  #identity(aud: string): string {
    return jwt('oauth-id-jag+jwt', { sub: 'ann', aud });
  }
}

function jwt(typ: string, claims: object): string {
  return `${part({ alg: 'ES256', typ })}.${part(claims)}.c2lnbmF0dXJl`;
}

async function firstOf(places: readonly string[]): Promise<Json> {
  for (const place of places) {
    const response = await fetch(place);
    const text = await response.text();
    if (response.ok) return JSON.parse(text) as Json;
  }
  throw new Error('there are no metadata');
}
