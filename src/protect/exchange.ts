/** Tokens for other APIs, in the place of the caller's own. (RFC 8693.) */

import { jsonOf } from '../auth/document.ts';
import { AuthorizationError, plainWords } from '../auth/errors.ts';
import { scopesOf } from '../auth/scopes.ts';
import type { KeySource } from '../auth/signing-key.ts';
import type { ExchangedToken, TokenExchangeRequest } from '../host/endpoint.ts';
import { refuseUnknown, type Names } from '../mistakes/known-names.ts';
import type { Exchange } from './auth-info.ts';
import { postForm, type ClientSecret } from './introspection.ts';
import type { Issuer } from './issuer.ts';
import type { ProtectSettings } from './options.ts';
import { OutOfReach } from './problem.ts';

/** Options of exchanging tokens: this server is a client of the authorization server then, which has a secret or a key. */
export interface ExchangeOptions extends Partial<ClientSecret> {
  readonly clientId: string;
  /** The private key by which it signs who it is (`private_key_jwt`); it never leaves this process. */
  readonly key?: KeySource;
  /** The issuer, where there are several; the first one by default. */
  readonly issuer?: string;
  /** URL at which tokens are exchanged; the token endpoint of the metadata by default. */
  readonly tokenEndpoint?: string;
}

const tokenType = 'urn:ietf:params:oauth:token-type:';
const optionNames: Names<ExchangeOptions> = {
  clientId: 1,
  clientSecret: 1,
  method: 1,
  key: 1,
  issuer: 1,
  tokenEndpoint: 1,
};

const accessToken = `${tokenType}access_token`;

/** The most tokens that are kept for one caller, and how long before their end they are not used any more, in milliseconds. */
const mostTokens = 32;
const marginMs = 30_000;

/**
 * Makes what exchanges the token of a caller. What it got is used again until shortly before it expires.
 *
 * @throws TypeError for options that do not exist, and for a client without its id, or with neither or both of secret and key.
 */
export function exchanger(
  options: ExchangeOptions,
  settings: ProtectSettings,
  issuers: readonly Issuer[],
): (token: string) => Exchange {
  refuseUnknown('exchange', options, optionNames);
  const { clientId, clientSecret, key } = options;
  if (typeof clientId !== 'string' || (typeof clientSecret === 'string') === (key !== undefined))
    throw new TypeError('exchange needs clientId, and either clientSecret or key');
  const issuer = issuers.find((one) => options.issuer === undefined || one.settings.names.has(options.issuer));
  return (token) => {
    const kept = new Map<string, ExchangedToken>();
    return async (request) => {
      const { audience, resource, scopes, type } = request;
      const key = JSON.stringify([audience, resource, scopes, type]);
      const known = kept.get(key);
      if (
        request.fresh !== true &&
        known?.expiresAt !== undefined &&
        known.expiresAt * 1000 - marginMs > settings.now()
      )
        return known;
      const fresh = await exchangeToken(token, request, { options, settings, issuer });
      kept.delete(key);
      kept.set(key, fresh);
      const [oldest] = kept.keys();
      if (kept.size > mostTokens && oldest !== undefined) kept.delete(oldest);
      return fresh;
    };
  };
}

interface Exchanging {
  readonly options: ExchangeOptions;
  readonly settings: ProtectSettings;
  readonly issuer: Issuer | undefined;
}

async function exchangeToken(
  token: string,
  { audience, resource, scopes, type = 'access_token' }: TokenExchangeRequest,
  { options, settings, issuer }: Exchanging,
): Promise<ExchangedToken> {
  if (audience === undefined && resource === undefined)
    throw new TypeError('exchange needs the audience or the resource that a token is for');
  const endpoint = options.tokenEndpoint ?? (await endpointOf(issuer));
  const form = {
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    subject_token: token,
    subject_token_type: accessToken,
    requested_token_type: `${tokenType}${type}`,
    ...(audience === undefined ? {} : { audience }),
    ...(resource === undefined ? {} : { resource }),
    ...(scopes === undefined ? {} : { scope: scopes.join(' ') }),
    ...(await assertionOf(options, issuer?.settings.issuer ?? endpoint, settings.now())),
  };
  const { clientId, clientSecret, method } = options;
  const client = clientSecret === undefined ? undefined : { clientId, clientSecret, method };
  const { status, text } = await postForm(endpoint, 'the token endpoint', settings.fetching, { client, form });
  return read({ status, answer: jsonOf(text), token, scopes, type }, settings.now());
}

