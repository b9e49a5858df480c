/** Rules about clients that prove that they have the key of their token. */

import { createHash } from 'node:crypto';
import { inQuotes } from '../client-rule.ts';
import { knownMs } from '../rules/headers.ts';
import { lacksNonce, proofIn } from './proofs.ts';
import { each, type AuthorizationRule, type AuthorizationLogView } from './rule.ts';
import type { AuthorizationLog, AuthorizationLogStep } from './authorization-log.ts';

/** Scheme and token of a request. */
function credentialOf({ headers }: AuthorizationLogStep): readonly [scheme: string, token: string] {
  const [scheme = '', token = ''] = (headers['authorization'] ?? '').split(/ +/);
  return [scheme.toLowerCase(), token];
}

/** Requests with a token that is bound to a key. */
const bound = (authorizationLog: AuthorizationLog): readonly AuthorizationLogStep[] =>
  authorizationLog
    .at('endpoint')
    .filter((step) => authorizationLog.tokens.get(credentialOf(step)[1])?.isBound === true);

const hashOf = (text: string): string => createHash('sha256').update(text).digest('base64url');

/** Fault of the proof of a request with a token; `undefined` for none. @param used Ids of the proofs before it. */
function faultOf(step: AuthorizationLogStep, used: Set<unknown>): string | undefined {
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
  judge(authorizationLog) {
    const used = new Set<unknown>();
    return each(bound(authorizationLog), (step) => faultOf(step, used));
  },
};

/** Tells whether a client proves anything in a scenario. */
const proves = (authorizationLog: AuthorizationLog): boolean =>
  authorizationLog.scenario.takesProofs === true &&
  authorizationLog.steps.some(({ headers }) => headers['dpop'] !== undefined);

const always: AuthorizationRule = {
  id: 'auth-141',
  message: 'A client with a DPoP key sends a proof with each token request',
  fix: 'send a proof in DPoP with each request to the token endpoint, also of a refresh token',
  judge: (authorizationLog) =>
    each(
      proves(authorizationLog) ? authorizationLog.at('token') : [],
      ({ headers }) => headers['dpop'] === undefined && 'it had no proof',
    ),
};

/** Times in a row that a proof without the nonce may come from who had time to read what was asked for. */
const maxWithout = 3;

/** A rule that a nonce which was asked for comes with what follows. */
function brings(id: string, at: 'token' | 'endpoint', [words, fix]: readonly [string, string]): AuthorizationRule {
  return {
    id,
    message: words,
    fix,
    judge(authorizationLog): AuthorizationLogView {
      const isRefused = (step: AuthorizationLogStep): boolean =>
        lacksNonce(authorizationLog.scenario, at, step.headers);
      const steps = authorizationLog.at(at).filter(({ headers }) => headers['dpop'] !== undefined);
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
      return authorizationLog.isOver ? { breaks: why, at: later.at(-1) } : 'not-seen';
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
  judge: (authorizationLog) =>
    each(
      authorizationLog.steps.filter(({ headers }) => proofIn(headers) !== undefined),
      ({ headers }) => {
        const alg = proofIn(headers)?.header['alg'];
        return (typeof alg !== 'string' || /^(none|HS\d+)$/i.test(alg)) && `alg of the proof is ${inQuotes(alg)}`;
      },
    ),
};

/** Rules about proofs. */
export const proofRules: readonly AuthorizationRule[] = [fresh, always, ofIssuer, ofServer, asymmetric];
