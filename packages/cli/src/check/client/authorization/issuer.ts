/** An authorization server that lets everybody in at once, and takes what it can, so that one mistake does not hide the next. */

import { createHash } from 'node:crypto';
import { isMachineGrant, machineGrants } from './machine.ts';
import { lacksNonce, nonceHeaders, wantsNonce } from './proofs.ts';
import { knownClient, scopes, type Scenario } from './scenarios.ts';
import { wholeText } from '../../whole-text.ts';
import type { GivenToken, AuthorizationLogPlace, ScenarioClient, AuthorizationLog } from './authorization-log.ts';

/** Request to it. */
export interface AskedIssuer {
  readonly method: string;
  /** Path below the issuer. */
  readonly path: string;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string | undefined>>;
}

/** Its answer. */
export interface IssuerAnswer {
  readonly place: AuthorizationLogPlace;
  readonly status: number;
  readonly body?: unknown;
  readonly location?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Limits: clients, codes and tokens issued in a scenario, and pages for a scope that is never granted. */
const most = { given: 500, never: 8 };

/** Answers at the endpoints of an issuer. */
export function answerOfIssuer(issuer: string, asked: AskedIssuer, authorizationLog: AuthorizationLog): IssuerAnswer {
  const { method, path } = asked;
  const isFull = [authorizationLog.clients, authorizationLog.codes, authorizationLog.tokens].some(
    ({ size }) => size >= most.given,
  );
  if (isFull) return { place: 'other', status: 503, body: { error: 'temporarily_unavailable' } };
  const hasPages = authorizationLog.scenario.isMachine !== true;
  if (hasPages && path === '/register' && method === 'POST') return registered(issuer, asked, authorizationLog);
  if (hasPages && path === '/authorize' && method === 'GET') return agreed(issuer, asked, authorizationLog);
  if (path === '/token' && method === 'POST') return given(issuer, asked, authorizationLog);
  return { place: 'other', status: 404 };
}

/** Metadata of an issuer. */
export function issuerMetadata(issuer: string, scenario: Scenario): object {
  const { saysIssuer, hidesPkce, promisesIss, takesDocuments, takesProofs, isMachine, methods = ['none'] } = scenario;
  const { at } = scenario.issuer;
  return {
    issuer: saysIssuer ?? issuer,
    ...(isMachine === true ? machineParts : personParts(issuer)),
    token_endpoint: `${issuer}/token`,
    token_endpoint_auth_methods_supported: methods,
    ...(at === 'openid' || at === 'appended' ? openidParts(issuer) : {}),
    ...(hidesPkce !== true && { code_challenge_methods_supported: ['S256'] }),
    ...(takesProofs === true && { dpop_signing_alg_values_supported: signing }),
    ...(takesDocuments === true && { client_id_metadata_document_supported: true }),
    ...(promisesIss === true && { authorization_response_iss_parameter_supported: true }),
  };
}

/** Fields of an issuer that shows pages to persons. */
function personParts(issuer: string): object {
  return {
    authorization_endpoint: `${issuer}/authorize`,
    registration_endpoint: `${issuer}/register`,
    response_types_supported: ['code'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
  };
}

/** Algorithms of signatures, none of which is looked at. */
const signing = ['ES256', 'ES384', 'PS256', 'RS256', 'EdDSA', 'Ed25519'];

/** Fields of one that shows none. */
const machineParts = {
  response_types_supported: [],
  grant_types_supported: Object.values(machineGrants),
  token_endpoint_auth_signing_alg_values_supported: signing,
};

/** Fields that a provider of OpenID Connect has to have. (OpenID Connect Discovery 1.0, section 3.) */
function openidParts(issuer: string): object {
  return {
    jwks_uri: `${issuer}/keys`,
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
  };
}

/** Refusal of a registration. (RFC 7591, section 3.2.2.) */
const refusedRedirect = {
  error: 'invalid_redirect_uri',
  error_description: 'redirect URIs of this kind are not taken for this type of application',
};

function registered(issuer: string, { fields }: AskedIssuer, authorizationLog: AuthorizationLog): IssuerAnswer {
  const { methods = ['none'], refusesRegistration } = authorizationLog.scenario;
  if (refusesRegistration === true) return { place: 'register', status: 400, body: refusedRedirect };
  const wished = fields['token_endpoint_auth_method'];
  const method = methods.find((one) => one === wished) ?? methods.at(-1) ?? 'none';
  const secret = method === 'none' ? undefined : `secret-${crypto.randomUUID()}`;
  const id = `client-${crypto.randomUUID()}`;
  const client: ScenarioClient = {
    issuer,
    redirectUris: texts(fields['redirect_uris']),
    grantTypes: texts(fields['grant_types']),
    method,
    secret,
  };
  authorizationLog.clients.set(id, client);
  const own = {
    client_id: id,
    token_endpoint_auth_method: method,
    ...(secret !== undefined && { client_secret: secret }),
  };
  return { place: 'register', status: 201, body: { ...fields, ...own } };
}

function agreed(issuer: string, { fields }: AskedIssuer, authorizationLog: AuthorizationLog): IssuerAnswer {
  const { scenario } = authorizationLog;
  const to = wholeText(fields['redirect_uri']);
  // A URL that is not a browser page is not followed: no redirect to other schemes from here.
  if (!/^https?:/i.test(to) || !URL.canParse(to))
    return {
      place: 'authorize',
      status: 400,
      body: { error: 'invalid_request', error_description: 'no redirect_uri' },
    };
  const asked = scopesIn(fields['scope']);
  const nevers = authorizationLog
    .at('authorize')
    .filter((step) => scopesIn(step.fields['scope']).includes(scopes.never)).length;
  const back = new URL(to);
  const say = (name: string, value: unknown): void => {
    if (typeof value === 'string') back.searchParams.set(name, value);
  };
  say('state', scenario.altersState === true ? 'another-state' : fields['state']);
  say('iss', scenario.iss?.(issuer, authorizationLog.issuers[1] ?? ''));
  if (asked.includes(scopes.never) && nevers >= most.never) say('error', 'access_denied');
  else {
    const code = `code-${crypto.randomUUID()}`;
    const challenge = fields['code_challenge'];
    const granted = asked.filter((scope) => scope !== scopes.never);
    authorizationLog.codes.set(code, {
      issuer,
      scopes: granted,
      challenge: typeof challenge === 'string' ? challenge : undefined,
    });
    say('code', code);
  }
  return { place: 'authorize', status: 302, location: back.href };
}

function given(issuer: string, { fields, headers }: AskedIssuer, authorizationLog: AuthorizationLog): IssuerAnswer {
  if (lacksNonce(authorizationLog.scenario, 'token', headers))
    return { place: 'token', status: 400, body: wantsNonce, headers: nonceHeaders('token') };
  const isBound = authorizationLog.scenario.takesProofs === true && headers['dpop'] !== undefined;
  const refused: IssuerAnswer = { place: 'token', status: 400, body: { error: 'invalid_grant' } };
  if (fields['grant_type'] === 'refresh_token') {
    const kept = authorizationLog.refreshTokens.get(wholeText(fields['refresh_token']));
    if (kept === undefined || kept.isOver || kept.issuer !== issuer) return refused;
    kept.isOver = true;
    return { place: 'token', status: 200, body: tokensFor(kept.scopes, issuer, authorizationLog, { isBound }) };
  }
  if (isMachineGrant(fields['grant_type']))
    return authorizationLog.scenario.refusesRegistration === true
      ? refused
      : {
          place: 'token',
          status: 200,
          body: tokensFor(scopesIn(fields['scope']), issuer, authorizationLog, { isBound, mayRenew: false }),
        };
  const code = authorizationLog.codes.get(wholeText(fields['code']));
  authorizationLog.codes.delete(wholeText(fields['code']));
  if (code !== undefined) authorizationLog.usedCodes.add(wholeText(fields['code']));
  const hash = createHash('sha256').update(wholeText(fields['code_verifier'])).digest('base64url');
  const fits = code?.challenge === undefined || code.challenge === hash || code.challenge === fields['code_verifier'];
  if (code === undefined || !fits || code.issuer !== issuer) return refused;
  return { place: 'token', status: 200, body: tokensFor(code.scopes, issuer, authorizationLog, { isBound }) };
}

interface TokenKind {
  readonly isBound: boolean;
  /** False for a client that can already try again. */
  readonly mayRenew?: boolean;
}

function tokensFor(
  granted: readonly string[],
  issuer: string,
  authorizationLog: AuthorizationLog,
  { isBound, mayRenew = true }: TokenKind,
): object {
  const [access, refresh] = [`access-${crypto.randomUUID()}`, `refresh-${crypto.randomUUID()}`];
  const token: GivenToken = { issuer, scopes: granted, isOver: false, ...(isBound && { isBound }) };
  authorizationLog.tokens.set(access, token);
  const keeps = mayRenew && authorizationLog.scenario.keepsNoRefresh !== true;
  if (keeps) authorizationLog.refreshTokens.set(refresh, { ...token });
  return {
    access_token: access,
    token_type: isBound ? 'DPoP' : 'Bearer',
    expires_in: 3_600,
    scope: granted.join(' '),
    ...(keeps && { refresh_token: refresh }),
  };
}

/** The client that a request names, as the issuer knows it. */
export function clientNamed(
  id: unknown,
  issuer: string,
  authorizationLog: AuthorizationLog,
): ScenarioClient | undefined {
  const client = authorizationLog.clients.get(wholeText(id));
  if (client?.issuer === issuer) return client;
  const isKnown = id === knownClient && issuer === authorizationLog.issuers[0];
  return isKnown ? { issuer, redirectUris: [], grantTypes: [], method: 'none', secret: undefined } : undefined;
}

/** Tells whether an id of a client is a URL. */
export function isUrl(id: unknown): boolean {
  return typeof id === 'string' && /^https?:\/\//i.test(id);
}

/** Words of a list that blanks part. */
export function scopesIn(text: unknown): readonly string[] {
  return typeof text === 'string' ? text.split(' ').filter((word) => word !== '') : [];
}

function texts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string').slice(0, 50) : [];
}
