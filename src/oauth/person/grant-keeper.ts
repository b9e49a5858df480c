/** The grant that is used at one server: kept in a store that others may share, and renewed as one transaction. */

import { hasFields } from '../../auth/fields.ts';
import { AuthorizationError } from '../../auth/errors.ts';
import { jsonOf } from '../../auth/document.ts';
import type { ServerMetadata } from '../../auth/metadata.ts';
import { canonicalResource } from '../../auth/resource-url.ts';
import { monotonicNow, settledWithin } from '../../jsonrpc/timeout.ts';
import { credentialKeyText, type CredentialKey, type CredentialStore } from '../../store/credentials.ts';
import type { OAuthClient } from '../client-authentication.ts';
import type { DpopProver } from '../dpop.ts';
import { grantOf, grantText, readGrant, renewFrom, type Grant } from '../grant.ts';
import { limited, type Site } from '../site.ts';
import type { Endpoints } from '../token-request.ts';
import type { TokenAnswer } from '../token-response.ts';

/** The needs of keeping grants beside the server. */
export interface KeeperOptions {
  readonly store: CredentialStore;
  readonly account: string | undefined;
  /** True when grants are renewed. */
  readonly refresh: boolean;
  /** The client that a grant was given to; `undefined` where nothing is known of it any more. */
  clientOf(grant: Grant): Promise<OAuthClient | undefined>;
  /** Hears that the authorization server knows the client no longer. */
  clientLost(grant: Grant): Promise<void>;
  proverOf(grant: Grant): DpopProver | undefined;
}

/** The longest that a renewal takes, in milliseconds, with the wait for others who renew. */
const transactionMs = 20_000;

/** The longest that one attempt of a request waits for a renewal, which goes on without it; in milliseconds. */
const patienceMs = 8_000;

/** A lock is held for sure for so long after it was got, whether the process stood still or not; in milliseconds. */
const sureMs = 5_000;

/** The shortest time between two attempts while the authorization server fails, in milliseconds; it doubles. */
const pauseMs = 2_000;
const longestPauseMs = 60_000;

/** Outcome of a renewal: another token is there, none can be had by it, or nobody knows yet. */
export type Renewal = 'renewed' | 'impossible';

/** Keeps the grant of one server. */
export class GrantKeeper {
  readonly #site: Site;
  readonly #options: KeeperOptions;
  #grant: Grant | undefined;
  #generation: string | undefined;
  #loading: Promise<void> | undefined;
  #renewing: Renewing | undefined;
  /** The token endpoint that an authorization server names now. */
  #found: Pick<Endpoints, 'issuer' | 'token'> | undefined;
  /** The last failure, how often it failed in a row, and until when it is not tried again, by the monotonic clock. */
  #failure: { readonly error: unknown; readonly times: number; readonly until: number } | undefined;
  readonly #random = Math.random();

  constructor(site: Site, options: KeeperOptions) {
    this.#site = site;
    this.#options = options;
  }

  /** The grant, once it was looked for. */
  get grant(): Grant | undefined {
    return this.#grant;
  }

  /** Looks once for what was kept; a promise only where that is still to be done. */
  ready(): Promise<void> | undefined {
    if (this.#loading === undefined)
      this.#loading = this.load().catch((error: unknown) => {
        this.#loading = undefined;
        throw error;
      });
    else if (this.#loaded) return undefined;
    return this.#loading;
  }

  #loaded = false;

  /** Looks again for what is kept: others who share the store may have got something else. */
  async load(): Promise<void> {
    const key = await this.#keptKey();
    const found = key === undefined ? undefined : await this.#options.store.read(key);
    const grant = readGrant(found?.text);
    // Who wants bound tokens has no use for another one that was kept.
    const isWanted = grant?.scheme === 'DPoP' || this.#site.options.dpop !== 'always';
    if (isWanted) this.#adopt(grant, found?.generation);
    else this.#adopt(undefined, undefined);
    this.#loaded = true;
  }

