/** Proofs that the user of a token holds the key that it is bound to. (RFC 9449.) */

import { setNewest } from '../../jsonrpc/newest.ts';
import type { WebKey, WebKeyPair } from '../../sealing/web-crypto.ts';
import type { CredentialKey, CredentialStore } from '../../storage/credentials.ts';
import { base64urlOf, jsonPart, utf8 } from '../common/base64url.ts';

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

/** Limit of origins with a stored nonce. */
const maxNonces = 100;

/** Something to prove: one attempt of one request. */
export interface Proven {
  /** The HTTP method. */
  readonly method: string;
  readonly url: URL;
  /** The token of the request, if it has one. */
  readonly token?: string | undefined;
}

/** Makes proofs with one key, which is made on first use and stored. */
export class DpopProver {
  readonly #keys: () => Promise<DpopKeys>;
  readonly #now: () => number;
  /** By origin. (RFC 9449, sections 8.2 and 9.) */
  readonly #nonces = new Map<string, string>();
  #made: Promise<DpopKeys> | undefined;

  constructor(keys: () => Promise<DpopKeys>, now: () => number) {
    this.#keys = keys;
    this.#now = now;
  }

  /** A proof of its own for each attempt. (RFC 9449, section 4.2.) */
  async proof({ method, url, token }: Proven): Promise<string> {
    this.#made ??= this.#keys().catch((error: unknown) => {
      this.#made = undefined;
      throw error;
    });
    const { privateKey, jwk } = await this.#made;
    const nonce = this.#nonces.get(url.origin);
    const header = { alg: 'ES256', typ: 'dpop+jwt', jwk };
    const payload = {
      jti: base64urlOf(crypto.getRandomValues(new Uint8Array(16))),
      htm: method,
      htu: `${url.origin}${url.pathname}`,
      iat: Math.floor(this.#now() / 1000),
      ...(token === undefined ? {} : { ath: base64urlOf(await crypto.subtle.digest('SHA-256', utf8(token))) }),
      ...(nonce === undefined ? {} : { nonce }),
    };
    const signed = `${jsonPart(header)}.${jsonPart(payload)}`;
    return `${signed}.${base64urlOf(await crypto.subtle.sign(algorithm, privateKey, utf8(signed)))}`;
  }

  /** Remembers the nonce that an answer brings, which any may. Gives whether it is another than before. */
  answered(url: URL, nonce: string | undefined): boolean {
    if (nonce === undefined || !/^[\x21\x23-\x5b\x5d-\x7e]{1,1024}$/.test(nonce)) return false;
    const isNew = this.#nonces.get(url.origin) !== nonce;
    setNewest(this.#nonces, maxNonces, [url.origin, nonce]);
    return isNew;
  }
}

/** The pair of keys, with the public one as proofs show it. */
export interface DpopKeys {
  readonly privateKey: WebKey;
  readonly jwk: Readonly<Record<string, string | undefined>>;
}

/**
 * The key pair for an authorization server, made on first use. If the store supports it, the private key cannot be
 * extracted.
 */
export async function keysIn(store: CredentialStore, key: CredentialKey): Promise<DpopKeys> {
  if (store.keyPair !== undefined) {
    const make = async (): Promise<WebKeyPair> => await crypto.subtle.generateKey(algorithm, false, ['sign', 'verify']);
    const { privateKey, publicKey } = await store.keyPair(key, make);
    return { privateKey, jwk: publicOf(await crypto.subtle.exportKey('jwk', publicKey)) };
  }
  const pair = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const made = JSON.stringify(await crypto.subtle.exportKey('jwk', pair.privateKey));
  const kept = await store.read(key);
  const text =
    kept?.text ?? ((await store.write(key, made, { ifGeneration: null })) ? made : (await store.read(key))?.text);
  return await keysOf(text ?? made, key.issuer);
}

async function keysOf(text: string, issuer: string): Promise<DpopKeys> {
  try {
    // Only our own code writes this text.
    const jwk = JSON.parse(text) as JsonWebKey;
    const privateKey = await crypto.subtle.importKey('jwk', jwk, algorithm, false, ['sign']);
    return { privateKey, jwk: publicOf(jwk) };
  } catch {
    // The errors of the platform show a part of it.
    throw new Error(`the key (DPoP) for the tokens of ${issuer} is damaged; remove it, and sign in again`);
  }
}

function publicOf({ kty, crv, x, y }: JsonWebKey): DpopKeys['jwk'] {
  return { kty, crv, x, y };
}
