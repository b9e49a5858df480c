/** Requests an authorization code, and checks the answer. (RFC 6749, section 4.1; RFC 7636; RFC 9207.) */

import { hasFields } from '../../common/fields.ts';
import { calculatePKCECodeChallenge } from 'oauth4webapi';
import { AuthorizationError, plainWords } from '../../common/errors.ts';
import { jsonOf } from '../../common/document.ts';
import type { ServerMetadata } from '../../common/metadata.ts';
import { unguessableText } from '../../common/base64url.ts';
import { otherSlash, shownUrl } from '../discovery.ts';
import { isSlashApart } from '../../common/issuer-name.ts';
import { targetWords } from '../token-response.ts';
import { endpointsOf, type GrantEndpoints } from '../endpoints.ts';

/**
 * A login in progress. The expected answer, and the endpoint for the code, were stored before the user was sent.
 * Metadata that changes meanwhile has no effect, and a code of one authorization server is never sent to another.
 */
export interface PendingLogin {
  readonly state: string;
  readonly verifier: string;
  /** The issuer, whose bytes are compared with `iss`, and the endpoint for the code. */
  readonly endpoints: GrantEndpoints;
  /** True when the answer must have `iss`. */
  readonly namesIssuer: boolean;
  readonly client: string;
  readonly redirectUri: string;
  readonly resource: string;
  readonly requested: readonly string[];
  /** True when the tokens are bound to a key. */
  readonly bound: boolean;
  /** The URL of the MCP server. */
  readonly server: string;
  /** The account of the sign-in. */
  readonly account?: string | undefined;
  /** True when more was wanted than was granted. */
  readonly isStepUp?: boolean | undefined;
  /** Time at which the person was sent, in milliseconds since 1970. */
  readonly at: number;
}

/** The content of an authorization request. */
export interface CodeRequest {
  readonly server: ServerMetadata;
  readonly client: string;
  readonly redirectUri: string;
  readonly resource: string;
  readonly scopes: readonly string[];
  readonly bound: boolean;
  /** The URL of the MCP server. */
  readonly mcpServer: URL;
  readonly account: string | undefined;
  /** True when the resource is named in the request. */
  readonly namesResource: boolean;
  /** Parameters beside OAuth's own. */
  readonly more: Readonly<Record<string, string>> | undefined;
  readonly now: number;
}

/**
 * Rejects an authorization server at which a code could be stolen. (Spec 2025-11-25, Authorization Code Protection.)
 *
 * @throws AuthorizationError `pkce-missing`, or `discovery` if it has no authorization endpoint.
 */
export function requireCodes({
  issuer,
  authorizationEndpoint,
  codeChallengeMethodsSupported: methods,
}: ServerMetadata): string {
  if (authorizationEndpoint === undefined)
    throw new AuthorizationError(
      'discovery',
      `the metadata of ${shownUrl(issuer)} name no authorization endpoint, where people sign in`,
      { issuer },
    );
  if (methods?.includes('S256') === true) return authorizationEndpoint;
  throw new AuthorizationError(
    'pkce-missing',
    `${shownUrl(issuer)} does not declare that it protects codes (code_challenge_methods_supported without S256); if it does, declare it with servers: { '${shownUrl(issuer)}': { code_challenge_methods_supported: ['S256'] } }`,
    { issuer },
  );
}

