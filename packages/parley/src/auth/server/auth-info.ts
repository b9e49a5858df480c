/** Callers, as handlers see them by a verified token. */

import { principalOf } from '../common/principal.ts';
import { scopesOf } from '../common/scopes.ts';
import type { AuthInfo, ExchangedToken, TokenExchangeRequest } from '../../server/runtime/request-handler.ts';
import type { Claims, ProtectSettings } from './options.ts';
import { TokenProblem } from './problem.ts';
import type { Verified } from './verify.ts';

/** The most scopes that others imply. */
const maxScopes = 1024;

/** A caller, and what its token grants by itself. */
export interface Caller {
  readonly auth: AuthInfo;
  /** The scopes of the token, without those that they imply. */
  readonly granted: readonly string[];
}

/** Gets tokens for other APIs. */
export type TokenExchange = (request: TokenExchangeRequest) => Promise<ExchangedToken>;

/**
 * The caller that a token names; `undefined` if it is never allowed.
 *
 * @throws TokenProblem for a token that names no caller.
 */
export function callerOf(
  { claims, issuer }: Verified,
  settings: ProtectSettings,
  { scheme, exchange }: { readonly scheme: 'Bearer' | 'DPoP'; readonly exchange: TokenExchange | undefined },
): Caller | undefined {
  const { sub, username, exp, scope, scp } = claims;
  const subject = textOf(sub);
  // A user token without a usable subject must not count as the client.
  if (sub !== undefined && subject === undefined) throw new TokenProblem('nobody');
  const clientId = ['client_id', 'azp', 'appid', 'cid']
    .map((name) => textOf(claims[name]))
    .find((id) => id !== undefined);
  const principal =
    settings.principal === undefined
      ? named(issuer, subject, { username: textOf(username), clientId })
      : settings.principal(claims);
  if (principal === undefined) return undefined;
  if (typeof principal !== 'string' || principal === '')
    throw new TypeError('principal must give the name of a caller, or undefined');
  const granted = scopesOf(scope ?? scp);
  const auth: AuthInfo = {
    principal,
    scopes: withImplied(granted, settings.implies),
    claims: frozen(claims, deepest) as Claims,
    issuer,
    subject,
    clientId,
    expiresAt: typeof exp === 'number' ? exp : undefined,
    scheme,
    exchange,
  };
  return { auth: Object.freeze(auth), granted };
}

/** A person, or a client that acts for itself; the two never have one name. (RFC 9068, section 5.) */
function named(
  issuer: string | undefined,
  subject: string | undefined,
  { username, clientId }: { readonly username: string | undefined; readonly clientId: string | undefined },
): string {
  if (subject !== undefined) return principalOf(issuer, subject);
  // RFC 7662, section 2.2: the answer about a user's token need not have the subject.
  if (username !== undefined) return JSON.stringify([issuer, null, clientId, username]);
  if (clientId === undefined) throw new TokenProblem('nobody');
  return JSON.stringify([issuer, null, clientId]);
}

/** The deepest that claims are copied; issuers write them flat. */
const deepest = 16;

/**
 * Copies and freezes the claims, since handlers of many requests share them. Values that are not JSON are not copied.
 */
function frozen(value: unknown, levels: number): unknown {
  if (typeof value !== 'object' || value === null || levels === 0) return value;
  if (Array.isArray(value)) return Object.freeze(value.map((one) => frozen(one, levels - 1)));
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return value;
  const entries = Object.entries(value).map(([name, one]) => [name, frozen(one, levels - 1)] as const);
  return Object.freeze(Object.fromEntries(entries));
}

function withImplied(granted: readonly string[], implies: (scope: string) => readonly string[]): readonly string[] {
  const all = new Set(granted);
  for (const scope of all) {
    for (const other of implies(scope)) if (all.size < maxScopes) all.add(other);
  }
  return Object.freeze([...all]);
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
