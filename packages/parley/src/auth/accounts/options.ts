/** The options of `connectAccount`, and their defaults. */

import { isLoopback } from '../common/network.ts';
import type { SessionOf } from '../consent/consent.ts';
import { harmless } from '../../options/harmless.ts';
import { refuseUnknown, type Names } from '../../options/known-names.ts';
import { refuseNoNumber, refuseOther } from '../../options/known-values.ts';
import { shown } from '../../options/shown.ts';
import type { ClientAuthenticationMethod } from '../client/client-authentication.ts';
import type { AuthorizationOptions } from '../client/options.ts';
import { oauthSettings, type OAuthOptions, type OAuthSettings } from '../client/interactive/oauth-options.ts';
import type { KeySource } from '../common/signing-key.ts';
import type { SealingKey } from '../../sealing/sealing-key.ts';
import type { CredentialStore } from '../../storage/credentials.ts';

/** The client that was registered at the third party. */
export interface AccountClient {
  /** The client id. */
  readonly id: string;
  /** The secret of the client, if it has one. */
  readonly secret?: string;
  /** The private key by which it signs (`private_key_jwt`). */
  readonly key?: KeySource;
  /**
   * Method of client authentication. By default it depends on the credentials and on the authorization server's list.
   */
  readonly method?: ClientAuthenticationMethod;
}

/** The endpoints of a third party that publishes no metadata. Codes are protected by S256 there too. */
export interface AccountEndpoints {
  /** URL of the page at which people sign in. */
  readonly authorization: string;
  /** URL at which tokens are given. */
  readonly token: string;
  /** The revocation endpoint (RFC 7009), if the service has one. */
  readonly revocation?: string;
}

/** Options of `connectAccount`. `issuer` or `endpoints`, `client`, `publicUrl` and `sessionOf` must be given. */
export interface ConnectAccountOptions extends Pick<
  AuthorizationOptions,
  'scopes' | 'servers' | 'parameters' | 'network' | 'fetch' | 'now' | 'resource'
> {
  /** The third party's name, as people know it; the host where they sign in by default. */
  readonly name?: string;
  /** The name of this server, as people know it; the host of `publicUrl` by default. */
  readonly serverName?: string;
  /** The issuer of the third party's authorization server, which publishes metadata; beside `endpoints` what `iss` must be. */
  readonly issuer?: string;
  /** The OAuth endpoints, for a service that does not publish them. */
  readonly endpoints?: AccountEndpoints;
  /** The client, registered by hand with the redirect URI `<publicUrl>/callback`. */
  readonly client: AccountClient;
  /** URL of the page at which people agree, as browsers reach it: `https:`, or `http:` on this machine. */
  readonly publicUrl: string;
  /**
   * Identifies the user at a browser, with your own pages' session. It returns the principal in the form of
   * `ctx.auth.principal`, which `principalOf(issuer, subject)` makes; `undefined` if no user is signed in; or a
   * response to send instead of the page, such as a redirect to your login.
   */
  readonly sessionOf: SessionOf;
  /** Store of the grants, by principal; in the memory of this process by default. */
  readonly store?: CredentialStore;
  /** The keys that seal links, 32 bytes each, the newest first; one of this process by default. Processes that share the store share them. */
  readonly keys?: readonly SealingKey[];
  /** Time that a tool waits for the person once they agreed to go, in milliseconds; 45000, which is less than most clients wait. */
  readonly waitTimeoutMs?: number;
  /** Receives the reason of a failed visit or renewal; written to standard error by default. */
  readonly onError?: (error: unknown) => void;
}

const optionNames: Names<ConnectAccountOptions> = {
  scopes: 1,
  servers: 1,
  parameters: 1,
  network: 1,
  fetch: 1,
  now: 1,
  resource: 1,
  name: 1,
  serverName: 1,
  issuer: 1,
  endpoints: 1,
  client: 1,
  publicUrl: 1,
  sessionOf: 1,
  store: 1,
  keys: 1,
  waitTimeoutMs: 1,
  onError: 1,
};

/** The options with their defaults. */
export interface AccountSettings {
  readonly issuer: string;
  readonly name: string;
  readonly serverName: string;
  readonly publicUrl: URL;
  readonly scopes: readonly string[];
  /** The settings of signing a person in; the store in them is everybody's. */
  readonly oauth: OAuthSettings;
  readonly sessionOf: SessionOf;
  readonly keys: readonly SealingKey[] | undefined;
  readonly waitTimeoutMs: number;
  onError(error: unknown): void;
}

