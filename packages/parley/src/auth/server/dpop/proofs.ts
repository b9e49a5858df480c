/** Proofs that who presents a token has the key that it is bound to. (RFC 9449, sections 4.3 and 7.) */

import { calculateJwkThumbprint, EmbeddedJWK, errors, jwtVerify, type JWTPayload } from 'jose';
import { base64urlOf } from '../../common/base64url.ts';
import type { HttpRequest } from '../../../server/runtime/protection.ts';
import type { DpopSettings, ReplayStore } from './options.ts';
import { Nonces } from './nonce.ts';
import { skew } from '../jwt.ts';
import { OutOfReach, ProofProblem, TokenProblem } from '../problem.ts';
import { memoryReplay } from './replay.ts';

/** The longest proof, and the longest id of one. */
const mostCharacters = 8192;
const maxOfId = 512;

/** Time from now within which a proof may have been made, in milliseconds. */
const windowMs = 5 * 60_000;

/** Token and key that a proof must be for. */
interface Bound {
  readonly token: string;
  /** The thumbprint of the key. */
  readonly boundTo: string | undefined;
}

/** A proof with a valid signature. */
interface Signed {
  readonly claims: JWTPayload;
  readonly thumbprint: string;
}

/** Checks proofs, each of which is good once. */
export class DpopProofs {
  readonly #settings: DpopSettings;
  readonly #now: () => number;
  readonly #nonces: Nonces;
  readonly #replay: ReplayStore;
  /** Proofs with a nonce expire soon, and so find room where others do not. */
  readonly #replayOfNonces: ReplayStore;
  /** Time by which they are remembered longer than they pass: the clocks of those who share a store differ. */
  readonly #longerMs: number;

  constructor(settings: DpopSettings, now: () => number) {
    this.#settings = settings;
    this.#now = now;
    this.#nonces = new Nonces(now, settings.nonceKey);
    this.#replay = settings.replay ?? memoryReplay(now);
    this.#replayOfNonces = settings.replay ?? memoryReplay(now);
    this.#longerMs = settings.replay === undefined ? 1 : skew * 1000;
  }

