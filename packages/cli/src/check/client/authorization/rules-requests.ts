/** Rules about what a client says to an authorization server. */

import { scopesIn } from './issuer.ts';
import { basicOf, each, likewise, parameterOf, type AuthorizationRule } from './rule.ts';
import { scopes } from './scenarios.ts';
import { wholeText } from '../../whole-text.ts';
import type { AuthorizationLog, AuthorizationLogStep } from './authorization-log.ts';

/** Requests for tokens by a grant. */
function tokenRequests(
  authorizationLog: AuthorizationLog,
  grant: 'authorization_code' | 'refresh_token',
): readonly AuthorizationLogStep[] {
  return authorizationLog.at('token').filter(({ fields }) => fields['grant_type'] === grant);
}

const pkce: AuthorizationRule = {
  id: 'auth-097',
  message: 'PKCE is used',
  fix: 'send code_challenge to the page, and its code_verifier with the code',
  judge: (authorizationLog) =>
    each([...authorizationLog.at('authorize'), ...tokenRequests(authorizationLog, 'authorization_code')], (step) => {
      const name = step.place === 'token' ? 'code_verifier' : 'code_challenge';
      return typeof step.fields[name] !== 'string' && parameterOf(step, name);
    }),
};

const sha: AuthorizationRule = {
  id: 'auth-098',
  message: 'The PKCE challenge uses S256',
  fix: 'send code_challenge_method=S256, and the SHA-256 of the verifier',
  judge: (authorizationLog) =>
    each(
      authorizationLog.at('authorize').filter(({ fields }) => fields['code_challenge'] !== undefined),
      (step) => step.fields['code_challenge_method'] !== 'S256' && parameterOf(step, 'code_challenge_method'),
    ),
};

/** Requests that have to name the resource. */
const naming = (authorizationLog: AuthorizationLog): readonly AuthorizationLogStep[] =>
  authorizationLog.at('authorize', 'token');

const resource: AuthorizationRule = {
  id: 'auth-092',
  message: 'The authorization request and each token request name the resource',
  fix: 'send resource=<URL of the server of MCP> with both',
  judge: (authorizationLog) =>
    each(naming(authorizationLog), (step) => step.fields['resource'] === undefined && parameterOf(step, 'resource')),
};

/** Steps that name a resource that belongs to the server, or do not. */
const withResource = (authorizationLog: AuthorizationLog): readonly AuthorizationLogStep[] =>
  naming(authorizationLog).filter(({ fields }) => typeof fields['resource'] === 'string');

const canonical: AuthorizationRule = {
  id: 'auth-093',
  message: 'The resource is the canonical URL of the MCP server',
  fix: 'send the URL of the server: scheme and host in small letters, and no fragment',
  in: ['right', 'plain', 'openid', 'moved', 'own'],
  judge: (authorizationLog) =>
    each(withResource(authorizationLog), (step) => {
      const text = wholeText(step.fields['resource']);
      const own = new URL(authorizationLog.resource);
      const isOwn =
        text === own.origin || text === `${own.origin}/` || text.replace(/\/$/, '') === authorizationLog.resource;
      return !isOwn && `${parameterOf(step, 'resource')}, and the server is ${authorizationLog.resource}`;
    }),
};

const specific: AuthorizationRule = {
  id: 'auth-094',
  message: 'The resource is the most specific URL',
  fix: 'send the URL with its path, as the metadata say it',
  in: ['right', 'plain', 'openid', 'moved'],
  judge: (authorizationLog) =>
    each(withResource(authorizationLog), (step) => {
      const { origin } = new URL(authorizationLog.resource);
      const text = wholeText(step.fields['resource']);
      return (text === origin || text === `${origin}/`) && `${parameterOf(step, 'resource')}, without its path`;
    }),
};

const noSlash: AuthorizationRule = {
  id: 'auth-096',
  message: 'The resource has no slash at its end',
  fix: 'send the URL without a slash that the server does not have',
  in: ['right', 'plain', 'openid', 'moved'],
  judge: (authorizationLog) =>
    each(
      withResource(authorizationLog),
      (step) => step.fields['resource'] === `${authorizationLog.resource}/` && parameterOf(step, 'resource'),
    ),
};

const state: AuthorizationRule = {
  id: 'auth-104',
  message: 'The authorization request has a state, and a response with another state is discarded',
  fix: 'send a state that cannot be guessed, and drop an answer whose state is another',
  judge(authorizationLog) {
    const asked = each(authorizationLog.at('authorize'), (step) => !step.fields['state'] && parameterOf(step, 'state'));
    if (authorizationLog.scenario.altersState !== true || asked !== 'holds') return asked;
    const [used] = tokenRequests(authorizationLog, 'authorization_code');
    return used === undefined
      ? 'holds'
      : { breaks: 'the state that came back was another, and the code was used', at: used };
  },
};

