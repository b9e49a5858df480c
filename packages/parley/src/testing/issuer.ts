/** An authorization server for tests of protected servers: it lives in memory, and issues whatever token a test wants. */

import type { Fetch, FetchRequest, FetchResponse } from '../jsonrpc/fetch.ts';
import { serverMetadataUrls } from '../auth/common/well-known.ts';

/** Name of a test issuer, and for whom it issues. */
export interface TestIssuerOptions {
  /** Its identifier; `https://issuer.test`. */
  readonly issuer?: string;
  /** Audience of its tokens, unless they say: the `resource` of the server. */
  readonly audience?: string;
  /** The time, in milliseconds since 1970; `Date.now` by default. */
  readonly now?: () => number;
}

/** Claims that a token is to have; everything may be left out. */
export interface TestToken {
  /** The audience of the token. */
  readonly audience?: string | readonly string[];
  /** `test-user`. */
  readonly subject?: string;
  /** `test-client`. */
  readonly clientId?: string;
  /** None by default. */
  readonly scopes?: readonly string[];
  /** In how many seconds it expires; 3600. `protect` allows clocks to be 30 seconds apart: a token that is to be refused expired before that, such as -60. */
  readonly expiresIn?: number;
  /** Claims beside these, or in their place; `undefined` leaves one out. */
  readonly claims?: Readonly<Record<string, unknown>>;
  /** Fields of the header beside these, or in their place. */
  readonly header?: Readonly<Record<string, unknown>>;
}

/** Key that the issuer published and signed with at some time. */
interface Key {
  readonly kid: string;
  readonly privateKey: CryptoKey;
  readonly jwk: object;
}

/** An authorization server without a network. */
export interface TestIssuer {
  /** The URL of the issuer. */
  readonly issuer: string;
  /** The options of `protect` by which a server takes its tokens: `issuers`, and the `fetch` that reaches it. */
  readonly options: { readonly issuers: readonly string[]; readonly fetch: Fetch };
  /** Answers as its endpoints would: metadata, keys, introspection and token exchange; counts them by their path. */
  readonly fetch: Fetch;
  /** Number of times that each path was asked for. */
  readonly asked: ReadonlyMap<string, number>;
  /** Issues a signed access token. */
  issue(token?: TestToken): Promise<string>;
  /** Signs with another key from now on, and publishes that one alone; with `keep` the older ones too. */
  rotate(options?: { readonly keep?: boolean }): void;
  /** Makes it unreachable, or reachable again. */
  outage(isOut: boolean): void;
  /** Makes introspection say that a token is not active any more. */
  revoke(token: string): void;
}

/**
 * Makes an authorization server for tests.
 *
 * @example
 * const issuer = testIssuer({ audience: resource });
 * const guarded = protect(server, { resource, ...issuer.options });
 * const token = await issuer.issue({ scopes: ['files:read'] });
 */
export function testIssuer(options: TestIssuerOptions = {}): TestIssuer {
  const { issuer = 'https://issuer.test', audience, now = Date.now } = options;
  let keys: readonly Promise<Key>[] = [makeKey(1)];
  let made = 1;
  let isOut = false;
  const asked = new Map<string, number>();
  const issued = new Map<string, object>();
  const issue = async (token: TestToken = {}): Promise<string> => {
    const claims = claimsOf(token, { issuer, audience, seconds: Math.floor(now() / 1000) });
    // There is always one.
    const key = await (keys.at(-1) as Promise<Key>);
    const text = await signed({ alg: 'ES256', typ: 'at+jwt', kid: key.kid, ...token.header }, claims, key.privateKey);
    issued.set(text, claims);
    return text;
  };
  const documents = documentsOf({ issuer, keys: () => keys, issued, issue });
  const fetch: Fetch = async (url, request) => {
    const { origin, pathname } = new URL(url);
    asked.set(pathname, (asked.get(pathname) ?? 0) + 1);
    if (isOut) throw new TypeError('the test issuer is out of reach');
    const document = origin === new URL(issuer).origin ? documents[pathname] : undefined;
    return document === undefined ? respond(404, {}) : respond(200, await document(bodyOf(request)));
  };
  return {
    issuer,
    options: { issuers: [issuer], fetch },
    fetch,
    asked,
    issue,
    rotate: ({ keep = false } = {}) => {
      keys = [...(keep ? keys : []), makeKey(++made)];
    },
    outage: (state) => void (isOut = state),
    revoke: (token) => void issued.delete(token),
  };
}

