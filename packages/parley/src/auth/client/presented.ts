/** The header fields that carry a grant. */

import type { AuthorizedRequest, AuthorizationFields } from '../common/authorizer.ts';
import type { DpopProver } from './dpop.ts';
import type { Grant } from './grant.ts';

/** The header field of a token. */
export function headerOf({ scheme, accessToken }: Grant): string {
  return `${scheme} ${accessToken}`;
}

/** The header fields by which one attempt presents a grant. */
export function presented(
  grant: Grant,
  { method, url }: AuthorizedRequest,
  prover: () => DpopProver,
): AuthorizationFields | Promise<AuthorizationFields> {
  const authorization = headerOf(grant);
  if (grant.scheme === 'Bearer') return { authorization };
  return prover()
    .proof({ method, url, token: grant.accessToken })
    .then((dpop) => ({ authorization, dpop }));
}
