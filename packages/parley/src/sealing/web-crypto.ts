/**
 * Types of Web Crypto by the names that every set of types has: programs for Node whose `lib` is without the DOM know no
 * `CryptoKey`, and those for browsers know no `node:crypto`.
 */

/** A key of Web Crypto (`CryptoKey`). */
export type WebKey = Parameters<typeof globalThis.crypto.subtle.sign>[1];

/** A private key of Web Crypto with its public one (`CryptoKeyPair`). */
export interface WebKeyPair {
  /** The private key. */
  readonly privateKey: WebKey;
  /** The public key. */
  readonly publicKey: WebKey;
}
