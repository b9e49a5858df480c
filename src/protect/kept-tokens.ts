/** The tokens that were verified lately. */

import type { AuthInfo } from '../host/endpoint.ts';
import type { HttpRefusal } from '../host/protection.ts';

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

/** Keeps tokens in memory alone. */
export class KeptTokens {
  readonly #tokens = new Map<string, KeptToken>();
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
    const kept = this.#tokens.get(header);
    if (kept === undefined) return undefined;
    const now = this.#now();
    // Where the clock was set back it would be kept for as long as that, beside its time.
    if (kept.until > now && kept.since <= now) return kept;
    this.#tokens.delete(header);
    return undefined;
  }

  keep(header: string, kept: KeptToken): void {
    this.#tokens.delete(header);
    if (kept.until <= this.#now()) return;
    this.#tokens.set(header, kept);
    const [oldest] = this.#tokens.keys();
    if (this.#tokens.size > mostTokens && oldest !== undefined) this.#tokens.delete(oldest);
  }

  /** Forgets tokens, so that they are verified anew. */
  revoke({ principal, jti }: Revoked): void {
    this.#revocations++;
    for (const [token, kept] of this.#tokens) {
      const isMeant =
        (principal !== undefined && kept.auth?.principal === principal) || (jti !== undefined && kept.jti === jti);
      if (isMeant) this.#tokens.delete(token);
    }
  }
}
