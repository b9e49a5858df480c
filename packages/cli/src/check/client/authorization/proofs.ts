/** Decoded proofs that the user of a token holds its key. (RFC 9449.) */

import type { JsonObject } from '../../../../../parley/src/protocol/features/common.ts';
import { assertionIn, type ReadAssertion } from './machine.ts';
import type { Scenario } from './scenarios.ts';
import type { AuthorizationLogPlace } from './authorization-log.ts';

/** Nonces that a proof has to have: at the authorization server, and at the server. */
export const proofNonces: Readonly<Record<'token' | 'endpoint', string>> = {
  token: 'nonce-of-the-issuer',
  endpoint: 'nonce-of-the-server',
};

/** Body of a refusal for want of the nonce. */
export const wantsNonce: JsonObject = { error: 'use_dpop_nonce', error_description: 'the proof has to have the nonce' };

/** Headers of it. */
export function nonceHeaders(at: 'token' | 'endpoint'): Readonly<Record<string, string>> {
  return {
    'dpop-nonce': proofNonces[at],
    ...(at === 'endpoint' && { 'www-authenticate': 'DPoP error="use_dpop_nonce"' }),
  };
}

/** The proof that a request has; `undefined` for none that can be read. */
export function proofIn(headers: Readonly<Record<string, string | undefined>>): ReadAssertion | undefined {
  return assertionIn(headers['dpop']);
}

/** Tells whether a request has a proof which lacks the nonce of its place. */
export function lacksNonce(
  { takesProofs }: Scenario,
  at: AuthorizationLogPlace & ('token' | 'endpoint'),
  headers: Readonly<Record<string, string | undefined>>,
): boolean {
  return takesProofs === true && headers['dpop'] !== undefined && proofIn(headers)?.claims['nonce'] !== proofNonces[at];
}
