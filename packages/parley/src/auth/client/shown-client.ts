/** Proof of a client at a token endpoint. (RFC 6749, section 2.3; RFC 7523, section 2.2.) */

import { ClientSecretPost, None, PrivateKeyJwt, type ClientAuth } from 'oauth4webapi';
import { AuthorizationError } from '../common/errors.ts';
import { signingKey } from '../common/signing-key.ts';
import type { OAuthClient } from './client-authentication.ts';

/**
 * Makes the client authentication for a token endpoint.
 *
 * @throws AuthorizationError `invalid-client` if the client lacks the credentials for its method.
 */
export function authenticationOf({ id, method, secret, key }: OAuthClient, issuer: string): ClientAuth {
  if (method === 'none') return None();
  if (method === 'private_key_jwt' && key !== undefined)
    return async (...given) => PrivateKeyJwt(await signingKey(key))(...given);
  if (secret === undefined || method === 'private_key_jwt')
    throw new AuthorizationError('invalid-client', `the client ${id} has nothing for ${method} at ${issuer}`, {
      issuer,
    });
  return method === 'client_secret_post' ? ClientSecretPost(secret) : basic(secret);
}

/**
 * RFC 6749, section 2.3.1 and appendix B. Characters that forms leave as they are stay so: not every server decodes them. The id stands
 * in the body too, as section 3.2.1 lets it: the servers of the official SDK of Python look for it there alone.
 */
function basic(secret: string): ClientAuth {
  return (_, { client_id: id }, body, headers) => {
    body.set('client_id', id);
    headers.set('authorization', `Basic ${btoa(`${formText(id)}:${formText(secret)}`)}`);
  };
}

function formText(text: string): string {
  return new URLSearchParams([['', text]]).toString().slice(1);
}
