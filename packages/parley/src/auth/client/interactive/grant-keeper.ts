/** The grant that is used at one server, renewed as one transaction of all who share the store. */

import { AuthorizationError } from '../../common/errors.ts';
import type { ServerMetadata } from '../../common/metadata.ts';
import { monotonicNow, settledWithin } from '../../../jsonrpc/timeout.ts';
import type { CredentialKey, CredentialStore } from '../../../storage/credentials.ts';
import type { OAuthClient } from '../client-authentication.ts';
import type { DpopProver } from '../dpop.ts';
import { grantOf, readGrant, renewFrom, type Grant } from '../grant.ts';
import { limited, type Site } from '../site.ts';
import { unlessAborted } from '../../../storage/turns.ts';
import type { GrantEndpoints } from '../endpoints.ts';
import { KeptGrant, type Stored } from './stored-grant.ts';

/** The needs of keeping grants beside the server. */
export interface KeeperOptions {
  readonly store: CredentialStore;
  readonly account: string | undefined;
  /** True when grants are renewed. */
  readonly refresh: boolean;
  /** The client that a grant was given to; `undefined` where nothing is known of it any more. */
  clientOf(grant: Grant): Promise<OAuthClient | undefined>;
  /** Called if the authorization server no longer knows the client. */
  clientLost(grant: Grant, message: string | undefined): Promise<void>;
  proverOf(grant: Grant): DpopProver | undefined;
}

/** The longest that a renewal takes, in milliseconds, with the wait for others who renew. */
const transactionMs = 20_000;

/** The longest wait of one request attempt for a renewal, which continues without it; in milliseconds. */
const limitMs = 8_000;

/** A lock is held for sure for so long after it was got, whether the process stood still or not; in milliseconds. */
const sureMs = 5_000;

/** The shortest time between two attempts while the authorization server fails, in milliseconds; it doubles. */
const pauseMs = 2_000;
const maxPauseMs = 60_000;

/** Outcome of a renewal: there is another token, none can be had, or the outcome is unknown. */
export type Renewal = 'renewed' | 'impossible';

/** Keeps the grant of one server. */
export class GrantKeeper {
  readonly #site: Site;
  readonly #options: KeeperOptions;
  /** The grant in its store. */
  readonly kept: KeptGrant;
  #renewing: Renewing | undefined;
  /** The token endpoint that an authorization server names now. */
  #found: Pick<GrantEndpoints, 'issuer' | 'token'> | undefined;
  /** The last failure, how often it failed in a row, and until when it is not tried again, by the monotonic clock. */
  #failure: { readonly error: unknown; readonly times: number; readonly until: number } | undefined;
  readonly #random = Math.random();

