/** Access tokens that are JWTs. (RFC 9068, section 4; RFC 8725.) */

import { errors, jwtVerify, type JWTPayload, type JWTVerifyGetKey } from 'jose';
import type { Issuer } from './issuer.ts';
import type { Claims } from './options.ts';
import { TokenProblem } from './problem.ts';

/** Unverified claims of a JWT. */
export interface UnverifiedToken {
  readonly typ: unknown;
  /** Empty if it is not text. */
  readonly issuer: string;
}

/** Time by which clocks may differ, in seconds. */
export const skew = 30;

/** Reads header and claims of a JWT; `undefined` if it is not a JWT. */
export function readJwt(token: string): UnverifiedToken | undefined {
  const parts = token.split('.');
  const [header, claims] = parts.slice(0, 2).map(jsonPart);
  if (parts.length !== 3 || header === undefined || claims === undefined) return undefined;
  const { iss } = claims;
  return { typ: header['typ'], issuer: typeof iss === 'string' ? iss : '' };
}

function jsonPart(text: string): Record<string, unknown> | undefined {
  try {
    const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
    const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

/** Tokens of other kinds have types of their own; without one it may be an access token. */
const accessTokenType = /^(?:application\/)?(?:at\+)?jwt$/i;

/**
 * Verifies a JWT of an issuer.
 *
 * @returns Its claims. The caller checks the audience.
 * @throws TokenProblem if it is not valid, OutOfReach if the keys cannot be fetched, or may have changed and cannot be
 * fetched again.
 */
export async function verifyJwt(token: string, { typ }: UnverifiedToken, issuer: Issuer, now: number): Promise<Claims> {
  if (typ !== undefined && !(typeof typ === 'string' && accessTokenType.test(typ))) throw new TokenProblem('type');
  const keys = await issuer.keys.get();
  let payload: JWTPayload;
  try {
    payload = await verifyBy(keys, token, issuer, now);
  } catch (cause) {
    const isUnknown = cause instanceof errors.JWKSNoMatchingKey;
    if (!isUnknown && !(cause instanceof errors.JWSSignatureVerificationFailed)) throw problemOf(cause);
    // A key may have been replaced under the same name. If that cannot be checked, the signature counts as invalid.
    const renewed = await issuer.keys.renewed(keys).catch((failure: unknown) => {
      if (isUnknown) throw failure;
      return keys;
    });
    if (renewed === keys) throw new TokenProblem('signature');
    payload = await verifyBy(renewed, token, issuer, now).catch((again: unknown) => {
      throw problemOf(again);
    });
  }
  if (!issuer.settings.names.has(payload.iss ?? '')) throw new TokenProblem('issuer');
  if (isOtherToken(payload, typ)) throw new TokenProblem('type');
  return payload;
}

async function verifyBy(keys: JWTVerifyGetKey, token: string, { settings }: Issuer, now: number): Promise<JWTPayload> {
  const options = {
    algorithms: [...settings.algorithms],
    clockTolerance: skew,
    currentDate: new Date(now),
    requiredClaims: ['exp', 'iss'],
  };
  try {
    return (await jwtVerify(token, keys, options)).payload;
  } catch (cause) {
    if (!(cause instanceof errors.JWKSMultipleMatchingKeys)) throw cause;
    // Keys without names: one of them will do.
    for await (const key of cause) {
      try {
        return (await jwtVerify(token, key, options)).payload;
      } catch (other) {
        if (!(other instanceof errors.JWSSignatureVerificationFailed)) throw other;
      }
    }
    throw new errors.JWSSignatureVerificationFailed();
  }
}

function problemOf(cause: unknown): unknown {
  if (cause instanceof TokenProblem || !(cause instanceof errors.JOSEError)) return cause;
  if (cause instanceof errors.JWTExpired) return new TokenProblem('expired');
  if (cause instanceof errors.JWTClaimValidationFailed)
    return new TokenProblem(cause.claim === 'nbf' ? 'early' : 'malformed');
  const isSignature =
    cause instanceof errors.JWSSignatureVerificationFailed ||
    cause instanceof errors.JOSEAlgNotAllowed ||
    cause instanceof errors.JWKSNoMatchingKey;
  return new TokenProblem(isSignature ? 'signature' : 'malformed');
}

/**
 * Tells whether claims belong to an ID token, or to another kind that some issuers sign with the same keys and type.
 * (OpenID Connect Core 1.0, section 2; OpenID Connect Back-Channel Logout 1.0, section 2.4.)
 */
function isOtherToken(claims: Claims, typ: unknown): boolean {
  if (['at_hash', 'c_hash', 's_hash', 'events'].some((name) => Object.hasOwn(claims, name))) return true;
  // Keycloak and Cognito use claims of their own for that.
  const { typ: kind, token_use: use, nonce, scope, scp } = claims;
  if (typeof kind === 'string' && /^(?:id|refresh|offline|logout)$/i.test(kind)) return true;
  if (typeof use === 'string' && use !== 'access') return true;
  const isNamed = typeof typ === 'string' && /at\+jwt$/i.test(typ);
  return !isNamed && nonce !== undefined && kind === undefined && scope === undefined && scp === undefined;
}