  /**
   * Checks the proof of a request.
   *
   * @returns A nonce for the client's next proof, if it is time for one.
   * @throws ProofProblem, or TokenProblem if the proof is valid and the key is not the token's.
   */
  async check(request: HttpRequest, bound: Bound): Promise<string | undefined> {
    const proof = request.header('dpop');
    if (proof === undefined) throw new ProofProblem('the DPoP header is missing');
    const signed = await this.#verified(proof);
    this.#fits(signed.claims, request);
    await this.#isFor(signed, bound);
    const nonce = await this.#nonces.read(signed.claims['nonce']);
    if (nonce === undefined && (this.#settings.nonce || signed.claims['nonce'] !== undefined)) throw nonceWanted();
    // Until then the proof would pass again.
    const expiresAt = nonce?.expiresAt ?? Number(signed.claims.iat) * 1000 + windowMs;
    await this.#useOnce(signed, nonce === undefined, expiresAt);
    return nonce?.isOld === true ? this.#nonces.make() : undefined;
  }

  /** The header field of a refusal, if the client must use a nonce. */
  async nonceHeader(isWanted: boolean): Promise<Readonly<Record<string, string>>> {
    return isWanted || this.#settings.nonce ? { 'DPoP-Nonce': await this.#nonces.make() } : {};
  }

  /** The signature, and what belongs to it: steps 1 to 7 of section 4.3. */
  async #verified(proof: string): Promise<Signed> {
    // Several headers are one with commas, which no JWT has.
    if (proof.length > mostCharacters || !/^[\w-]+\.[\w-]+\.[\w-]+$/.test(proof))
      throw new ProofProblem('the DPoP header must be one JWT');
    try {
      const { payload, protectedHeader } = await jwtVerify(proof, keyOf, {
        algorithms: [...this.#settings.algorithms],
        typ: 'dpop+jwt',
        requiredClaims: ['jti', 'htm', 'htu', 'iat', 'ath'],
        currentDate: new Date(this.#now()),
      });
      const { jwk = {} } = protectedHeader;
      // RFC 9449, section 4.2: not even by mistake.
      if (['d', 'p', 'q', 'dp', 'dq', 'qi', 'k', 'priv'].some((name) => name in jwk))
        throw new ProofProblem('the key of the proof must be public');
      return { claims: payload, thumbprint: await calculateJwkThumbprint(jwk) };
    } catch (cause) {
      // A key that is too short is a TypeError.
      if (!(cause instanceof errors.JOSEError || cause instanceof TypeError)) throw cause;
      throw new ProofProblem('the proof of the key does not hold');
    }
  }

  /** Method, URL and time: steps 8, 9 and 11. */
  #fits({ htm, htu, iat, jti }: JWTPayload, request: HttpRequest): void {
    if (htm !== request.method) throw new ProofProblem('the proof is for another method');
    if (!this.#isUrlOf(htu, request)) throw new ProofProblem('the proof is for another URL');
    if (typeof jti !== 'string' || jti === '' || jti.length > maxOfId)
      throw new ProofProblem('the proof has no usable jti');
    if (typeof iat !== 'number' || Math.abs(iat * 1000 - this.#now()) > windowMs)
      throw new ProofProblem('the proof was not made within five minutes of now');
  }

  /** Compares with the URL that clients know the server by, and not with Host, which a proxy may change. */
  #isUrlOf(htu: unknown, { path }: HttpRequest): boolean {
    const { resource } = this.#settings;
    const given = typeof htu === 'string' && URL.canParse(htu) ? new URL(htu) : undefined;
    if (given === undefined || given.origin !== resource.origin) return false;
    const asked = URL.canParse(path, resource.origin) ? new URL(path, resource.origin) : undefined;
    return given.pathname === resource.pathname || given.pathname === asked?.pathname;
  }

  /** The token and its key: step 12. */
  async #isFor({ claims, thumbprint }: Signed, { token, boundTo }: Bound): Promise<void> {
    const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(token));
    if (claims['ath'] !== base64urlOf(hash)) throw new ProofProblem('the proof is for another access token');
    if (thumbprint !== boundTo) throw new TokenProblem('unbound');
  }

  async #useOnce({ claims, thumbprint }: Signed, isPlain: boolean, expiresAt: number): Promise<void> {
    const store = isPlain ? this.#replay : this.#replayOfNonces;
    const added = await this.#added(store, `${thumbprint}.${String(claims.jti)}`, expiresAt + this.#longerMs);
    if (added === true) return;
    if (added === false) throw new ProofProblem('the proof was used before');
    // Where nothing may be forgotten and there is no room, only what expires sooner can be taken.
    throw isPlain ? nonceWanted() : new OutOfReach(new Error('there is no room to remember used proofs'));
  }

  async #added(store: ReplayStore, proof: string, expiresAt: number): Promise<boolean | 'full'> {
    try {
      return await store.add(proof, expiresAt);
    } catch (cause) {
      throw new OutOfReach(cause);
    }
  }
}

/** The longest modulus and exponent of RSA that are taken, in characters: 4096 bits, and the 17 of the usual one with some more. */
const maxOfModulus = 684;
const maxOfExponent = 6;

/**
 * Takes the key of a proof, unless it was chosen to make checking a signature a hundred times as expensive.
 *
 * @throws ProofProblem for that, and for an invalid key.
 */
async function keyOf(...[header, token]: Parameters<typeof EmbeddedJWK>): ReturnType<typeof EmbeddedJWK> {
  const { n, e } = header?.jwk ?? {};
  if (isLonger(n, maxOfModulus) || isLonger(e, maxOfExponent))
    throw new ProofProblem('the key of the proof is larger than is taken');
  try {
    return await EmbeddedJWK(header, token);
  } catch {
    // Platforms report a point that is not on the curve with different errors.
    throw new ProofProblem('the proof of the key does not hold');
  }
}

function isLonger(text: unknown, most: number): boolean {
  return typeof text === 'string' && text.length > most;
}

function nonceWanted(): ProofProblem {
  return new ProofProblem('the proof needs a nonce of this server', 'use_dpop_nonce');
}
