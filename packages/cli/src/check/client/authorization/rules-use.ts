/** Rules about tokens, about more rights, and about answers that are not what they seem. */

import { neededFor } from './gate.ts';
import { isUrl, scopesIn } from './issuer.ts';
import { isMachine, machineRequests, assertionIn } from './machine.ts';
import {
  basicOf,
  each,
  likewise,
  parameterOf,
  stepsAfter,
  type AuthorizationRule,
  type AuthorizationLogView,
} from './rule.ts';
import { knownClient, scopes } from './scenarios.ts';
import { wholeText } from '../../whole-text.ts';
import type { AuthorizationLog, AuthorizationLogStep } from './authorization-log.ts';

const bearer = /^bearer +(\S+)$/i;

const inHeader: AuthorizationRule = {
  id: 'auth-118',
  message: 'The token is sent as Authorization: Bearer',
  fix: 'send Authorization: Bearer <token>',
  judge(authorizationLog) {
    const [given] = authorizationLog.tokens.keys();
    // A token that is bound to a key has a scheme of its own.
    if (given === undefined || [...authorizationLog.tokens.values()].some(({ isBound }) => isBound === true))
      return 'not-seen';
    const steps = authorizationLog.at('endpoint');
    if (
      steps.some(({ headers }) => authorizationLog.tokens.has(bearer.exec(headers['authorization'] ?? '')?.[1] ?? ''))
    )
      return 'holds';
    const other = steps.find(
      ({ url, headers, fields }) =>
        holdsAny(authorizationLog, [JSON.stringify(headers), JSON.stringify(fields)]) &&
        !holdsAny(authorizationLog, [url.href]),
    );
    return other === undefined ? 'not-seen' : { breaks: 'the token came elsewhere', at: other };
  },
};

/** Tells whether a text has a token in it. */
function holdsAny({ tokens }: AuthorizationLog, texts: readonly string[]): boolean {
  return [...tokens.keys()].some((token) => texts.some((text) => text.includes(token)));
}

const always: AuthorizationRule = {
  id: 'auth-119',
  message: 'The token is sent with every request',
  fix: 'send the token with each POST, GET and DELETE, in a session as well',
  judge: (authorizationLog) =>
    each(
      authorizationLog.at('endpoint').filter(({ isAfterToken }) => isAfterToken === true),
      ({ headers, method }) => headers['authorization'] === undefined && `${method} came without one`,
    ),
};

const neverInQuery: AuthorizationRule = {
  id: 'auth-120',
  message: 'A token is never part of a URL',
  fix: 'send the token in the header alone',
  judge: (authorizationLog) =>
    authorizationLog.tokens.size === 0
      ? 'not-seen'
      : each(
          authorizationLog.at('endpoint'),
          ({ url }) => holdsAny(authorizationLog, [url.href]) && 'the token is in the query',
        ),
};

const ownTokens: AuthorizationRule = {
  id: 'auth-125',
  message: 'The client sends a server only tokens of its own authorization server',
  fix: 'keep tokens by server and issuer, and send no other',
  judge(authorizationLog, others) {
    const foreign = others.filter((other) => other !== authorizationLog);
    return each(
      authorizationLog.at('endpoint').filter(({ headers }) => bearer.test(headers['authorization'] ?? '')),
      ({ headers }) => {
        const token = bearer.exec(headers['authorization'] ?? '')?.[1] ?? '';
        return foreign.some(({ tokens }) => tokens.has(token)) && 'it sent a token that was given for another server';
      },
    );
  },
};

const keptRefresh: AuthorizationRule = {
  id: 'auth-113',
  message: 'A refresh token is sent only to the token endpoint of its issuer',
  fix: 'send it only in the form of the token request',
  judge(authorizationLog) {
    if (authorizationLog.refreshTokens.size === 0) return 'not-seen';
    return each(authorizationLog.steps, (step) => {
      const text = [step.url.href, JSON.stringify(step.headers), JSON.stringify(step.fields)].join();
      const shown = [...authorizationLog.refreshTokens].find(([token]) => text.includes(token));
      if (shown === undefined) return false;
      const isRight = step.place === 'token' && step.issuer === shown[1].issuer && !step.url.href.includes(shown[0]);
      return !isRight && `it came to ${step.method} ${step.url.origin}${step.url.pathname}`;
    });
  },
};

/** Refusal for want of a scope, the first. */
function refusedFor(authorizationLog: AuthorizationLog, tool: 'more' | 'never'): AuthorizationLogStep | undefined {
  const needed = scopes[tool];
  return authorizationLog.at('endpoint').find(({ status, fields }) => status === 403 && neededFor(fields) === needed);
}

/** Pages that were asked for after it, with the scope. */
function stepsUp(authorizationLog: AuthorizationLog, tool: 'more' | 'never'): readonly AuthorizationLogStep[] {
  return stepsAfter(authorizationLog, refusedFor(authorizationLog, tool)).filter(
    ({ place, fields }) => place === 'authorize' && scopesIn(fields['scope']).includes(scopes[tool]),
  );
}