/** @throws TypeError for options that are unknown or make no sense. */
export function accountSettings(options: ConnectAccountOptions): AccountSettings {
  checkOptions(options);
  const { scopes = [], endpoints, onError } = options;
  const publicUrl = publicUrlOf(options.publicUrl);
  const issuer = issuerOf(options);
  const { name = new URL(endpoints?.authorization ?? issuer).host, serverName = publicUrl.host } = options;
  return {
    issuer,
    name,
    serverName,
    publicUrl,
    scopes,
    oauth: oauthSettings(oauthOptions(options, issuer, publicUrl)),
    sessionOf: options.sessionOf,
    keys: options.keys,
    waitTimeoutMs: options.waitTimeoutMs ?? 45_000,
    onError: harmless(onError ?? ((error) => console.error(error))),
  };
}

function checkOptions(options: ConnectAccountOptions): void {
  refuseUnknown('connectAccount', options, optionNames);
  for (const name of ['name', 'serverName', 'issuer'] as const) refuseOther('string', name, options[name]);
  refuseOther('function', 'onError', options.onError);
  refuseNoNumber('waitTimeoutMs', options.waitTimeoutMs);
  if (typeof options.sessionOf !== 'function')
    throw new TypeError(
      'connectAccount needs sessionOf, which identifies the user at a browser: without it a forwarded link would connect the account of another user',
    );
  const client: unknown = options.client;
  if (typeof client !== 'object' || client === null || typeof options.client.id !== 'string')
    throw new TypeError('connectAccount needs client: { id, … }, registered at the third party');
}

/** Options that are common with a client that signs a person in. */
function oauthOptions(
  { client, endpoints, servers, resource, parameters, network, fetch, store, scopes, now }: ConnectAccountOptions,
  issuer: string,
  publicUrl: URL,
): OAuthOptions {
  const manual = endpoints === undefined ? {} : { [issuer]: metadataOf(endpoints) };
  return {
    // Users start at a page of their own; see `ThirdParty.begin`.
    redirect: () => Promise.reject(new TypeError('this redirect is not used')),
    redirectUri: `${publicUrl.href}/callback`,
    client: { ...client, issuer },
    // Two clients at one third party have grants of their own.
    account: client.id,
    servers: { ...manual, ...servers },
    resourceParameter: resource === undefined ? 'omit' : 'send',
    ...(scopes === undefined ? {} : { scopes }),
    ...(now === undefined ? {} : { now }),
    ...(resource === undefined ? {} : { resource }),
    ...(parameters === undefined ? {} : { parameters }),
    ...(network === undefined ? {} : { network }),
    ...(fetch === undefined ? {} : { fetch }),
    ...(store === undefined ? {} : { store }),
  };
}

function publicUrlOf(text: unknown): URL {
  const url = typeof text === 'string' && URL.canParse(text) ? new URL(text) : undefined;
  const isPlain = url?.search === '' && url.hash === '' && url.username === '' && url.password === '';
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname));
  if (url === undefined || !isPlain || !isSafe || url.pathname.replace(/\/$/, '') === '')
    throw new TypeError(
      `publicUrl must be the https: URL of a page of its own, such as 'https://mcp.example.com/connect/github' (http: on this machine), not ${shown(text)}`,
    );
  url.pathname = url.pathname.replace(/\/$/, '');
  return url;
}

function issuerOf({ issuer, endpoints }: ConnectAccountOptions): string {
  const text =
    issuer ?? (endpoints && URL.canParse(endpoints.authorization) ? new URL(endpoints.authorization).origin : '');
  if (!URL.canParse(text) || (endpoints !== undefined && !URL.canParse(endpoints.token)))
    throw new TypeError(
      'connectAccount needs the issuer of the third party, or its endpoints: { authorization, token }',
    );
  return text;
}

/** In the form of RFC 8414. */
function metadataOf({ authorization, token, revocation }: AccountEndpoints): Readonly<Record<string, unknown>> {
  return {
    authorization_endpoint: authorization,
    token_endpoint: token,
    ...(revocation === undefined ? {} : { revocation_endpoint: revocation }),
    // A server that does not know the challenge ignores it. (RFC 6749, section 3.1.)
    code_challenge_methods_supported: ['S256'],
  };
}
