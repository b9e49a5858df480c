/** The tokens that were verified lately. */

import type { AuthInfo } from '../../server/runtime/endpoint.ts';
import type { HttpRefusal } from '../../server/runtime/protection.ts';

/** The most tokens that are kept; the one that was verified longest ago is forgotten first. */
const mostTokens = 5000;

/** A verified token. */
export interface KeptToken {
  /** Caller that it is about, where they may pass. */
  readonly auth: AuthInfo | undefined;
  /** Answer to who may not pass. */
  readonly refusal: HttpRefusal | undefined;
  /** The thumbprint of the key that it is bound to. (RFC 7800, section 3.) */
  readonly boundTo: string | undefined;
  /** True when it is enough to have it. */
  readonly needsNoProof: boolean;
  /** Its own id. */
  readonly jti: unknown;
  /** Time at which it was verified, and time until which it is kept, in milliseconds since 1970. */
  readonly since: number;
  readonly until: number;
}

/** Names the tokens to forget: those of a principal, or the one of an id. */
export interface Revoked {
  readonly principal?: string;
  readonly jti?: string;
}

/** Number of characters at the end of a header by which it is looked for first. */
const endCharacters = 24;

/** A token under the header that it came in. */
interface Kept {
  readonly header: string;
  readonly token: KeptToken;
}

/** Keeps tokens in memory alone. */
export class KeptTokens {
  /**
   * By the end of the header, mostly a part of a signature: to hash all of it takes ten times as long as to compare it with the one
   * that ends so. One that ends like another one is there as a whole.
   */
  readonly #tokens = new Map<string, Kept>();
  readonly #now: () => number;
  #revocations = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Another number after each revocation: what was asked before it is not to be kept. */
  get revocations(): number {
    return this.#revocations;
  }

  /** @param header The whole `Authorization` header, so that a token that comes in another way is another one. */
  find(header: string): KeptToken | undefined {
    const key = this.#keyOf(header);
    const kept = this.#tokens.get(key);
    if (kept?.header !== header) return undefined;
    const { token } = kept;
    const now = this.#now();
    // Where the clock was set back it would be kept for as long as that, beside its time.
    if (token.until > now && token.since <= now) return token;
    this.#tokens.delete(key);
    return undefined;
  }

  keep(header: string, token: KeptToken): void {
    const key = this.#keyOf(header);
    this.#tokens.delete(key);
    if (token.until <= this.#now()) return;
    this.#tokens.set(key, { header, token });
    const [oldest] = this.#tokens.keys();
    if (this.#tokens.size > mostTokens && oldest !== undefined) this.#tokens.delete(oldest);
  }

  /** The end of a header where it is free, or that header's own; else the whole. */
  #keyOf(header: string): string {
    const end = header.slice(-endCharacters);
    const there = this.#tokens.get(end);
    return there === undefined ? (this.#tokens.has(header) ? header : end) : there.header === header ? end : header;
  }

  /** Forgets tokens, so that they are verified anew. */
  revoke({ principal, jti }: Revoked): void {
    this.#revocations++;
    for (const [key, { token: kept }] of this.#tokens) {
      const isMeant =
        (principal !== undefined && kept.auth?.principal === principal) || (jti !== undefined && kept.jti === jti);
      if (isMeant) this.#tokens.delete(key);
    }
  }
}
