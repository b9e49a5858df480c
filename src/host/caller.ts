import { canonical } from '../peer/digest.ts';
import type { AuthInfo } from './endpoint.ts';

/** Text that is the same for one token of a principal and another one that says the same, and for no other. */
export function callerKey({ claims = {}, clientId, scopes = [] }: AuthInfo): string {
  const { exp: _, iat: __, nbf: ___, jti: ____, ...lasting } = claims;
  return canonical([clientId ?? null, scopes.toSorted(), lasting]);
}

/**
 * The sender of what another process handed on. How to get other tokens for it cannot come from there: it is that of who came here last, where that
 * token says the same, and nobody's where it does not, since what the one may do is not for the other.
 */
export function handedCaller(auth: AuthInfo | undefined, last: AuthInfo | undefined): AuthInfo | undefined {
  if (auth === undefined) return undefined;
  const isSame = last?.exchange !== undefined && callerKey(last) === callerKey(auth);
  return { ...auth, exchange: isSame ? last.exchange : undefined };
}
