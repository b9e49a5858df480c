/** Private keys by which clients sign, in the forms in which people have them. */

import type { WebKey } from '../../sealing/web-crypto.ts';

/** A private key: one of Web Crypto, a JSON Web Key (RFC 7517), or the PEM text of PKCS #8. */
export type SigningKey =
  | WebKey
  | string
  | {
      readonly kty?: string;
      readonly alg?: string;
      readonly crv?: string;
      readonly x?: string;
      readonly y?: string;
      readonly n?: string;
      readonly e?: string;
      readonly d?: string;
      readonly p?: string;
      readonly q?: string;
      readonly dp?: string;
      readonly dq?: string;
      readonly qi?: string;
      readonly k?: string;
      readonly use?: string;
      readonly ext?: boolean;
    };

type JsonWebKeyFields = Exclude<SigningKey, WebKey | string>;

/** A private key with the id under which the authorization server knows it. */
export interface NamedKey {
  /** The private key. */
  readonly key: SigningKey;
  /** The `kid` of the key. */
  readonly kid?: string;
  /** The algorithm of a PEM, such as `RS256`; by default the one of its kind. */
  readonly alg?: string;
}

/** A key, or what gives it each time that it is needed. */
export type KeySource = SigningKey | NamedKey | (() => SigningKey | NamedKey | Promise<SigningKey | NamedKey>);

type Import = RsaHashedImportParams | EcKeyImportParams | Algorithm;

const hash = (bits: string): string => `SHA-${bits}`;

/** Parameters by which the algorithms of JWS import their keys. (RFC 7518, section 3.1; RFC 8037; RFC 9864.) */
const imports: Readonly<Record<string, Import>> = {
  ES256: { name: 'ECDSA', namedCurve: 'P-256' },
  ES384: { name: 'ECDSA', namedCurve: 'P-384' },
  ES512: { name: 'ECDSA', namedCurve: 'P-521' },
  RS256: { name: 'RSASSA-PKCS1-v1_5', hash: hash('256') },
  RS384: { name: 'RSASSA-PKCS1-v1_5', hash: hash('384') },
  RS512: { name: 'RSASSA-PKCS1-v1_5', hash: hash('512') },
  PS256: { name: 'RSA-PSS', hash: hash('256') },
  PS384: { name: 'RSA-PSS', hash: hash('384') },
  PS512: { name: 'RSA-PSS', hash: hash('512') },
  EdDSA: { name: 'Ed25519' },
  Ed25519: { name: 'Ed25519' },
};

/** The algorithms that a PEM without a named one may be for, by the object identifiers in it (as bytes in hexadecimal). */
const identifiers: readonly (readonly [string, string])[] = [
  ['06082a8648ce3d030107', 'ES256'],
  ['06052b81040022', 'ES384'],
  ['06052b81040023', 'ES512'],
  ['06092a864886f70d010101', 'RS256'],
  ['06032b6570', 'Ed25519'],
];

/**
 * The key in the form of WebCrypto, with its id.
 *
 * @throws TypeError if it is not a private key. No part of it is shown.
 */
export async function signingKey(source: KeySource): Promise<{ readonly key: WebKey; readonly kid?: string }> {
  const given = typeof source === 'function' ? await source() : source;
  const { key, kid, alg } = isNamed(given) ? given : { key: given, kid: undefined, alg: undefined };
  if (typeof key === 'string') return { key: await fromPem(key, alg), ...(kid === undefined ? {} : { kid }) };
  if (key instanceof CryptoKey) return { key, ...(kid === undefined ? {} : { kid }) };
  const own = kid ?? ('kid' in key && typeof key.kid === 'string' ? key.kid : undefined);
  return { key: await fromJwk(key, alg), ...(own === undefined ? {} : { kid: own }) };
}

function isNamed(given: SigningKey | NamedKey): given is NamedKey {
  return typeof given === 'object' && 'key' in given;
}

async function fromPem(text: string, alg: string | undefined): Promise<CryptoKey> {
  const body = /-----BEGIN PRIVATE KEY-----([A-Za-z0-9+/=\s]+)-----END PRIVATE KEY-----/.exec(text)?.[1];
  if (body === undefined) throw new TypeError('the key is no PEM of a private key in PKCS #8 ("BEGIN PRIVATE KEY")');
  const bytes = bytesIn(body.replaceAll(/\s/g, ''));
  const hexadecimal = Array.from(bytes.subarray(0, 64), (byte) => byte.toString(16).padStart(2, '0')).join('');
  const found = alg ?? identifiers.find(([identifier]) => hexadecimal.includes(identifier))?.[1];
  return await imported('pkcs8', bytes, found);
}

function bytesIn(base64: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
  } catch {
    throw new TypeError('the key is a PEM that is damaged: what stands in it is no Base64');
  }
}

async function fromJwk(jwk: JsonWebKeyFields, alg: string | undefined): Promise<CryptoKey> {
  const curve = { 'P-256': 'ES256', 'P-384': 'ES384', 'P-521': 'ES512', Ed25519: 'Ed25519' }[jwk.crv ?? ''];
  return await imported('jwk', jwk, alg ?? jwk.alg ?? curve ?? (jwk.kty === 'RSA' ? 'RS256' : undefined));
}

async function imported(
  form: 'pkcs8' | 'jwk',
  key: BufferSource | JsonWebKeyFields,
  alg: string | undefined,
): Promise<CryptoKey> {
  const how = alg !== undefined && Object.hasOwn(imports, alg) ? imports[alg] : undefined;
  if (how === undefined)
    throw new TypeError(
      `the key is for no asymmetric algorithm that is known here (${Object.keys(imports).join(', ')})`,
    );
  try {
    return form === 'jwk'
      ? // The form says which of the two it is.
        await crypto.subtle.importKey('jwk', key as JsonWebKeyFields, how, false, ['sign'])
      : await crypto.subtle.importKey('pkcs8', key as BufferSource, how, false, ['sign']);
  } catch {
    throw new TypeError(`the key is no private key for ${alg}`);
  }
}
