/** Requests to the endpoints of an authorization server. */

import {
  allowInsecureRequests,
  customFetch,
  dynamicClientRegistrationRequest,
  genericTokenEndpointRequest,
  revocationRequest,
} from 'oauth4webapi';
import { exchange, type WholeResponse } from '../common/document.ts';
import { AuthorizationError } from '../common/errors.ts';
import { harmlessAnswer } from '../common/secrets.ts';
import { unlessAborted } from '../../storage/turns.ts';
import type { OAuthClient } from './client-authentication.ts';
import type { GrantEndpoints } from './endpoints.ts';
import { authenticationOf } from './shown-client.ts';
import type { DpopProver } from './dpop.ts';
import { fetching, type Site } from './site.ts';
import { readTokenAnswer, type TokenAnswer } from './token-response.ts';

/** One token request. */
export interface TokenRequest {
  readonly endpoints: GrantEndpoints;
  readonly client: OAuthClient;
  readonly grantType: string;
  readonly parameters: Readonly<Record<string, string>>;
  /** The resource that the token is to be for. */
  readonly resource?: string | undefined;
  /** Makes a proof for the request, so that the token is bound. */
  readonly prover?: DpopProver | undefined;
  readonly signal: AbortSignal;
}

/**
 * Requests tokens.
 *
 * @throws AuthorizationError as `readTokenAnswer` does, or if there is no answer.
 */
export async function requestTokens(site: Site, request: TokenRequest): Promise<TokenAnswer> {
  const { issuer } = request.endpoints;
  const given = await tokenAnswer(site, request);
  const answer = readTokenAnswer(given, issuer);
  const wanted = request.prover === undefined ? 'bearer' : 'dpop';
  if (answer.tokenType === wanted || (answer.tokenType === 'bearer' && site.options.dpop !== 'always')) return answer;
  throw new AuthorizationError(
    'invalid-response',
    `${issuer} gave a token of the type ${harmlessAnswer(answer.tokenType, given.sent)}, where ${wanted === 'dpop' ? 'one that is bound to a key (DPoP)' : 'a bearer token'} was asked for`,
    { issuer },
  );
}

/** The raw answer to a token request, with the one repetition that a nonce may take. (RFC 9449, section 8.) */
export async function tokenAnswer(site: Site, request: TokenRequest): Promise<WholeResponse> {
  const { endpoints, client, grantType, resource, prover } = request;
  const url = site.rules.check(endpoints.token, 'the token endpoint');
  const parameters = {
    ...site.options.parameters?.token,
    ...request.parameters,
    ...(resource === undefined || site.options.resourceParameter === 'omit' ? {} : { resource }),
  };
  for (let again = false; ; again = true) {
    const proof = await prover?.proof({ method: 'POST', url });
    const answer = await send(site, { url, asked: 'the token request', signal: request.signal }, async (options) => {
      const server = { issuer: endpoints.issuer, token_endpoint: endpoints.token };
      const headers = proof === undefined ? {} : { dpop: proof };
      const authentication = authenticationOf(client, endpoints.issuer);
      await genericTokenEndpointRequest(server, { client_id: client.id }, authentication, grantType, parameters, {
        ...options,
        headers,
      });
    });
    const isNew = prover?.answered(url, answer.header('dpop-nonce')) ?? false;
    if (again || !isNew || answer.status < 400 || !answer.text.includes('use_dpop_nonce')) return answer;
  }
}

/** Registers a client. (RFC 7591, section 3.1.) */
export async function registrationAnswer(
  site: Site,
  {
    issuer,
    endpoint,
    metadata,
    signal,
  }: {
    readonly issuer: string;
    readonly endpoint: string;
    readonly metadata: Readonly<Record<string, unknown>>;
    readonly signal: AbortSignal;
  },
): Promise<WholeResponse> {
  const url = site.rules.check(endpoint, 'the registration endpoint');
  return await send(site, { url, asked: 'the registration', signal }, async (options) => {
    // The library asks for no more of it than that it can be written as JSON.
    const client = metadata as Parameters<typeof dynamicClientRegistrationRequest>[1];
    await dynamicClientRegistrationRequest({ issuer, registration_endpoint: endpoint }, client, options);
  });
}

/** Revokes a token. (RFC 7009, section 2.1.) */
export async function revocationAnswer(
  site: Site,
  {
    endpoints,
    client,
    token,
    hint,
    signal,
  }: {
    readonly endpoints: GrantEndpoints & { readonly revocation: string };
    readonly client: OAuthClient;
    readonly token: string;
    readonly hint: 'access_token' | 'refresh_token';
    readonly signal: AbortSignal;
  },
): Promise<WholeResponse> {
  const url = site.rules.check(endpoints.revocation, 'the revocation endpoint');
  return await send(site, { url, asked: 'the revocation', signal }, async (options) => {
    const server = { issuer: endpoints.issuer, revocation_endpoint: endpoints.revocation };
    await revocationRequest(server, { client_id: client.id }, authenticationOf(client, endpoints.issuer), token, {
      ...options,
      additionalParameters: { token_type_hint: hint },
    });
  });
}

/** The options with which the OAuth library uses our own fetch. The URL was checked already. */
interface LibraryFetchOptions {
  readonly [customFetch]: (url: string, request: Sent) => Promise<Response>;
  readonly [allowInsecureRequests]: true;
}

/** Request of the library. */
interface Sent {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body?: unknown;
}

/**
 * Sends a request of the OAuth library through our own fetch.
 *
 * @param asked Name of the request, for errors.
 * @returns The raw answer.
 * @throws AuthorizationError if there is none.
 */
export async function send(
  site: Site,
  { url, asked, signal }: { readonly url: URL; readonly asked: string; readonly signal: AbortSignal },
  request: (options: LibraryFetchOptions) => Promise<void>,
): Promise<WholeResponse> {
  let answer: WholeResponse | undefined;
  const sent = request({
    [allowInsecureRequests]: true,
    [customFetch]: async (_, { method, headers, body }) => {
      signal.throwIfAborted();
      // The body is a text, or parameters that spell themselves as one.
      answer = await exchange(url, { method, headers, body: String(body) }, asked, fetching(site, signal));
      return new Response();
    },
  });
  // The program that gives the key to sign with may never do so.
  await unlessAborted(sent, signal);
  if (answer === undefined) throw new AuthorizationError('server-error', `${asked} was not sent`);
  return answer;
}