/** Makes the URL to which a person is sent, and what its answer will be judged by. */
export async function authorizationRequest(
  asked: CodeRequest,
): Promise<{ readonly url: string; readonly pending: PendingLogin }> {
  const { server, client, redirectUri, resource, scopes, bound } = asked;
  const url = new URL(requireCodes(server));
  const [state, verifier] = [unguessableText(), unguessableText()];
  const offlineAccess = scopes.includes('offline_access') && server.isOpenIdProvider;
  const parameters = {
    // OpenID Connect Core, section 11: without it a provider may give no refresh token.
    ...(offlineAccess ? { prompt: 'consent' } : {}),
    ...asked.more,
    response_type: 'code',
    client_id: client,
    redirect_uri: redirectUri,
    state,
    code_challenge: await calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    ...(scopes.length === 0 ? {} : { scope: scopes.join(' ') }),
    ...(asked.namesResource ? { resource } : {}),
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  const pending: PendingLogin = {
    state,
    verifier,
    endpoints: endpointsOf(server),
    namesIssuer: server.authorizationResponseIssParameterSupported,
    client,
    redirectUri,
    resource,
    requested: scopes,
    bound,
    server: asked.mcpServer.href,
    account: asked.account,
    at: asked.now,
  };
  return { url: url.href, pending };
}

/** The `state` of an answer, if there is exactly one. */
export function stateOf(callback: string): string | undefined {
  const states = URL.canParse(callback) ? new URL(callback).searchParams.getAll('state') : [];
  return states.length === 1 ? states[0] : undefined;
}

/**
 * Checks an answer, in this order: no parameter is repeated; the state; the issuer; the error; the code. No part of an
 * answer is used or shown before its origin is known.
 *
 * @param callback The URL to which the browser was sent.
 * @returns The code.
 * @throws AuthorizationError
 */
export function judgedCode(callback: string, { state, endpoints: { issuer }, namesIssuer }: PendingLogin): string {
  const invalid = (words: string): AuthorizationError =>
    new AuthorizationError(
      'invalid-response',
      `the answer to the login at ${shownUrl(issuer)} ${words}: it is not used; sign in again`,
      { issuer },
    );
  if (!URL.canParse(callback)) throw invalid('is not a URL');
  const parameters = new URL(callback).searchParams;
  for (const name of ['state', 'iss', 'error', 'code'])
    if (parameters.getAll(name).length > 1) throw invalid(`has ${name} twice`);
  if (!isSame(parameters.get('state') ?? '', state))
    throw invalid('belongs to another login (its state is not the one that was sent)');
  const iss = parameters.get('iss');
  // Spec 2026-07-28, Authorization Response Validation: as it is, byte for byte, on errors too.
  if (iss === null ? namesIssuer : iss !== issuer)
    throw new AuthorizationError(
      'issuer-mismatch',
      `the answer to the login at ${shownUrl(issuer)} ${iss === null ? 'does not name its issuer: it is not used' : fromOther(iss, issuer)}`,
      { issuer },
    );
  const error = parameters.get('error');
  if (error !== null) throw refusal(error, parameters.get('error_description'), issuer);
  const code = parameters.get('code');
  if (code === null || code === '') throw invalid('has neither a code nor an error');
  return code;
}

function fromOther(iss: string, issuer: string): string {
  return isSlashApart(iss, issuer)
    ? `names ${otherSlash(issuer, iss)}`
    : 'is from another authorization server: it is not used';
}

/** RFC 6749, section 4.1.2.1. */
function refusal(error: string, description: string | null, issuer: string): AuthorizationError {
  const code = plainWords(error) ?? '';
  const said = plainWords(description);
  const words = `${code}${said === undefined ? '' : ` (${said})`}`;
  const options = { issuer, code };
  switch (error) {
    case 'access_denied':
      return new AuthorizationError(
        'denied',
        `${shownUrl(issuer)} was not allowed to let this client in: ${words}`,
        options,
      );
    case 'invalid_scope':
      return new AuthorizationError(
        'insufficient-scope',
        `${shownUrl(issuer)} did not grant the request: ${words}`,
        options,
      );
    case 'unauthorized_client':
      return new AuthorizationError(
        'invalid-client',
        `${shownUrl(issuer)} does not let this client sign people in: ${words}`,
        options,
      );
    case 'invalid_target':
      return new AuthorizationError(
        'resource-mismatch',
        `${shownUrl(issuer)} refuses the resource with ${words}: ${targetWords(said)}`,
        options,
      );
    default:
      return new AuthorizationError('server-error', `${shownUrl(issuer)} could not sign anybody in: ${words}`, options);
  }
}

/** Compares in constant time. */
function isSame(one: string, other: string): boolean {
  if (one.length !== other.length) return false;
  let difference = 0;
  for (let at = 0; at < one.length; at++) difference |= one.charCodeAt(at) ^ other.charCodeAt(at);
  return difference === 0;
}

/** The stored form of a login while the user is at the page. */
export function pendingText(pending: PendingLogin): string {
  return JSON.stringify(pending);
}

/** Reads a stored login; `undefined` if it is invalid. */
export function readPending(text: string | undefined): PendingLogin | undefined {
  const value = text === undefined ? undefined : jsonOf(text);
  if (!hasFields(value) || !hasFields(value['endpoints'])) return undefined;
  const texts = [
    value['state'],
    value['verifier'],
    value['client'],
    value['redirectUri'],
    value['resource'],
    value['server'],
  ];
  if (!texts.every((one) => typeof one === 'string') || typeof value['at'] !== 'number') return undefined;
  // Our own text, whose fields were just checked.
  return value as unknown as PendingLogin;
}
