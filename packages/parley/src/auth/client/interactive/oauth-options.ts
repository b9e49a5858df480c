/** Options of signing a person in. */

import type { Redirect, RedirectHook } from '../../common/redirect.ts';
import { isLoopback } from '../../common/network.ts';
import { refuseUnknown, type Names } from '../../../options/known-names.ts';
import { refuseNoNumber, refuseOther, refuseOtherWord } from '../../../options/known-values.ts';
import type { CredentialStore } from '../../../storage/credentials.ts';
import { memoryCredentialStore } from '../../../storage/memory-credentials.ts';
import { clientAuthenticationMethods, type ClientAuthenticationMethod } from '../client-authentication.ts';
import { authorizationOptionNames, checkAuthorizationOptions, type AuthorizationOptions } from '../options.ts';
import type { KeySource } from '../../common/signing-key.ts';

/** A client that was registered at an authorization server by hand. */
export interface ManualRegistration {
  /** The client id. */
  readonly id: string;
  /** The issuer of the authorization server that knows it; it is shown to no other. */
  readonly issuer: string;
  /** The secret of the client, if it has one. */
  readonly secret?: string;
  /** The private key by which it signs (`private_key_jwt`). */
  readonly key?: KeySource;
  /**
   * Method of client authentication. By default it depends on the credentials and on the authorization server's list.
   */
  readonly method?: ClientAuthenticationMethod;
}

/** Facts of a client that an authorization server shows when it asks a person. */
export interface ClientMetadata {
  /** The name of the application; `Parley` by default. */
  readonly name?: string;
  /** The page of the application. */
  readonly uri?: string;
  /** The URL of a logo, for pages of consent. */
  readonly logo?: string;
  /** Addresses of people who are responsible for the client. */
  readonly contacts?: readonly string[];
  /** The kind of application; by default it follows from the redirect URI. */
  readonly applicationType?: 'native' | 'web';
}

/** Options of `oauth`; `redirect` alone must be given. */
export interface OAuthOptions extends AuthorizationOptions {
  /** Way of a person to the authorization server and back; a function needs `redirectUri` beside it. */
  readonly redirect: Redirect | RedirectHook;
  /** URL to which a `redirect` that is a function is sent back: `https:`, `http:` of this machine, or a scheme of the application's own. */
  readonly redirectUri?: string;
  /** Store of tokens and registrations; in the memory of this object by default. */
  readonly store?: CredentialStore;
  /** The client, if it was registered manually; several for several authorization servers. */
  readonly client?: ManualRegistration | readonly ManualRegistration[];
  /**
   * The `https:` URL of the client's metadata document, which serves as its id if the authorization server supports
   * that.
   */
  readonly clientMetadataUrl?: string;
  /** Facts of the client that are registered. */
  readonly metadata?: ClientMetadata;
  /** True if the grant is renewed without the user, and may last while the user is away; true by default. */
  readonly refresh?: boolean;
  /**
   * Separates the grants of several accounts, or of several users, in one store. Without a name, all use the store's
   * common grant.
   */
  readonly account?: string;
  /** Time that a person may take, in milliseconds; 600000. 0 means no limit. */
  readonly loginTimeoutMs?: number;
}

const optionNames: Names<OAuthOptions> = {
  ...authorizationOptionNames,
  redirect: 1,
  redirectUri: 1,
  store: 1,
  client: 1,
  clientMetadataUrl: 1,
  metadata: 1,
  refresh: 1,
  account: 1,
  loginTimeoutMs: 1,
};

const clientNames: Names<ManualRegistration> = { id: 1, issuer: 1, secret: 1, key: 1, method: 1 };

const metadataNames: Names<ClientMetadata> = { name: 1, uri: 1, logo: 1, contacts: 1, applicationType: 1 };

