/** Grants of authorization servers, in stored form. */

import { hasFields } from '../common/fields.ts';
import { jsonOf } from '../common/document.ts';
import { isScope } from '../common/scopes.ts';
import { claimsOf, unguessableText } from '../common/base64url.ts';
import type { GrantEndpoints } from './endpoints.ts';
import { textIn, type TokenAnswer } from './token-response.ts';

/** One grant: a person's or a machine's, at one resource. */
export interface Grant {
  /** Names the grant; a renewed one keeps it. */
  readonly id: string;
  readonly resource: string;
  /** The client id that it was given to. */
  readonly client: string;
  /** True if the client has no secret, so that its id is its only identification. */
  readonly isPublic?: boolean | undefined;
  readonly endpoints: GrantEndpoints;
  readonly accessToken: string;
  /** Scheme of the token: usable by any holder, or only with proofs. */
  readonly scheme: 'Bearer' | 'DPoP';
  /** In milliseconds since 1970. */
  readonly obtainedAt: number;
  /** In milliseconds since 1970; `undefined` if unknown. */
  readonly expiresAt: number | undefined;
  readonly refreshToken: string | undefined;
  /** The scopes that it has. */
  readonly scopes: readonly string[];
  /** The scopes that were asked for up to now, from which more is asked. */
  readonly requested: readonly string[];
  readonly identity: Identity;
}

/** The signed-in user, as the authorization server describes it. */
export interface Identity {
  /** The id of the user at the issuer (`sub`). */
  readonly subject?: string | undefined;
  /** The name of the user, as the issuer gives it. */
  readonly name?: string | undefined;
  /** The email address of the user, as the issuer gives it. */
  readonly email?: string | undefined;
}

/** The parts of a grant beside the tokens. */
export interface GrantContext extends Pick<Grant, 'resource' | 'client' | 'isPublic' | 'endpoints' | 'requested'> {
  readonly now: number;
  /** The grant that is renewed. */
  readonly before?: Grant | undefined;
}

/** Makes a grant of tokens that were given out. */
export function grantOf(answer: TokenAnswer, context: GrantContext): Grant {
  const { resource, client, endpoints, requested, now, before, isPublic = before?.isPublic } = context;
  return {
    id: before?.id ?? unguessableText(),
    resource,
    client,
    ...(isPublic === true ? { isPublic } : {}),
    endpoints,
    accessToken: answer.accessToken,
    scheme: answer.tokenType === 'dpop' ? 'DPoP' : 'Bearer',
    obtainedAt: now,
    expiresAt: answer.expiresIn === undefined ? undefined : now + answer.expiresIn * 1000,
    // RFC 6749, section 6: an answer without a refresh token leaves the old one valid, one without scope the scopes as they are.
    refreshToken: answer.refreshToken ?? before?.refreshToken,
    scopes: answer.scopes ?? before?.scopes ?? requested,
    requested,
    identity: identityIn(answer.idToken, endpoints.issuer, client) ?? before?.identity ?? {},
  };
}

/**
 * OpenID Connect Core, section 3.1.3.7: a token that came from the token endpoint itself needs no other proof of its
 * origin.
 */
function identityIn(idToken: string | undefined, issuer: string, client: string): Identity | undefined {
  const claims = idToken === undefined ? undefined : claimsOf(idToken);
  if (claims === undefined || claims['iss'] !== issuer) return undefined;
  const { aud } = claims;
  if (aud !== client && !(Array.isArray(aud) && aud.includes(client))) return undefined;
  return { subject: textIn(claims['sub']), name: textIn(claims['name']), email: textIn(claims['email']) };
}

/** The stored form of a grant. */
export function grantText(grant: Grant): string {
  return JSON.stringify(grant);
}

/** Reads a stored grant; `undefined` if this version cannot use it. */
export function readGrant(text: string | undefined): Grant | undefined {
  const value = text === undefined ? undefined : jsonOf(text);
  if (!hasFields(value)) return undefined;
  const { id, resource, client, endpoints, accessToken, refreshToken, expiresAt, obtainedAt, scheme } = value;
  const texts = [id, resource, client, accessToken].every((one) => typeof one === 'string');
  if (
    !texts ||
    !hasFields(endpoints) ||
    typeof endpoints['issuer'] !== 'string' ||
    typeof endpoints['token'] !== 'string'
  )
    return undefined;
  if (scheme !== 'Bearer' && scheme !== 'DPoP') return undefined;
  if (typeof obtainedAt !== 'number' || (expiresAt !== undefined && typeof expiresAt !== 'number')) return undefined;
  if (refreshToken !== undefined && typeof refreshToken !== 'string') return undefined;
  const [scopes, requested] = [value['scopes'], value['requested']].map((list) =>
    Array.isArray(list) ? list.filter(isScope) : [],
  );
  const identity = hasFields(value['identity']) ? value['identity'] : {};
  // Every used field was just checked.
  return { ...(value as unknown as Grant), scopes: scopes ?? [], requested: requested ?? [], identity };
}

/** Before its end a token is renewed: a minute, or a fifth of its life if that is less, and a little earlier at random. */
export function renewFrom({ expiresAt, obtainedAt }: Grant, random: number): number {
  if (expiresAt === undefined) return Number.POSITIVE_INFINITY;
  const margin = Math.min(60_000, (expiresAt - obtainedAt) * 0.2);
  return expiresAt - margin * (1 + random * 0.5);
}
