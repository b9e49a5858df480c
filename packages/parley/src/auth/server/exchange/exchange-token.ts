/** One exchange of a token; loaded by the first. (RFC 8693.) */

import { jsonOf, type WholeResponse } from '../../common/document.ts';
import { AuthorizationError } from '../../common/errors.ts';
import { harmlessAnswer } from '../../common/secrets.ts';
import { scopesOf } from '../../common/scopes.ts';
import { isTransientStatus } from '../../../jsonrpc/transient.ts';
import type { ExchangedToken, TokenExchangeRequest } from '../../../server/runtime/request-handler.ts';
import type { ExchangeOptions } from './exchange.ts';
import { postForm } from '../introspection.ts';
import type { Issuer } from '../issuer.ts';
import type { ProtectSettings } from '../options.ts';
import { OutOfReach } from '../problem.ts';

const tokenType = 'urn:ietf:params:oauth:token-type:';
const accessToken = `${tokenType}access_token`;

/**
 * Limit of stored tokens of one caller, and time before their expiry at which they are no longer used, in milliseconds.
 */
const maxTokens = 32;
const marginMs = 30_000;

/** Lifetime of a stored token without a known expiry, in milliseconds. */
const unknownLifeMs = 60_000;

/** Exchanged tokens of one token, by request, with the time until which they are reused. */
export type KeptExchanges = Map<string, { readonly given: ExchangedToken; readonly until: number }>;

/** Parts that an exchange takes. */
interface Exchanging {
  readonly kept: KeptExchanges;
  readonly options: ExchangeOptions;
  readonly settings: ProtectSettings;
  readonly issuer: Issuer | undefined;
}

/**
 * Exchanges a token of a caller, or returns an earlier result until shortly before it expires; for a minute, if its
 * expiry is unknown.
 *
 * @throws AuthorizationError if the authorization server issues none.
 */
export async function exchangedFor(
  token: string,
  request: TokenExchangeRequest,
  parts: Exchanging,
): Promise<ExchangedToken> {
  const { kept, settings } = parts;
  const { audience, resource, scopes, type, fresh } = request;
  const key = JSON.stringify([audience, resource, scopes, type]);
  const known = kept.get(key);
  if (fresh !== true && known !== undefined && known.until > settings.now()) return known.given;
  const given = await exchangeToken(token, request, parts);
  const { expiresAt } = given;
  kept.delete(key);
  kept.set(key, {
    given,
    until: expiresAt === undefined ? settings.now() + unknownLifeMs : expiresAt * 1000 - marginMs,
  });
  const [oldest] = kept.keys();
  if (kept.size > maxTokens && oldest !== undefined) kept.delete(oldest);
  return given;
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
  const { status, text, sent } = await postForm(endpoint, 'the token endpoint', settings.fetching, { client, form });
  return read({ status, answer: jsonOf(text), sent, token, scopes, type }, settings.now());
}

/** Form fields that authenticate this server, if it has a key. */
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
  readonly sent: WholeResponse['sent'];
  /** Token that was given. */
  readonly token: string;
  readonly scopes: readonly string[] | undefined;
  readonly type: 'access_token' | 'id-jag';
}

/** RFC 8693, section 2.2. An error with a success status counts as an error too. */
function read({ status, answer, sent, token, scopes, type: wanted }: Exchanged, now: number): ExchangedToken {
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
    const code = harmlessAnswer(error, sent) ?? 'error';
    const words = harmlessAnswer(description, sent);
    throw new AuthorizationError(
      error === 'invalid_client' ? 'invalid-client' : error === 'invalid_scope' ? 'insufficient-scope' : 'denied',
      `the authorization server gave no token for this audience: ${code}${words === undefined ? '' : ` (${words})`}`,
      { code, status },
    );
  }
  if (isTransientStatus(status))
    throw new AuthorizationError(
      'server-error',
      `the authorization server cannot exchange tokens now: HTTP ${status}`,
      { status },
    );
  // RFC 8693, section 2.2.1: an issued token that is not an access token has no scheme.
  const isWanted =
    wanted === 'id-jag' ? issued === `${tokenType}id-jag` : typeof type === 'string' && type.toLowerCase() === 'bearer';
  if (status !== 200 || typeof given !== 'string' || given === '' || !isWanted)
    throw new AuthorizationError(
      'invalid-response',
      `the authorization server answered with no ${wanted === 'id-jag' ? 'assertion' : 'bearer token'}`,
      { status },
    );
  // Spec 2025-11-25, Authorization, Access Token Privilege Restriction: the received token is for this server alone.
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