const tries: AuthorizationRule = {
  id: 'auth-054',
  message: 'A client without a required scope starts a new authorization',
  fix: 'on 403 with insufficient_scope send the person to the page again, with the scope of the challenge',
  in: ['right'],
  judge(authorizationLog) {
    const refused = refusedFor(authorizationLog, 'more');
    // Who acts for itself may give up.
    if (refused === undefined || isMachine([authorizationLog])) return 'not-seen';
    return stepsUp(authorizationLog, 'more').length > 0
      ? 'holds'
      : !authorizationLog.isOver
        ? 'not-seen'
        : { breaks: 'it was refused, and sent its person to no page with that scope', at: refused };
  },
};

const together: AuthorizationRule = {
  id: 'auth-055',
  message: 'A request for more scopes includes the granted scopes',
  fix: 'ask for the scopes that were asked for before together with those of the challenge',
  in: ['right'],
  judge: (authorizationLog) =>
    each(
      stepsUp(authorizationLog, 'more'),
      (step) =>
        !scopesIn(step.fields['scope']).includes(scopes.first) &&
        `${parameterOf(step, 'scope')}, without ${scopes.first}`,
    ),
};

const limited: AuthorizationRule = {
  id: 'auth-056',
  message: 'The client stops after repeated refusals',
  fix: 'ask for the same scope of the same server a few times at most',
  in: ['right'],
  judge(authorizationLog) {
    if (refusedFor(authorizationLog, 'never') === undefined) return 'not-seen';
    const asked = stepsUp(authorizationLog, 'never');
    return asked.length > 3 ? { breaks: `its person was asked ${asked.length} times`, at: asked.at(-1) } : 'holds';
  },
};

/** A rule that a code is not used where its answer is not of the issuer that was asked. */
function dropsCode(
  id: string,
  scenario: string,
  [words, fix, why]: readonly [string, string, string],
): AuthorizationRule {
  return {
    id,
    message: words,
    fix,
    in: [scenario],
    judge(authorizationLog): AuthorizationLogView {
      if (authorizationLog.at('authorize').every(({ status }) => status !== 302)) return 'not-seen';
      const [used] = authorizationLog.at('token');
      // A client that looks the issuer up again trusts the answer. Another rule checks that.
      if (used?.issuer !== undefined && used.issuer === authorizationLog.issuers[1]) return 'not-seen';
      return used === undefined ? 'holds' : { breaks: why, at: used };
    },
  };
}

const rightIss = dropsCode('auth-086', 'mixed-up', [
  'The client checks iss before it sends the code',
  'compare iss with the issuer that was asked, and drop an answer of another',
  'the answer was of another issuer, and its code was sent',
]);

const recorded: AuthorizationRule = {
  id: 'auth-083',
  message: 'The client records the expected issuer before it opens the authorization page',
  fix: 'keep the issuer beside the verifier of PKCE, and do not look it up again when the browser comes back',
  in: ['mixed-up'],
  judge(authorizationLog) {
    if (authorizationLog.at('authorize').every(({ status }) => status !== 302)) return 'not-seen';
    // Who signs in again is led to the second, and rightly takes a code of its own page there.
    const [used] = authorizationLog
      .at('token')
      .filter((step) => pageOf(step, authorizationLog)?.issuer === authorizationLog.issuers[0]);
    if (used === undefined) return 'holds';
    if (used.issuer !== authorizationLog.issuers[1]) return 'not-seen';
    return {
      breaks: 'the code went to an issuer whose page it had not asked for, and which the answer named',
      at: used,
    };
  },
};

/** Page that gave the code which a request for a token shows; `undefined` for none. */
function pageOf(
  { fields: { code } }: AuthorizationLogStep,
  authorizationLog: AuthorizationLog,
): AuthorizationLogStep | undefined {
  if (typeof code !== 'string') return undefined;
  return authorizationLog
    .at('authorize')
    .find(
      ({ status, came }) => status === 302 && URL.canParse(came) && new URL(came).searchParams.get('code') === code,
    );
}

const promisedIss = dropsCode('auth-087', 'no-iss', [
  'A response without the promised iss is rejected',
  'refuse an answer without iss where the metadata have authorization_response_iss_parameter_supported',
  'iss was promised and missing, and the code was sent',
]);

const unpromisedIss = dropsCode('auth-088', 'foreign-iss', [
  'A present iss is compared, promised or not',
  'compare iss whenever it is there',
  'iss was that of another, and the code was sent',
]);

const plainIss = dropsCode('auth-090', 'alike-iss', [
  'An iss is compared as an exact string',
  'compare the two texts as they are, a slash at the end counts',
  'iss had a slash more than the issuer, and the code was sent',
]);