/** The options with their defaults. */
export interface OAuthSettings {
  readonly options: OAuthOptions;
  readonly redirect: Redirect;
  readonly store: CredentialStore;
  readonly clients: readonly ManualRegistration[];
  readonly clientMetadataUrl: string | undefined;
  /** In the form of RFC 7591. */
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly applicationType: 'native' | 'web' | undefined;
  readonly refresh: boolean;
  readonly account: string | undefined;
  readonly loginTimeoutMs: number;
}

/** @throws TypeError for options that make no sense. */
export function oauthSettings(options: OAuthOptions): OAuthSettings {
  checkAuthorizationOptions('oauth', options, optionNames);
  refuseOther('boolean', 'refresh', options.refresh);
  refuseOther('string', 'account', options.account);
  refuseNoNumber('loginTimeoutMs', options.loginTimeoutMs);
  const { client = [], clientMetadataUrl, metadata = {} } = options;
  const clients: readonly ManualRegistration[] = Array.isArray(client) ? client : [client as ManualRegistration];
  for (const one of clients) {
    refuseUnknown('client', one, clientNames);
    const { id, issuer, method } = one;
    if (typeof id !== 'string' || id === '' || typeof issuer !== 'string' || !URL.canParse(issuer))
      throw new TypeError('client must have its id, and the issuer of the authorization server that knows it');
    refuseOtherWord('client.method', clientAuthenticationMethods, method);
  }
  refuseUnknown('metadata', metadata, metadataNames);
  if (clientMetadataUrl !== undefined) checkDocumentUrl(clientMetadataUrl);
  const { name = 'Parley', uri, logo, contacts, applicationType } = metadata;
  const words = { client_name: name, client_uri: uri, logo_uri: logo, contacts };
  return {
    options,
    redirect: redirectOf(options),
    store: options.store ?? memoryCredentialStore(),
    clients,
    clientMetadataUrl,
    metadata: Object.fromEntries(Object.entries(words).filter(([, value]) => value !== undefined)),
    applicationType,
    refresh: options.refresh ?? true,
    account: options.account,
    loginTimeoutMs: (options.loginTimeoutMs ?? 600_000) || Number.POSITIVE_INFINITY,
  };
}

/** Spec 2025-11-25, Client ID Metadata Documents: the URL has the scheme https and a path. */
function checkDocumentUrl(text: string): void {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (
    url?.protocol !== 'https:' ||
    url.pathname === '/' ||
    url.hash !== '' ||
    url.username !== '' ||
    url.password !== ''
  )
    throw new TypeError('clientMetadataUrl must be an https: URL with a path, without fragment and credentials');
}

function redirectOf({ redirect, redirectUri }: OAuthOptions): Redirect {
  if (typeof redirect === 'function') {
    if (redirectUri === undefined) throw new TypeError('redirect is a function, which needs redirectUri beside it');
    checkRedirectUri(redirectUri);
    const open = { redirectUri, visit: redirect, close: () => {} };
    return { redirectUris: [redirectUri], open: async () => open };
  }
  if (typeof redirect !== 'object' || typeof redirect?.open !== 'function')
    throw new TypeError(
      'redirect must be given: loopback() of parley-mcp/node, popup(), page(), or a function with redirectUri',
    );
  if (redirectUri !== undefined) throw new TypeError('redirectUri is only for a redirect that is a function');
  redirect.redirectUris.forEach(checkRedirectUri);
  return redirect;
}

/** Spec 2025-11-25, Authorization, Communication Security; RFC 8252, section 7.1. */
function checkRedirectUri(text: string): void {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const own = url !== undefined && /^[a-z][a-z0-9+-]*(?:\.[a-z0-9+-]+)+:$/.test(url.protocol);
  const near = url?.protocol === 'http:' && isLoopback(url.hostname);
  if (url === undefined || url.hash !== '' || !(url.protocol === 'https:' || near || own))
    throw new TypeError(
      'a redirect URI must be an https: URL, an http: URL of this machine, or of a scheme such as com.example.app:',
    );
}