/** Parts that the endpoints of an issuer work with. */
interface Endpoints {
  readonly issuer: string;
  keys(): readonly Promise<Key>[];
  readonly issued: ReadonlyMap<string, object>;
  readonly issue: TestIssuer['issue'];
}

/** Makes what lies at each path. */
function documentsOf({
  issuer,
  keys,
  issued,
  issue,
}: Endpoints): Readonly<Record<string, (body: URLSearchParams) => unknown>> {
  return {
    [new URL(serverMetadataUrls(issuer)[0] ?? issuer).pathname]: () => metadataOf(issuer),
    '/jwks': async () => ({ keys: (await Promise.all(keys())).map(({ jwk }) => jwk) }),
    '/introspect': (body) => {
      const claims = issued.get(body.get('token') ?? '');
      return claims === undefined ? { active: false } : { ...claims, active: true };
    },
    '/token': async (body) => {
      const subject = issued.get(body.get('subject_token') ?? '') as { readonly sub?: string } | undefined;
      if (subject === undefined) return { error: 'invalid_grant' };
      const scope = body.get('scope') ?? '';
      const access_token = await issue({
        audience: body.get('audience') ?? body.get('resource') ?? '',
        scopes: scope.split(' '),
        ...(subject.sub === undefined ? {} : { subject: subject.sub }),
      });
      const type = 'urn:ietf:params:oauth:token-type:access_token';
      return { access_token, issued_token_type: type, token_type: 'Bearer', expires_in: 3600, scope };
    },
  };
}

function bodyOf({ body = '' }: Pick<FetchRequest, 'body'>): URLSearchParams {
  return new URLSearchParams(body);
}

function respond(status: number, value: unknown): FetchResponse {
  return new Response(JSON.stringify(value), { status, headers: { 'content-type': 'application/json' } });
}

function metadataOf(issuer: string): object {
  const { origin } = new URL(issuer);
  return {
    issuer,
    authorization_endpoint: `${origin}/authorize`,
    token_endpoint: `${origin}/token`,
    jwks_uri: `${origin}/jwks`,
    introspection_endpoint: `${origin}/introspect`,
    response_types_supported: ['code'],
    code_challenge_methods_supported: ['S256'],
  };
}

function claimsOf(
  { subject = 'test-user', clientId = 'test-client', scopes = [], expiresIn = 3600, ...token }: TestToken,
  {
    issuer,
    audience,
    seconds,
  }: { readonly issuer: string; readonly audience: string | undefined; readonly seconds: number },
): object {
  return {
    iss: issuer,
    aud: token.audience ?? audience,
    sub: subject,
    client_id: clientId,
    scope: scopes.join(' '),
    iat: seconds,
    exp: seconds + expiresIn,
    jti: crypto.randomUUID(),
    ...token.claims,
  };
}

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

async function makeKey(number: number): Promise<Key> {
  const { publicKey, privateKey } = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const kid = `test-${number}`;
  const jwk = await crypto.subtle.exportKey('jwk', publicKey);
  return { kid, privateKey, jwk: { ...jwk, kid, alg: 'ES256', use: 'sig' } };
}

/** RFC 7515, section 7.1. */
async function signed(header: object, claims: object, key: CryptoKey): Promise<string> {
  const text = [header, claims].map((part) => base64url(new TextEncoder().encode(JSON.stringify(part)))).join('.');
  const signature = await crypto.subtle.sign(algorithm, key, new TextEncoder().encode(text));
  return `${text}.${base64url(new Uint8Array(signature))}`;
}

function base64url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}
