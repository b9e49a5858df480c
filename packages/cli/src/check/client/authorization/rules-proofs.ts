/** Rules about clients that prove that they have the key of their token. */

import { createHash } from 'node:crypto';
import { inQuotes } from '../client-rule.ts';
import { knownMs } from '../rules/headers.ts';
import { lacksNonce, proofIn } from './proofs.ts';
import { each, type AuthorizationRule, type TrailLook } from './rule.ts';
import type { Trail, TrailStep } from './trail.ts';

/** Scheme and token of a request. */
function credentialOf({ headers }: TrailStep): readonly [scheme: string, token: string] {
  const [scheme = '', token = ''] = (headers['authorization'] ?? '').split(/ +/);
  return [scheme.toLowerCase(), token];
}

/** Requests with a token that is bound to a key. */
const bound = (trail: Trail): readonly TrailStep[] =>
  trail.at('endpoint').filter((step) => trail.tokens.get(credentialOf(step)[1])?.isBound === true);

const hashOf = (text: string): string => createHash('sha256').update(text).digest('base64url');

/** Fault of the proof of a request with a token; `undefined` for none. @param used Ids of the proofs before it. */
function faultOf(step: TrailStep, used: Set<unknown>): string | undefined {
  const [scheme, token] = credentialOf(step);
  if (scheme !== 'dpop') return `the token came as ${inQuotes(scheme)}`;
  const { claims } = proofIn(step.headers) ?? {};
  if (claims === undefined) return 'there is no proof in the header DPoP';
  const { jti, htm, htu, ath } = claims;
  if (used.has(jti)) return `the jti ${inQuotes(jti)} came before`;
  used.add(jti);
  const { url, method } = step;
  if (htm !== method) return `htm is ${inQuotes(htm)}, and the method ${method}`;
  if (htu !== `${url.origin}${url.pathname}`) return `htu is ${inQuotes(htu)}`;
  return ath === hashOf(token) ? undefined : `ath is ${inQuotes(ath)}, and the hash of the token ${hashOf(token)}`;
}

const fresh: AuthorizationRule = {
  id: 'auth-140',
  message: 'A token bound to a key is sent as DPoP, each time with a new proof',
  fix: 'send Authorization: DPoP <token>, and in DPoP a new proof of the method, the URL and the token',
  judge(trail) {
    const used = new Set<unknown>();
    return each(bound(trail), (step) => faultOf(step, used));
  },
};

/** Tells whether a client proves anything in a scenario. */
const proves = (trail: Trail): boolean =>
  trail.scenario.takesProofs === true && trail.steps.some(({ headers }) => headers['dpop'] !== undefined);

const always: AuthorizationRule = {
  id: 'auth-141',
  message: 'A client with a DPoP key sends a proof with each token request',
  fix: 'send a proof in DPoP with each request to the token endpoint, also of a refresh token',
  judge: (trail) =>
    each(proves(trail) ? trail.at('token') : [], ({ headers }) => headers['dpop'] === undefined && 'it had no proof'),
};

/** Times in a row that a proof without the nonce may come from who had time to read what was asked for. */
const maxWithout = 3;

/** A rule that a nonce which was asked for comes with what follows. */
function brings(id: string, at: 'token' | 'endpoint', [words, fix]: readonly [string, string]): AuthorizationRule {
  return {
    id,
    message: words,
    fix,
    judge(trail): TrailLook {
      const isRefused = (step: TrailStep): boolean => lacksNonce(trail.scenario, at, step.headers);
      const steps = trail.at(at).filter(({ headers }) => headers['dpop'] !== undefined);
      const first = steps.findIndex(isRefused);
      if (first < 0) return 'not-seen';
      const later = steps.slice(first);
      const right = later.findIndex((step) => !isRefused(step));
      const without = right < 0 ? later : later.slice(0, right);
      // Any number of requests may be under way together.
      const { length: count } = without.filter(({ at: came }) => came - (later[0]?.at ?? 0) > knownMs);
      const why = `the nonce was asked for, and missing ${without.length} times`;
      if (count > maxWithout) return { breaks: why, at: without.at(-1) };
      if (right >= 0) return 'holds';
      return trail.isOver ? { breaks: why, at: later.at(-1) } : 'not-seen';
    },
  };
}

const ofIssuer = brings('auth-142', 'token', [
  'The next proof has the nonce of the authorization server',
  'on 400 with use_dpop_nonce make a proof with the nonce of DPoP-Nonce, and ask again',
]);

const ofServer = brings('auth-143', 'endpoint', [
  'The next proof has the nonce of the server',
  'on 401 with use_dpop_nonce make a proof with the nonce of DPoP-Nonce, and ask again',
]);

const asymmetric: AuthorizationRule = {
  id: 'auth-144',
  message: 'A proof is signed by a private key',
  fix: 'sign by ES256, EdDSA or the like, and neither by none nor by a secret that both have',
  judge: (trail) =>
    each(
      trail.steps.filter(({ headers }) => proofIn(headers) !== undefined),
      ({ headers }) => {
        const alg = proofIn(headers)?.header['alg'];
        return (typeof alg !== 'string' || /^(none|HS\d+)$/i.test(alg)) && `alg of the proof is ${inQuotes(alg)}`;
      },
    ),
};

/** Rules about proofs. */
export const proofRules: readonly AuthorizationRule[] = [fresh, always, ofIssuer, ofServer, asymmetric];