const authenticates: AuthorizationRule = {
  id: 'auth-117',
  message: 'The client authenticates at the token endpoint with a supported method',
  fix: 'use the token_endpoint_auth_method of the registration, with the secret that was given',
  judge: (authorizationLog) =>
    each(authorizationLog.at('token'), (step) => {
      const { authorization } = step.headers;
      const [id, secret] = basicOf(authorization) ?? [];
      const client = authorizationLog.clients.get(wholeText(id ?? step.fields['client_id']));
      if (client === undefined) return undefined;
      const used =
        id !== undefined
          ? 'client_secret_basic'
          : step.fields['client_secret'] !== undefined
            ? 'client_secret_post'
            : 'none';
      // A client id alone does not authenticate a client that has a secret.
      if (used !== client.method) return `it used ${used}, and was registered with ${client.method}`;
      return (
        (secret ?? step.fields['client_secret']) !== client.secret && 'the secret is not the one that it was given'
      );
    }),
};

const listsRefresh: AuthorizationRule = {
  id: 'auth-114',
  message: 'A client that wants refresh tokens says so in its registration',
  fix: 'list refresh_token in grant_types',
  judge: (authorizationLog) =>
    each(tokenRequests(authorizationLog, 'refresh_token'), (step) => {
      const client = authorizationLog.clients.get(wholeText(step.fields['client_id']));
      return (
        client !== undefined && !client.grantTypes.includes('refresh_token') && 'it registered without refresh_token'
      );
    }),
};

const noRefreshAssumed: AuthorizationRule = {
  id: 'auth-115',
  message: 'The client does not rely on a refresh token',
  fix: 'sign in again if no refresh token was issued',
  in: ['plain'],
  judge(authorizationLog) {
    const [refreshed] = tokenRequests(authorizationLog, 'refresh_token');
    if (refreshed !== undefined) return { breaks: 'it sent a refresh token, and none was given', at: refreshed };
    return authorizationLog.called.has('again') ? 'holds' : 'not-seen';
  },
};

/** Challenged scopes that are asked for at the page. */
const challenged: AuthorizationRule = {
  id: 'auth-044',
  message: 'The client requests the scopes of the challenge',
  fix: 'ask for the scope of the challenge, whatever scopes_supported says',
  in: ['right'],
  judge: (authorizationLog) =>
    each(authorizationLog.at('authorize').slice(0, 1), (step) => {
      const asked = scopesIn(step.fields['scope']);
      return !asked.includes(scopes.first) && `${parameterOf(step, 'scope')}, and the challenge said ${scopes.first}`;
    }),
};

const supported: AuthorizationRule = {
  id: 'auth-048',
  message: 'Without a scope in the challenge, the client requests all of scopes_supported',
  fix: 'ask for the scopes of the challenge; where it has none, for all of scopes_supported',
  in: ['plain'],
  judge: (authorizationLog) =>
    each(authorizationLog.at('authorize').slice(0, 1), (step) => {
      const asked = scopesIn(step.fields['scope']);
      const missing = authorizationLog.scenario.supported?.find((scope) => !asked.includes(scope));
      return missing !== undefined && `${parameterOf(step, 'scope')}, without ${missing}`;
    }),
};

const needed: AuthorizationRule = {
  id: 'auth-047',
  message: 'The client requests only required scopes',
  fix: 'ask for the scopes of the challenge, and for no other of scopes_supported beside them',
  in: ['right'],
  judge: (authorizationLog) =>
    each(
      // A client that does not request the challenged scope is checked for that.
      authorizationLog
        .at('authorize')
        .slice(0, 1)
        .filter(({ fields }) => scopesIn(fields['scope']).includes(scopes.first)),
      (step) =>
        scopesIn(step.fields['scope']).includes(scopes.unneeded) &&
        `${parameterOf(step, 'scope')}, and the challenge said ${scopes.first} alone`,
    ),
};

/** Rules about requests. */
export const requestRules: readonly AuthorizationRule[] = [
  pkce,
  { ...pkce, id: 'auth-017', message: 'All clients use PKCE' },
  sha,
  resource,
  canonical,
  specific,
  noSlash,
  state,
  authenticates,
  listsRefresh,
  noRefreshAssumed,
  challenged,
  likewise(challenged, 'auth-043', 'The client accepts challenge scopes that are not in scopes_supported'),
  supported,
  needed,
];
