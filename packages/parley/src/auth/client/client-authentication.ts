/** Methods of client authentication at an authorization server. (RFC 6749, section 2.3; RFC 7523, section 2.2.) */

import type { ServerMetadata } from '../common/metadata.ts';
import type { KeySource } from '../common/signing-key.ts';

/** A method of client authentication that is spoken here. */
export type ClientAuthenticationMethod = 'none' | 'client_secret_basic' | 'client_secret_post' | 'private_key_jwt';

/** A client, as an authorization server knows it. */
export interface OAuthClient {
  readonly id: string;
  readonly secret?: string | undefined;
  /** The private key of `private_key_jwt`. */
  readonly key?: KeySource | undefined;
  readonly method: ClientAuthenticationMethod;
}

/** The methods that go with a secret, the best first. */
const secretMethods = ['client_secret_basic', 'client_secret_post'] as const;

/** All methods, written out: an expression that runs at load time would stay in every bundle. */
export const clientAuthenticationMethods: readonly ClientAuthenticationMethod[] = [
  'none',
  'client_secret_basic',
  'client_secret_post',
  'private_key_jwt',
];

/**
 * The default method of a client: by its credentials, and by the server's list. (RFC 8414, section 2: without a list, a
 * server takes `client_secret_basic`.)
 */
export function methodFor(
  client: { readonly secret?: string | undefined; readonly key?: unknown },
  listed: ServerMetadata['tokenEndpointAuthMethodsSupported'],
): ClientAuthenticationMethod {
  if (client.key !== undefined) return 'private_key_jwt';
  if (client.secret === undefined) return 'none';
  return secretMethods.find((method) => listed?.includes(method)) ?? 'client_secret_basic';
}

/** The method to register: `none` if the server supports it, since a secret inside a public program is not secret. */
export function methodToRegister({
  tokenEndpointAuthMethodsSupported: listed,
}: ServerMetadata): ClientAuthenticationMethod {
  if (listed === undefined) return 'client_secret_basic';
  return listed.includes('none') ? 'none' : (secretMethods.find((method) => listed.includes(method)) ?? 'none');
}

/** The method that can be used of what an authorization server registered. */
export function usableMethod(
  method: string | undefined,
  secret: string | undefined,
): ClientAuthenticationMethod | undefined {
  if (method === 'none') return method;
  const known = secretMethods.find((one) => one === method);
  return secret === undefined ? (method === undefined ? undefined : 'none') : known;
}