/** Fields of a form that say who this server is, where it has a key. */
async function assertionOf(
  { clientId, key }: ExchangeOptions,
  audience: string,
  now: number,
): Promise<Readonly<Record<string, string>>> {
  if (key === undefined) return {};
  const { clientAssertion } = await import('./client-assertion.ts');
  return await clientAssertion({ clientId, key, audience, now });
}

async function endpointOf(issuer: Issuer | undefined): Promise<string> {
  if (issuer === undefined) throw new TypeError('exchange needs an issuer of issuers, or a tokenEndpoint');
  try {
    const { tokenEndpoint } = (await issuer.metadata.get()).metadata;
    if (tokenEndpoint !== undefined) return tokenEndpoint;
  } catch (cause) {
    throw cause instanceof OutOfReach ? cause.cause : cause;
  }
  throw new AuthorizationError('discovery', `the metadata of ${issuer.settings.issuer} names no token_endpoint`);
}

interface Exchanged {
  readonly status: number;
  readonly answer: unknown;
  /** Token that was given. */
  readonly token: string;
  readonly scopes: readonly string[] | undefined;
  readonly type: 'access_token' | 'id-jag';
}

/** RFC 8693, section 2.2; an error with a status of success is one too. */
function read({ status, answer, token, scopes, type: wanted }: Exchanged, now: number): ExchangedToken {
  const fields = (typeof answer === 'object' && answer !== null ? answer : {}) as Readonly<Record<string, unknown>>;
  const {
    error,
    error_description: description,
    access_token: given,
    token_type: type,
    issued_token_type: issued,
    expires_in: seconds,
    scope,
  } = fields;
  if (typeof error === 'string') {
    const code = plainWords(error) ?? 'error';
    const words = plainWords(description);
    throw new AuthorizationError(
      error === 'invalid_client' ? 'invalid-client' : error === 'invalid_scope' ? 'insufficient-scope' : 'denied',
      `the authorization server gave no token for this audience: ${code}${words === undefined ? '' : ` (${words})`}`,
      { code, status },
    );
  }
  if (status >= 500 || status === 429)
    throw new AuthorizationError(
      'server-error',
      `the authorization server cannot exchange tokens now: HTTP ${status}`,
      { status },
    );
  // RFC 8693, section 2.2.1: what is no access token is used by no scheme.
  const isWanted =
    wanted === 'id-jag' ? issued === `${tokenType}id-jag` : typeof type === 'string' && type.toLowerCase() === 'bearer';
  if (status !== 200 || typeof given !== 'string' || given === '' || !isWanted)
    throw new AuthorizationError(
      'invalid-response',
      `the authorization server answered with no ${wanted === 'id-jag' ? 'assertion' : 'bearer token'}`,
      { status },
    );
  // Spec 2025-11-25, Authorization, Access Token Privilege Restriction: what was given is for this server alone.
  if (given === token)
    throw new AuthorizationError(
      'invalid-response',
      'the authorization server gave the token back that it got, which is not for others',
    );
  const life = Number(seconds);
  return {
    token: given,
    type: wanted === 'id-jag' ? 'N_A' : 'Bearer',
    scopes: scope === undefined || scope === null ? (scopes ?? []) : scopesOf(scope),
    expiresAt: Number.isFinite(life) && life > 0 && seconds !== null ? Math.floor(now / 1000) + life : undefined,
  };
}
