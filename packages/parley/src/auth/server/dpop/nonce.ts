/** Nonces for proofs: a time that only this server can have written. (RFC 9449, sections 8 and 9.) */

import { base64urlOf, utf8 } from '../../common/base64url.ts';

const lifeMs = 60_000;
/** From this age on a client is given another one with an answer. */
const renewMs = 30_000;

/** Makes and reads nonces. */
export class Nonces {
  readonly #key: Promise<CryptoKey>;
  readonly #now: () => number;

  constructor(now: () => number, key: Uint8Array = crypto.getRandomValues(new Uint8Array(32))) {
    this.#now = now;
    this.#key = crypto.subtle.importKey('raw', new Uint8Array(key), { name: 'HMAC', hash: 'SHA-256' }, false, [
      'sign',
      'verify',
    ]);
  }

  /** A nonce of now. */
  async make(): Promise<string> {
    const time = Math.floor(this.#now() / 1000).toString(36);
    const signature = await crypto.subtle.sign('HMAC', await this.#key, bytesOf(time));
    return `${time}.${base64urlOf(new Uint8Array(signature))}`;
  }

  /**
   * Checks a nonce: when it expires, in milliseconds since 1970, and whether it is time for another; `undefined` if it
   * is foreign or expired.
   */
  async read(nonce: unknown): Promise<{ readonly expiresAt: number; readonly isOld: boolean } | undefined> {
    const [, time, signature] =
      typeof nonce === 'string' ? (/^([0-9a-z]{1,10})\.([A-Za-z0-9_-]{43})$/.exec(nonce) ?? []) : [];
    if (time === undefined || signature === undefined) return undefined;
    const bytes = Uint8Array.from(atob(`${signature.replaceAll('-', '+').replaceAll('_', '/')}=`), (one) =>
      one.charCodeAt(0),
    );
    if (!(await crypto.subtle.verify('HMAC', await this.#key, bytes, bytesOf(time)))) return undefined;
    const age = this.#now() - Number.parseInt(time, 36) * 1000;
    // Another process that shares the key may be ahead.
    if (age >= lifeMs || age < -lifeMs) return undefined;
    return { expiresAt: this.#now() - age + lifeMs, isOld: age >= renewMs };
  }
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return utf8(`parley dpop nonce ${text}`);
}
