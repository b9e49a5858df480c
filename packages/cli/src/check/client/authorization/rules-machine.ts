/** Rules about clients that act for themselves, or for their workload. */

import { inQuotes } from '../client-rule.ts';
import { wholeText } from '../../whole-text.ts';
import { assertionType, idJagType, machineGrants, machineRequests, assertionIn } from './machine.ts';
import { each, parameterOf, type AuthorizationRule } from './rule.ts';
import type { AuthorizationLogStep } from './authorization-log.ts';

/** Tells whether a request shows a secret in its header or its form. */
const hasSecret = ({ headers, fields }: AuthorizationLogStep): boolean =>
  /^basic +\S+$/i.test(headers['authorization'] ?? '') || typeof fields['client_secret'] === 'string';

const authenticated: AuthorizationRule = {
  id: 'auth-131',
  message: 'A client credentials request has an assertion or a secret',
  fix: 'send client_assertion with its client_assertion_type, or the secret',
  judge: (authorizationLog) =>
    each(machineRequests(authorizationLog, 'own'), (step) => {
      if (step.fields['client_assertion'] === undefined) return !hasSecret(step) && 'it showed neither';
      return step.fields['client_assertion_type'] !== assertionType && parameterOf(step, 'client_assertion_type');
    }),
};

/** Seconds by which two clocks may differ. */
const skew = 120;

/** Fault of the claims of an assertion; `undefined` for none. */
function wrongClaim(step: AuthorizationLogStep): string | undefined {
  const jwt = assertionIn(step.fields['client_assertion']);
  if (jwt === undefined) return 'client_assertion is no JWT';
  const { iss, sub, aud, exp } = jwt.claims;
  const { client_id: id } = step.fields;
  if (iss !== sub || typeof sub !== 'string') return `iss is ${inQuotes(iss)}, and sub ${inQuotes(sub)}`;
  if (id !== undefined && id !== sub) return `sub is ${inQuotes(sub)}, and client_id ${inQuotes(id)}`;
  const { issuer = '', url } = step;
  // The endpoint for tokens is as good a name. (RFC 7523, section 3.)
  const names: readonly unknown[] = [issuer, `${issuer}/`, `${url.origin}${url.pathname}`];
  if (![aud].flat().some((one) => names.includes(one))) return `aud is ${inQuotes(aud)}, and the issuer ${issuer}`;
  const isFresh = typeof exp === 'number' && exp > step.clock / 1_000 - skew;
  return isFresh ? undefined : `exp is ${inQuotes(exp)}`;
}

const asserted: AuthorizationRule = {
  id: 'auth-132',
  message: 'The assertion of a client has its id as iss and sub, the authorization server as aud, and exp',
  fix: 'sign iss and sub, which are the client id, aud, which is the issuer, and an exp to come',
  judge: (authorizationLog) =>
    each(
      machineRequests(authorizationLog, 'own').filter(({ fields }) => fields['client_assertion'] !== undefined),
      wrongClaim,
    ),
};

const workload: AuthorizationRule = {
  id: 'auth-153',
  message: 'A JWT bearer request has the JWT in the parameter assertion',
  fix: 'send the JWT of the workload as assertion',
  judge: (authorizationLog) =>
    each(
      machineRequests(authorizationLog, 'asserted'),
      (step) => assertionIn(step.fields['assertion']) === undefined && 'assertion is no JWT',
    ),
};

/** Times that one assertion may be shown where it is refused: some connect again. */
const maxShown = 3;

const notRetried: AuthorizationRule = {
  id: 'auth-155',
  message: 'After a refused assertion, the client does not retry and tries no other grant',
  fix: 'say what the refusal said, and stop',
  in: ['unregistered'],
  judge(authorizationLog) {
    const refused = machineRequests(authorizationLog, 'asserted');
    const [first] = refused;
    if (first === undefined) return 'not-seen';
    const other = authorizationLog.at('token').find(({ fields }) => fields['grant_type'] !== machineGrants.asserted);
    if (other !== undefined)
      return { breaks: `it was refused, and tried ${inQuotes(other.fields['grant_type'])}`, at: other };
    const times = refused.filter(({ fields }) => fields['assertion'] === first.fields['assertion']).length;
    return times > maxShown ? { breaks: `it sent the same assertion ${times} times`, at: refused.at(-1) } : 'holds';
  },
};

/** Assertions of an identity that came with a request, and where. */
function idJagsIn({ fields, headers }: AuthorizationLogStep): readonly string[] {
  const bearer = /^bearer +(\S+)$/i.exec(headers['authorization'] ?? '')?.[1];
  const all = [['Authorization', bearer], ...Object.entries(fields)] as const;
  return all.flatMap(([name, value]) => (assertionIn(value)?.header['typ'] === idJagType ? [wholeText(name)] : []));
}

const redeemed: AuthorizationRule = {
  id: 'auth-138',
  message: 'An identity assertion is exchanged at the authorization server with the JWT bearer grant',
  fix: 'send it as assertion, with the grant type jwt-bearer, and the token that comes to the server',
  judge: (authorizationLog) =>
    each(
      authorizationLog.steps.filter((step) => idJagsIn(step).length > 0),
      (step) => {
        const isRight = step.place === 'token' && step.fields['grant_type'] === machineGrants.asserted;
        const [where] = idJagsIn(step);
        return !(isRight && where === 'assertion') && `it came in ${where} of ${step.method} ${step.url.pathname}`;
      },
    ),
};

/** Rules about clients without a person. */
export const machineRules: readonly AuthorizationRule[] = [authenticated, asserted, workload, notRetried, redeemed];
