/** Refusals of a server, and what follows from them for every way of being authorized. */

import type { AuthorizationFields, AuthorizedAnswer } from '../common/authorizer.ts';
import { meansIssuer } from '../common/issuer-name.ts';
import { parseChallenges, type Challenge } from '../common/challenge.ts';
import { AuthorizationError } from '../common/errors.ts';
import { scopesOf, unionOf } from '../common/scopes.ts';
import { shownUrl, type Discovered } from './discovery.ts';
import type { Grant } from './grant.ts';
import type { Site } from './site.ts';

/** The OAuth challenges of a refusal, and their contents. */
export interface OAuthRefusal {
  readonly status: number;
  readonly challenge: Challenge | undefined;
  /** True if it asks for tokens that are bound to a key. */
  readonly asksForKey: boolean;
  /** True when it takes tokens that are not. */
  readonly takesBearer: boolean;
  readonly resourceMetadata: string | undefined;
  readonly scopes: readonly string[] | undefined;
  readonly error: string | undefined;
}

/** Reads the challenges of an answer: one that wants proofs comes before one that does not. */
export function readRefusal(answer: AuthorizedAnswer): OAuthRefusal {
  const challenges = parseChallenges(answer.header('www-authenticate'));
  const dpop = challenges.filter(({ scheme }) => scheme === 'dpop');
  const bearer = challenges.filter(({ scheme }) => scheme === 'bearer');
  const ours = [...dpop, ...bearer];
  const challenge = ours.find(({ parameters }) => parameters['error'] !== undefined) ?? ours[0] ?? challenges[0];
  // Whatever stands in front of a server may have added a challenge of its own.
  const said = (name: string): string | undefined =>
    [...bearer, ...dpop].find(({ parameters }) => parameters[name] !== undefined)?.parameters[name];
  const scope = said('scope');
  return {
    status: answer.status,
    challenge,
    asksForKey: dpop.length > 0,
    takesBearer: bearer.length > 0,
    resourceMetadata: said('resource_metadata'),
    scopes: scope === undefined ? undefined : scopesOf(scope),
    error: challenge?.parameters['error'],
  };
}

/** No refusal, for actions without one. */
export const noRefusal: OAuthRefusal = {
  status: 401,
  challenge: undefined,
  asksForKey: false,
  takesBearer: true,
  resourceMetadata: undefined,
  scopes: undefined,
  error: undefined,
};

/** @throws AuthorizationError for a server that does not use tokens. */
export function requireOAuth({ challenge }: OAuthRefusal, { server }: Site): void {
  if (challenge === undefined || challenge.scheme === 'bearer' || challenge.scheme === 'dpop') return;
  throw new AuthorizationError(
    'discovery',
    `${server.origin} wants the authentication ${challenge.scheme.slice(0, 50)}, which is not OAuth's: give its credentials with the option headers`,
    { status: 401 },
  );
}

/** @throws AuthorizationError for a server that requires bound tokens, if the options do not allow them. */
export function requireKind({ asksForKey, takesBearer }: OAuthRefusal, { options: { dpop }, server }: Site): void {
  if (!asksForKey || takesBearer || dpop !== undefined) return;
  throw new AuthorizationError(
    'discovery',
    `${server.origin} takes tokens alone that are bound to a key (DPoP): set dpop to 'auto'`,
    { status: 401 },
  );
}

/** True when a proof lacked a nonce: it is sent again, with the one that came. (RFC 9449, section 9.) Who sent no proof lacks more. */
export function isForNonce({ challenge, error }: OAuthRefusal, sent: AuthorizationFields): boolean {
  return challenge?.scheme === 'dpop' && error === 'use_dpop_nonce' && sent['dpop'] !== undefined;
}

/** Records that a kind of refusal was handled; false if it was handled before. */
export function once(tried: Set<string>, kind: string): boolean {
  if (tried.has(kind)) return false;
  tried.add(kind);
  return true;
}

/**
 * The scopes of a login: those that are wanted now, otherwise all scopes of the resource, plus earlier ones. (Spec
 * 2026-07-28, Scope Selection Strategy.)
 */
export function scopesFor(
  { scopesSupported, server }: Discovered,
  {
    wanted,
    before,
    always = [],
    lasting: mayLast,
  }: {
    readonly wanted: readonly string[] | undefined;
    readonly before: Grant | undefined;
    /** Scopes that are asked for in any case. */
    readonly always: readonly string[] | undefined;
    /** True when a grant that is renewed is wanted. */
    readonly lasting: boolean;
  },
): readonly string[] {
  const isOffline = (scope: string): boolean => scope === 'offline_access';
  // Another authorization server knows other scopes.
  const isSame = before !== undefined && meansIssuer(before.endpoints.issuer, server.issuer);
  const asked = unionOf(isSame ? before.requested : [], wanted ?? scopesSupported ?? [], always);
  const scopes = asked.filter((scope) => !isOffline(scope));
  // As the only scope, it would replace the authorization server's default scopes.
  const lasting = mayLast && scopes.length > 0 && server.scopesSupported?.some(isOffline) === true;
  return lasting ? [...scopes, 'offline_access'] : scopes;
}

/** True when the tokens for a server are to be bound to a key. */
export function isBound(
  { options: { dpop } }: Site,
  { asksForKey }: OAuthRefusal,
  { dpopRequired }: Discovered,
): boolean {
  return dpop === 'always' || (dpop === 'auto' && (asksForKey || dpopRequired));
}

/** True when a token is of no use for a server, or not wanted, that is not bound to a key. */
export function mustBeBound(site: Site, refused: OAuthRefusal, discovered: Discovered): boolean {
  const isLoose = refused.takesBearer && !discovered.dpopRequired && site.options.dpop !== 'always';
  return !isLoose && isBound(site, refused, discovered);
}

/** The error if a server rejects a token that was just issued for it: another try would never end. */
export function useless({ server }: Site, grant: Grant | undefined): AuthorizationError {
  const issuer = grant?.endpoints.issuer;
  const from = issuer === undefined ? 'its authorization server' : shownUrl(issuer);
  return new AuthorizationError(
    'server-error',
    `${server.origin} refuses what ${from} has just given for ${shownUrl(grant?.resource ?? '')}: they disagree about audience, keys or time, which their operators must fix`,
    { issuer, resource: grant?.resource, status: 401 },
  );
}
