import { canonical } from '../../connection/digest.ts';
import type { AuthInfo } from './request-handler.ts';

/**
 * Text that is equal for two tokens of a principal if they carry the same rights, and different for any other token.
 */
export function callerKey({ claims = {}, clientId, scopes = [] }: AuthInfo): string {
  const { exp: _, iat: __, nbf: ___, jti: ____, ...lasting } = claims;
  return canonical([clientId ?? null, scopes.toSorted(), lasting]);
}