  constructor(site: Site, options: KeeperOptions) {
    this.#site = site;
    this.#options = options;
    const { store, account } = options;
    // A failure for another token says nothing about a new one.
    this.kept = new KeptGrant(site, { store, account, changed: () => (this.#failure = undefined) });
  }

  /** The grant, once it was loaded. */
  get grant(): Grant | undefined {
    return this.kept.grant;
  }

  /** Loads the stored grant once. It returns a promise only if that is still to be done. */
  ready(): Promise<void> | undefined {
    return this.kept.ready();
  }

  /** Loads the stored grant again: another process that shares the store may have a new one. */
  load(): Promise<void> {
    return this.kept.load();
  }

  /** Stores a new grant in place of the current one. */
  save(grant: Grant): Promise<void> {
    return this.kept.save(grant);
  }

  /** Deletes the grant, even if another process renewed it meanwhile. */
  forget(): Promise<void> {
    return this.kept.forget();
  }

  /** Tells whether the token is no longer valid, or will not be soon, and can be renewed now. */
  due(): 'expired' | 'soon' | 'no' {
    const grant = this.grant;
    const now = this.#site.now();
    if (grant === undefined || !this.renewable || grant.expiresAt === undefined || this.#failedLately()) return 'no';
    if (now >= grant.expiresAt) return 'expired';
    return now >= renewFrom(grant, this.#random) ? 'soon' : 'no';
  }

  /** True when there is anything to renew the grant by. */
  get renewable(): boolean {
    return this.#options.refresh && this.grant?.refreshToken !== undefined;
  }

  /**
   * Renews the grant. Processes that share the store renew one at a time, and use what another one got meanwhile.
   *
   * @param anyway True to try it even if it failed a moment ago.
   * @throws AuthorizationError `server-error` if it may be possible later; nothing is lost then.
   */
  async renew(anyway = false): Promise<Renewal> {
    // A rejected request would only wait for the same failure again.
    if (!anyway && this.#renewing === undefined && this.#failedLately()) throw this.#failure?.error;
    const wanted = this.grant?.accessToken;
    const renewing = (this.#renewing ??= this.#begin());
    if (!(await settledWithin(limitMs, renewing.result))) throw this.#late(limitMs);
    const outcome = await renewing.result;
    // The running renewal may have been for the grant before another sign-in.
    return outcome === 'impossible' && renewing.of !== wanted ? await this.renew() : outcome;
  }

  #begin(): Renewing {
    const result = this.#renew().finally(() => (this.#renewing = undefined));
    return { of: this.grant?.accessToken, result };
  }

  #failedLately(): boolean {
    return this.#failure !== undefined && monotonicNow() < this.#failure.until;
  }

  /** Waits for a running renewal: a refresh token is used once, and the new tokens must be stored. */
  async rest(): Promise<void> {
    await this.#renewing?.result.catch(() => undefined);
  }

  async #renew(): Promise<Renewal> {
    const before = this.grant;
    if (before === undefined || !this.renewable) return 'impossible';
    const late = (): AuthorizationError => this.#late(transactionMs);
    const key = this.kept.keyOf(before);
    try {
      const outcome = await limited({ ms: transactionMs, signal: new AbortController().signal, late }, (signal) =>
        // A store may never answer. By this signal nothing is sent any more.
        unlessAborted(this.#locked({ key, before, signal }), signal),
      );
      this.#failure = undefined;
      return outcome;
    } catch (error) {
      const times = (this.#failure?.times ?? 0) + 1;
      const until = monotonicNow() + Math.min(maxPauseMs, pauseMs * 2 ** (times - 1));
      this.#failure = { error, times, until };
      throw error;
    }
  }

  #late(ms: number): AuthorizationError {
    const issuer = this.grant?.endpoints.issuer;
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
    const there = await this.kept.at(key);
    if (there === undefined) {
      this.kept.adoptAt(key, undefined, undefined);
      return 'impossible';
    }
    if (there.generation !== this.kept.generation && there.grant.accessToken !== before.accessToken) {
      this.kept.adoptAt(key, there.grant, there.generation);
      return 'renewed';
    }
    let next: Grant | undefined;
    try {
      next = await this.#exchanged(there.grant, signal, require);
    } catch (error) {
      return await this.#failed(error, key, there);
    }
    if (next === undefined) return 'impossible';
    if (await this.kept.replace(next, there)) this.#told(next);
    return this.#outcome();
  }

  #outcome(): Renewal {
    return this.grant === undefined ? 'impossible' : 'renewed';
  }

  /** Gets new tokens with a grant's refresh token; `undefined` if it has none. */
  async #exchanged(there: Grant, signal: AbortSignal, require: () => void): Promise<Grant | undefined> {
    const { refreshToken, resource, endpoints, requested } = there;
    const client = await this.#options.clientOf(there);
    if (refreshToken === undefined || client === undefined) return undefined;
    const late = await import('../token-request.ts');
    const { fetch } = this.#site;
    // What others may have used by now is not used again.
    const site: Site = { ...this.#site, fetch: async (url, request) => (require(), await fetch(url, request)) };
    const answer = await late.requestTokens(site, {
      endpoints: this.#endpointsOf(there),
      client,
      grantType: 'refresh_token',
      parameters: { refresh_token: refreshToken },
      resource,
      prover: this.#options.proverOf(there),
      signal,
    });
    const now = this.#site.now();
    return grantOf(answer, { resource, client: there.client, endpoints, requested, now, before: there });
  }

  #told({ endpoints: { issuer }, resource, scopes, expiresAt }: Grant): void {
    this.#site.tell({ kind: 'refreshed', issuer, resource, scopes, expiresAt });
  }

  /** Deletes only what the authorization server called invalid, and only if no other process replaced it. */
  async #failed(error: unknown, key: CredentialKey, { grant, generation }: Stored): Promise<Renewal> {
    const { isLost, isUnknown } = invalidIn(error);
    if (!isLost && !isUnknown) throw error;
    const { store } = this.#options;
    const now = await store.read(key);
    if (now !== undefined && now.generation !== generation) {
      this.kept.adoptAt(key, readGrant(now.text), now.generation);
      return this.#outcome();
    }
    if (isUnknown) await this.#options.clientLost(grant, messageOf(error));
    if (isLost) {
      await this.kept.lose({ grant, generation });
      this.#lost(grant, error);
    }
    return 'impossible';
  }

  #lost({ endpoints: { issuer } }: Grant, error: unknown): void {
    this.#site.tell({ kind: 'lost', what: 'grant', issuer, message: messageOf(error) });
  }

  /** Stores the current metadata of an authorization server: an endpoint may have moved. */
  found({ issuer, tokenEndpoint }: ServerMetadata): void {
    this.#found = tokenEndpoint === undefined ? undefined : { issuer, token: tokenEndpoint };
  }

  #endpointsOf({ endpoints }: Grant): GrantEndpoints {
    return this.#found?.issuer === endpoints.issuer ? { ...endpoints, token: this.#found.token } : endpoints;
  }
}

/** Tells what the authorization server no longer accepts, if its error says so: the grant, or the client. */
function invalidIn(error: unknown): { readonly isLost: boolean; readonly isUnknown: boolean } {
  const { reason, code } = error instanceof AuthorizationError ? error : {};
  const isUnknown = code === 'invalid_client';
  return { isLost: reason === 'grant-lost' && !isUnknown, isUnknown };
}

/** The authorization server's message of a refusal, without secrets of the request. */
function messageOf(error: unknown): string | undefined {
  return error instanceof AuthorizationError ? error.message : undefined;
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
