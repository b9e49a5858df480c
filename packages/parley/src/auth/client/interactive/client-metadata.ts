/** Client metadata in the form of RFC 7591, for its registration and for the document at its URL. */

import { oauthSettings, type OAuthOptions, type OAuthSettings } from './oauth-options.ts';
import type { ClientAuthenticationMethod } from '../client-authentication.ts';

/** The use that is made of a client. */
export interface ClientUse {
  /** The redirect URI of the login first, and those that are registered with it. */
  readonly redirectUris: readonly string[];
  /** The grant type of a login that is by another one than codes. */
  readonly grantType?: string | undefined;
}

/** The metadata by which a client is registered. (RFC 7591, section 2; application_type of OpenID Connect.) */
export function clientMetadata(
  { metadata, applicationType, refresh }: OAuthSettings,
  { redirectUris, grantType }: ClientUse,
  method: ClientAuthenticationMethod,
): Readonly<Record<string, unknown>> {
  return {
    ...metadata,
    redirect_uris: redirectUris,
    application_type: applicationType ?? typeOf(redirectUris),
    grant_types: [
      'authorization_code',
      ...(grantType === undefined ? [] : [grantType]),
      ...(refresh ? ['refresh_token'] : []),
    ],
    response_types: ['code'],
    token_endpoint_auth_method: method,
  };
}

/**
 * Makes the document that a client publishes at its `clientMetadataUrl`, from the very options that `oauth` gets. Serve it there as JSON;
 * authorization servers read it in place of a registration.
 *
 * @throws TypeError for options that make no sense, or have no `clientMetadataUrl`.
 *
 * @example
 * const redirect = page({ navigate: (url) => location.assign(url), redirectUri: 'https://app.example/signed-in' });
 * const options = { clientMetadataUrl: 'https://app.example/client.json', redirect, metadata: { name: 'App' } };
 * const document = JSON.stringify(clientMetadataDocument(options));
 */
export function clientMetadataDocument(options: OAuthOptions): Readonly<Record<string, unknown>> {
  const settings = oauthSettings(options);
  const { clientMetadataUrl, redirect } = settings;
  if (clientMetadataUrl === undefined) throw new TypeError('a document of client metadata needs clientMetadataUrl');
  // Spec 2025-11-25, Client ID Metadata Documents: the id is the URL, byte for byte.
  return { client_id: clientMetadataUrl, ...clientMetadata(settings, redirect, 'none') };
}

/** Spec 2026-07-28, Dynamic Client Registration: an application of this machine is `native`, a page is `web`. */
function typeOf(redirectUris: readonly string[]): 'native' | 'web' {
  return redirectUris.every((uri) => uri.startsWith('https:')) ? 'web' : 'native';
}
