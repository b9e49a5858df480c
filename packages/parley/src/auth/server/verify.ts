/** Verifying a token by whichever way its issuer has. */

import type { HttpRequest } from '../../server/runtime/protection.ts';
import { settledWithin } from '../../jsonrpc/timeout.ts';
import { introspect } from './introspection.ts';
import type { Issuer } from './issuer.ts';
import { readJwt, skew, verifyJwt } from './jwt.ts';
import type { Claims, ProtectSettings } from './options.ts';
import { tokenOfOther } from './other-issuer.ts';
import { OutOfReach, TokenProblem } from './problem.ts';
import { Waits } from './waits.ts';

/** A token that is good. */
export interface Verified {
  readonly claims: Claims;
  /** The issuer as this server names it; `undefined` where neither the token nor the options do. */
  readonly issuer: string | undefined;
  /** Time until which it need not be verified again, in milliseconds since 1970. */
  readonly until: number;
}

/** Time for which a verified JWT is cached, and the result of introspection or `verify`, in milliseconds. */
const keptMs = 5 * 60_000;
const askedMs = 60_000;
/** The longest that `verify` may take, in milliseconds: a request that waits for ever takes a place for ever. */
const maxMs = 30_000;

/** Token that is to be verified, with the way in which it came. */
export interface Presented {
  readonly token: string;
  readonly scheme: 'Bearer' | 'DPoP';
  readonly request: HttpRequest;
}

/**
 * Verifies a token.
 *
 * @throws TokenProblem if it is not valid, OutOfReach if that is unknown.
 */
export type Verifier = (presented: Presented) => Promise<Verified>;

/** Makes the verifier of a server. */
export function verifierOf(settings: ProtectSettings, issuers: readonly Issuer[]): Verifier {
  const { verify } = settings;
  const waits = new Waits();
  return async (presented) => {
    const { token } = presented;
    if (verify !== undefined) {
      waits.check();
      return byOwn(await waits.within(asked(verify, presented)), settings);
    }
    const jwt = readJwt(token);
    if (jwt === undefined) return byAny(token, issuers, settings);
    const issuer = issuers.find((one) => one.settings.names.has(jwt.issuer));
    if (issuer === undefined) throw tokenOfOther(jwt.issuer, issuers, settings);
    const { introspection } = issuer.settings;
    const now = settings.now();
    return introspection === undefined
      ? checked(await verifyJwt(token, jwt, issuer, now), issuer, settings, keptMs)
      : checked(await introspect(token, issuer, introspection, now), issuer, settings, askedMs);
  };
}

/**
 * The issuers that may introspect a token that names no issuer: those whose prefix it has, otherwise those without a
 * prefix.
 */
function askable(token: string, issuers: readonly Issuer[]): readonly Issuer[] {
  const prefixOf = ({ settings }: Issuer): string | undefined => settings.introspection?.prefix;
  const named = issuers.filter((issuer) => prefixOf(issuer) !== undefined && token.startsWith(prefixOf(issuer) ?? ''));
  return named.length > 0 ? named : issuers.filter((issuer) => prefixOf(issuer) === undefined);
}

/** An opaque token: all possible issuers are asked. */
async function byAny(token: string, issuers: readonly Issuer[], settings: ProtectSettings): Promise<Verified> {
  let problem: unknown = new TokenProblem('malformed');
  for (const issuer of askable(token, issuers)) {
    const { introspection } = issuer.settings;
    if (introspection === undefined) continue;
    try {
      return checked(await introspect(token, issuer, introspection, settings.now()), issuer, settings, askedMs);
    } catch (cause) {
      if (!(cause instanceof TokenProblem || cause instanceof OutOfReach)) throw cause;
      // An unreachable issuer is a better reason than another's answer that it does not know the token.
      if (!(problem instanceof OutOfReach)) problem = cause;
    }
  }
  throw problem;
}

async function asked(
  verify: NonNullable<ProtectSettings['verify']>,
  { token, ...about }: Presented,
): Promise<Claims | undefined> {
  try {
    const given = verify(token, about);
    // Database queries are thenables without being promises. A value without `then` is the answer.
    if (typeof given?.['then'] !== 'function') return given as Claims | undefined;
    const answer = Promise.resolve(given);
    if (!(await settledWithin(maxMs, answer))) throw new Error(`verify did not answer within ${maxMs / 1000} s`);
    return await answer;
  } catch (cause) {
    throw new OutOfReach(cause);
  }
}

function byOwn(claims: Claims | undefined, settings: ProtectSettings): Verified {
  // Databases return null if there is no row.
  if (claims === undefined || claims === null) throw new TokenProblem('inactive');
  const { exp, nbf } = claims;
  const seconds = settings.now() / 1000;
  if (exp !== undefined && !(typeof exp === 'number' && exp > seconds - skew)) throw new TokenProblem('expired');
  if (nbf !== undefined && !(typeof nbf === 'number' && nbf <= seconds + skew)) throw new TokenProblem('early');
  return checked(claims, undefined, settings, askedMs);
}

function checked(claims: Claims, issuer: Issuer | undefined, settings: ProtectSettings, ms: number): Verified {
  const audience = issuer?.settings.audience ?? settings.audience;
  if (!audience(claims)) throw new TokenProblem('audience');
  const { exp, iss } = claims;
  const now = settings.now();
  const ends = typeof exp === 'number' ? exp * 1000 : Number.POSITIVE_INFINITY;
  const own = typeof iss === 'string' ? iss : settings.authorizationServers[0];
  return { claims, issuer: issuer?.settings.issuer ?? own, until: Math.min(ends, now + ms) };
}