  /** The key of the grant that is kept for the server. */
  async #keptKey(): Promise<CredentialKey | undefined> {
    const kept = await this.#options.store.read(this.#serverKey);
    const finding = kept === undefined ? undefined : jsonOf(kept.text);
    if (!hasFields(finding)) return undefined;
    const { issuer, resource, client } = finding;
    const isWhole = typeof issuer === 'string' && typeof resource === 'string' && typeof client === 'string';
    return isWhole ? this.#key({ issuer, resource, client }) : undefined;
  }

  /** Keeps what was just granted, in place of what was there. */
  async save(grant: Grant): Promise<void> {
    const { store } = this.#options;
    const { resource, client } = grant;
    const { issuer } = grant.endpoints;
    const key = this.#key({ issuer, resource, client });
    await store.write(key, grantText(grant));
    await store.write(this.#serverKey, JSON.stringify({ issuer, resource, client }));
    this.#adopt(grant, (await store.read(key))?.generation);
    this.#loaded = true;
  }

  /** Deletes the grant, whoever renewed it meanwhile. */
  async forget(): Promise<void> {
    const { store } = this.#options;
    const keys = [await this.#keptKey(), this.#grant && this.#keyOf(this.#grant), this.#serverKey];
    for (const key of keys) if (key !== undefined) await store.write(key, undefined);
    this.#adopt(undefined, undefined);
  }

  /** Tells whether the token is no longer valid, or will not be soon, and can be renewed now. */
  due(): 'expired' | 'soon' | 'no' {
    const grant = this.#grant;
    const now = this.#site.now();
    if (grant === undefined || !this.renewable || grant.expiresAt === undefined || this.#failedLately()) return 'no';
    if (now >= grant.expiresAt) return 'expired';
    return now >= renewFrom(grant, this.#random) ? 'soon' : 'no';
  }

  /** True when there is anything to renew the grant by. */
  get renewable(): boolean {
    return this.#options.refresh && this.#grant?.refreshToken !== undefined;
  }

  /**
   * Renews the grant: whoever shares the store does so one at a time, and uses what another one got meanwhile.
   *
   * @throws AuthorizationError `server-error` when it may be possible later; nothing is lost then.
   */
  async renew(): Promise<Renewal> {
    // Who is refused meanwhile would only wait for the same again.
    if (this.#renewing === undefined && this.#failedLately()) throw this.#failure?.error;
    const wanted = this.#grant?.accessToken;
    const renewing = (this.#renewing ??= this.#begin());
    if (!(await settledWithin(patienceMs, renewing.result))) throw this.#late(patienceMs);
    const outcome = await renewing.result;
    // What was under way may have been about what there was before another one signed in.
    return outcome === 'impossible' && renewing.of !== wanted ? await this.renew() : outcome;
  }

  #begin(): Renewing {
    const result = this.#renew().finally(() => (this.#renewing = undefined));
    return { of: this.#grant?.accessToken, result };
  }

  #failedLately(): boolean {
    return this.#failure !== undefined && monotonicNow() < this.#failure.until;
  }

  /** Waits for a renewal that is under way: the tokens by which it renews are good once. */
  async rest(): Promise<void> {
    await this.#renewing?.result.catch(() => undefined);
  }

  async #renew(): Promise<Renewal> {
    const before = this.#grant;
    if (before === undefined || !this.renewable) return 'impossible';
    const late = (): AuthorizationError => this.#late(transactionMs);
    const key = this.#keyOf(before);
    try {
      const outcome = await limited({ ms: transactionMs, signal: new AbortController().signal, late }, (signal) =>
        this.#locked({ key, before, signal }),
      );
      this.#failure = undefined;
      return outcome;
    } catch (error) {
      const times = (this.#failure?.times ?? 0) + 1;
      const until = monotonicNow() + Math.min(longestPauseMs, pauseMs * 2 ** Math.min(times - 1, 10));
      this.#failure = { error, times, until };
      throw error;
    }
  }

  #late(ms: number): AuthorizationError {
    const issuer = this.#grant?.endpoints.issuer;
    const words = `the grant of ${issuer ?? 'this server'} was not renewed within ${ms / 1000} s; try again later`;
    return new AuthorizationError('server-error', words, { issuer });
  }

  /** One transaction under the lock; another one where this process stood still in the middle of it. */
  async #locked(transaction: Transaction): Promise<Renewal> {
    const { key, signal } = transaction;
    const stoodStill = new AuthorizationError(
      'server-error',
      'the grant was not renewed, since this process stood still meanwhile; try again',
    );
    const transact = (lost: AbortSignal): Promise<Renewal> => {
      const since = monotonicNow();
      const require = (): void => {
        if (lost.aborted || monotonicNow() - since > sureMs) throw stoodStill;
      };
      return this.#transact({ ...transaction, require });
    };
    for (let again = false; ; again = true)
      try {
        return await this.#options.store.lock(key, transact, signal);
      } catch (error) {
        if (error !== stoodStill || again) throw error;
      }
  }

  async #transact({ key, before, signal, require }: LockedTransaction): Promise<Renewal> {
    const { store } = this.#options;
    const kept = await store.read(key);
    const there = readGrant(kept?.text);
    if (kept === undefined || there === undefined) {
      this.#adoptAt(key, undefined, undefined);
      return 'impossible';
    }
    if (kept.generation !== this.#generation && there.accessToken !== before.accessToken) {
      this.#adoptAt(key, there, kept.generation);
      return 'renewed';
    }
    const { refreshToken } = there;
    const client = await this.#options.clientOf(there);
    if (refreshToken === undefined || client === undefined) return 'impossible';
    let answer: TokenAnswer;
    try {
      const late = await import('../token-request.ts');
      const { fetch } = this.#site;
      // What others may have used by now is not used again.
      const site: Site = { ...this.#site, fetch: async (url, request) => (require(), await fetch(url, request)) };
      answer = await late.requestTokens(site, {
        endpoints: this.#endpointsOf(there),
        client,
        grantType: 'refresh_token',
        parameters: { refresh_token: refreshToken },
        resource: there.resource,
        prover: this.#options.proverOf(there),
        signal,
      });
    } catch (error) {
      return await this.#failed(error, { key, there, generation: kept.generation });
    }
    const { resource, endpoints, requested } = there;
    const next = grantOf(answer, {
      resource,
      client: there.client,
      endpoints,
      requested,
      now: this.#site.now(),
      before: there,
    });
    if (!(await store.write(key, grantText(next), { ifGeneration: kept.generation }))) {
      // Somebody signed in anew, or out, while we renewed: that counts.
      await this.load();
      return this.#grant === undefined ? 'impossible' : 'renewed';
    }
    this.#adoptAt(key, next, (await store.read(key))?.generation);
    const { scopes, expiresAt } = next;
    this.#site.tell({ kind: 'refreshed', issuer: endpoints.issuer, resource, scopes, expiresAt });
    return 'renewed';
  }

  /** Deletes only what the authorization server called invalid, and only while nobody put something else there. */
  async #failed(
    error: unknown,
    { key, there, generation }: { readonly key: CredentialKey; readonly there: Grant; readonly generation: string },
  ): Promise<Renewal> {
    const code = error instanceof AuthorizationError ? error.code : undefined;
    const isLost = error instanceof AuthorizationError && error.reason === 'grant-lost';
    if (!isLost && code !== 'invalid_client') throw error;
    const { store } = this.#options;
    const now = await store.read(key);
    if (now !== undefined && now.generation !== generation) {
      this.#adoptAt(key, readGrant(now.text), now.generation);
      return this.#grant === undefined ? 'impossible' : 'renewed';
    }
    if (code === 'invalid_client') await this.#options.clientLost(there);
    else await store.write(key, undefined, { ifGeneration: generation });
    const { issuer } = there.endpoints;
    if (isLost) {
      this.#adoptAt(key, undefined, undefined);
      this.#site.tell({ kind: 'lost', what: 'grant', issuer });
    }
    return 'impossible';
  }

  /** Remembers what the metadata of an authorization server say now: an endpoint may have moved. */
  found({ issuer, tokenEndpoint }: ServerMetadata): void {
    this.#found = tokenEndpoint === undefined ? undefined : { issuer, token: tokenEndpoint };
  }

  #endpointsOf({ endpoints }: Grant): Endpoints {
    return this.#found?.issuer === endpoints.issuer ? { ...endpoints, token: this.#found.token } : endpoints;
  }

  #adopt(grant: Grant | undefined, generation: string | undefined): void {
    // What failed for another one says nothing about it.
    if (grant?.accessToken !== this.#grant?.accessToken) this.#failure = undefined;
    this.#grant = grant;
    this.#generation = generation;
  }

  /** Uses what is kept under a key now, unless what is kept under another one is used by now. */
  #adoptAt(key: CredentialKey, grant: Grant | undefined, generation: string | undefined): void {
    if (this.#grant === undefined || credentialKeyText(this.#keyOf(this.#grant)) === credentialKeyText(key))
      this.#adopt(grant, generation);
  }

  #keyOf({ endpoints: { issuer }, resource, client }: Grant): CredentialKey {
    return this.#key({ issuer, resource, client });
  }

  #key(of: { readonly issuer: string; readonly resource: string; readonly client: string }): CredentialKey {
    return { kind: 'grant', ...of, account: this.#options.account };
  }

  get #serverKey(): CredentialKey {
    return { kind: 'server', issuer: canonicalResource(this.#site.server), account: this.#options.account };
  }
}

/** A renewal that is under way. */
interface Renewing {
  /** The access token of the grant that is renewed. */
  readonly of: string | undefined;
  readonly result: Promise<Renewal>;
}

interface Transaction {
  readonly key: CredentialKey;
  readonly before: Grant;
  readonly signal: AbortSignal;
}

interface LockedTransaction extends Transaction {
  /** @throws unless it is sure that the lock is still held. */
  require(): void;
}
