/**
 * Types of Web Crypto by the names that every set of types has: programs for Node whose `lib` is without the DOM know no
 * `CryptoKey`, and those for browsers know no `node:crypto`.
 */

/** A key of Web Crypto (`CryptoKey`). */
export type WebKey = Parameters<typeof globalThis.crypto.subtle.sign>[1];

/** A private key of Web Crypto with its public one (`CryptoKeyPair`). */
export interface WebKeyPair {
  readonly privateKey: WebKey;
  readonly publicKey: WebKey;
}

/** A JSON Web Key (RFC 7517, section 4; RFC 7518, section 6). */
export interface JsonWebKeyFields {
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
}
