/**
 * Assertions that authenticate this server at an authorization server, instead of a secret. (RFC 7523, section 2.2.)
 */

import { SignJWT } from 'jose';
import { signingKey, type KeySource } from '../../common/signing-key.ts';

/** For how long one is good, in seconds. */
const lifeSeconds = 60;

/** Client, key and audience of an assertion. */
export interface Asserted {
  readonly clientId: string;
  readonly key: KeySource;
  /** The issuer that is to take it. */
  readonly audience: string;
  /** In milliseconds since 1970. */
  readonly now: number;
}

/**
 * Makes the form fields that authenticate this server.
 *
 * @throws TypeError if the key is not a private key.
 */
export async function clientAssertion({
  clientId,
  key: source,
  audience,
  now,
}: Asserted): Promise<Readonly<Record<string, string>>> {
  const { key, kid } = await signingKey(source);
  const iat = Math.floor(now / 1000);
  const claims = { iss: clientId, sub: clientId, aud: audience, jti: crypto.randomUUID(), iat, exp: iat + lifeSeconds };
  const header = { alg: algorithmOf(key), ...(kid === undefined ? {} : { kid }) };
  return {
    client_id: clientId,
    client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    client_assertion: await new SignJWT(claims).setProtectedHeader(header).sign(key),
  };
}

const curves: Readonly<Record<string, string>> = { 'P-256': 'ES256', 'P-384': 'ES384', 'P-521': 'ES512' };
const kinds: Readonly<Record<string, string>> = { 'RSASSA-PKCS1-v1_5': 'RS', 'RSA-PSS': 'PS' };

/** The algorithm of JWS that a key is for. (RFC 7518, section 3.1; RFC 9864.) */
function algorithmOf({ algorithm }: CryptoKey): string {
  // WebCrypto has these fields for the keys that use them.
  const { name, namedCurve = '', hash } = algorithm as { name: string; namedCurve?: string; hash?: { name: string } };
  const kind = kinds[name];
  return kind === undefined ? (curves[namedCurve] ?? name) : `${kind}${hash?.name.replace('SHA-', '')}`;
}