const goesOn: AuthorizationRule = {
  id: 'auth-089',
  message: 'The client continues if iss is neither promised nor present',
  fix: 'take an answer without iss where the metadata do not promise it',
  in: ['plain', 'openid'],
  judge(authorizationLog, others) {
    const [page] = authorizationLog.at('authorize').filter(({ status }) => status === 302);
    if (page === undefined) return 'not-seen';
    if (authorizationLog.at('token').length > 0) return 'holds';
    // Who never comes back from a page has a person that does not.
    const canReturn = others.some((other) => other !== authorizationLog && other.at('token').length > 0);
    return canReturn && authorizationLog.isOver
      ? { breaks: 'it came back with a code, and did not use it', at: page }
      : 'not-seen';
  },
};

/** Requests at the second issuer of a server that moved. */
const elsewhere = (authorizationLog: AuthorizationLog): readonly AuthorizationLogStep[] =>
  authorizationLog.at('register', 'authorize', 'token').filter(({ issuer }) => issuer === authorizationLog.issuers[1]);

const notReused: AuthorizationRule = {
  id: 'auth-080',
  message: 'The client does not send credentials of one authorization server to another',
  fix: 'keep ids, secrets and tokens by their issuer',
  in: ['moved'],
  judge: (authorizationLog) =>
    each(elsewhere(authorizationLog), (step) => {
      const { client_id: id, refresh_token: refresh } = step.fields;
      if (authorizationLog.clients.get(wholeText(id))?.issuer === authorizationLog.issuers[0])
        return `${parameterOf(step, 'client_id')}, which the first issuer gave`;
      return (
        authorizationLog.refreshTokens.get(wholeText(refresh))?.issuer === authorizationLog.issuers[0] &&
        'the refresh token is one of the first issuer'
      );
    }),
};

const registersAgain: AuthorizationRule = {
  id: 'auth-081',
  message: 'The client registers again if the authorization server changed',
  fix: 'register at the new issuer',
  in: ['moved'],
  judge(authorizationLog) {
    const steps = elsewhere(authorizationLog);
    // Who shows what the first issuer gave breaks another row by that.
    const [page] = steps.filter(
      ({ place, fields: { client_id: id } }) =>
        place === 'authorize' &&
        id !== knownClient &&
        !isUrl(id) &&
        authorizationLog.clients.get(wholeText(id))?.issuer !== authorizationLog.issuers[0],
    );
    if (page === undefined) return 'not-seen';
    const isKnown = steps.some(({ place }) => place === 'register');
    return isKnown
      ? 'holds'
      : { breaks: 'it went to the page of the new issuer without having registered there', at: page };
  },
};

/** The id by which a client says who it is, in whatever way; `undefined` for none. */
function namedIn({ headers, fields }: AuthorizationLogStep): string | undefined {
  const id = basicOf(headers['authorization'])?.[0] ?? fields['client_id'];
  return id === undefined ? textOf(assertionIn(fields['client_assertion'])?.claims['sub']) : textOf(id);
}

const textOf = (value: unknown): string | undefined => (value === undefined ? undefined : wholeText(value));

const manual: AuthorizationRule = {
  id: 'auth-082',
  message: 'A client with a manual registration for another server stops with an error',
  fix: 'keep the issuer with the id, and raise an error where the server names another',
  in: ['moved'],
  judge(authorizationLog) {
    const machine = machineRequests(authorizationLog).find(({ issuer }) => issuer === authorizationLog.issuers[0]);
    const isManual = authorizationLog.at('authorize').some(({ fields }) => fields['client_id'] === knownClient);
    const id = machine === undefined ? (isManual ? knownClient : undefined) : namedIn(machine);
    // The URL of a metadata document is an id everywhere.
    if (id === undefined || isUrl(id) || !authorizationLog.called.has('move')) return 'not-seen';
    const used = elsewhere(authorizationLog).find((step) => namedIn(step) === id);
    return used === undefined ? 'holds' : { breaks: `the new issuer was shown ${id}, which it never gave`, at: used };
  },
};

/** Rules about the use of tokens, and about trusted issuers. */
export const useRules: readonly AuthorizationRule[] = [
  inHeader,
  always,
  neverInQuery,
  ownTokens,
  keptRefresh,
  tries,
  likewise(tries, 'auth-053', 'The client requests a scope after an insufficient_scope error'),
  together,
  likewise(together, 'auth-045', 'A new authorization requests the granted scopes and the challenged scopes'),
  limited,
  rightIss,
  recorded,
  promisedIss,
  unpromisedIss,
  plainIss,
  goesOn,
  notReused,
  likewise(notReused, 'auth-040', 'The client does not use credentials of one authorization server at another'),
  likewise(notReused, 'auth-039', 'The client stores a registration for each authorization server'),
  likewise(notReused, 'auth-079', 'The client stores credentials by issuer'),
  registersAgain,
  manual,
];
