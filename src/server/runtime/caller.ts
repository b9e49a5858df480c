import { canonical } from '../../connection/digest.ts';
import type { AuthInfo } from './endpoint.ts';

/** Text that is the same for one token of a principal and another one that says the same, and for no other. */
export function callerKey({ claims = {}, clientId, scopes = [] }: AuthInfo): string {
  const { exp: _, iat: __, nbf: ___, jti: ____, ...lasting } = claims;
  return canonical([clientId ?? null, scopes.toSorted(), lasting]);
}
