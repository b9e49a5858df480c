/** The tokens that were verified lately. */

import type { AuthInfo } from '../../server/runtime/request-handler.ts';
import type { HttpRefusal } from '../../server/runtime/protection.ts';

/** Limit of cached tokens. The one that was verified longest ago is dropped first. */
const maxTokens = 5000;

/** A verified token. */
export interface StoredToken {
  /** Caller that it is about, where they may pass. */
  readonly auth: AuthInfo | undefined;
  /** Answer to a refused caller. */
  readonly refusal: HttpRefusal | undefined;
  /** The thumbprint of the key that it is bound to. (RFC 7800, section 3.) */
  readonly boundTo: string | undefined;
  /** True when it is enough to have it. */
  readonly needsNoProof: boolean;
  /** Its own id. */
  readonly jti: unknown;
  /** Time of its verification, and end of its lifetime in the cache, in milliseconds since 1970. */
  readonly since: number;
  readonly until: number;
}

/** Names the tokens to forget: those of a principal, or the one of an id. */
export interface Revoked {
  /** The principal whose tokens are revoked. */
  readonly principal?: string;
  /** The id of the revoked token. */
  readonly jti?: string;
}

/** Number of characters at the end of a header that serve as the first key. */
const endCharacters = 24;

/** A token under the header that it came in. */
interface Kept {
  readonly header: string;
  readonly token: StoredToken;
}

/** Keeps tokens in memory alone. */
export class StoredTokens {
  /**
   * By the end of the header, mostly a part of a signature: comparing the header with the one that ends so takes a
   * tenth of the time of hashing all of it. A second header with the same end is stored under its full text.
   */
  readonly #tokens = new Map<string, Kept>();
  readonly #now: () => number;
  #revocations = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** A different number after each revocation. Verifications from before must not be cached. */
  get revocations(): number {
    return this.#revocations;
  }

  /** @param header The whole `Authorization` header, so that a token that comes in another way is another one. */
  find(header: string): StoredToken | undefined {
    const key = this.#keyOf(header);
    const kept = this.#tokens.get(key);
    if (kept?.header !== header) return undefined;
    const { token } = kept;
    const now = this.#now();
    // If the clock was set back, the token would stay in the cache for that time too.
    if (token.until > now && token.since <= now) return token;
    this.#tokens.delete(key);
    return undefined;
  }

  keep(header: string, token: StoredToken): void {
    const key = this.#keyOf(header);
    this.#tokens.delete(key);
    if (token.until <= this.#now()) return;
    this.#tokens.set(key, { header, token });
    const [oldest] = this.#tokens.keys();
    if (this.#tokens.size > maxTokens && oldest !== undefined) this.#tokens.delete(oldest);
  }

  /** The end of a header if it is free or belongs to this header; otherwise the whole header. */
  #keyOf(header: string): string {
    const end = header.slice(-endCharacters);
    const there = this.#tokens.get(end);
    return there === undefined ? (this.#tokens.has(header) ? header : end) : there.header === header ? end : header;
  }

  /** Drops tokens, so that they are verified again. */
  revoke({ principal, jti }: Revoked): void {
    this.#revocations++;
    for (const [key, { token: kept }] of this.#tokens) {
      const isMeant =
        (principal !== undefined && kept.auth?.principal === principal) || (jti !== undefined && kept.jti === jti);
      if (isMeant) this.#tokens.delete(key);
    }
  }
}
