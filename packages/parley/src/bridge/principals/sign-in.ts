/** Signing people in at one upstream: each has a grant of their own, which they get on the way of a page of ours. */

import type { Authorization, AuthorizedRequest, Authorizer, BoundServer } from '../../auth/common/authorizer.ts';
import { AuthorizationError } from '../../auth/common/errors.ts';
import { scopesOf, unionOf } from '../../auth/common/scopes.ts';
import { Consent, type ConsentParty } from '../../auth/consent/consent.ts';
import type { ConsentSession } from '../../auth/consent/consent-sessions.ts';
import { oauth, type GrantInfo, type OAuth } from '../../auth/client/interactive/oauth.ts';
import { page } from '../../auth/client/interactive/page.ts';
import type { CredentialStore } from '../../storage/credentials.ts';
import { memoryCredentialStore } from '../../storage/memory-credentials.ts';
import { principalCredentialStore } from '../../storage/principal-credentials.ts';
import type { PerPrincipalUpstream } from './sign-in-options.ts';
import { withoutBegunLogins } from './untaken-logins.ts';

/** Time for which a required sign-in is remembered, in milliseconds. */
const believedMs = 5_000;

/** Parts that signing in is made of. */
export interface SignInOptions {
  readonly upstream: URL;
  readonly options: PerPrincipalUpstream;
  /** Name of the bridge, as people know it. */
  readonly requester: string;
  now(): number;
  onError(error: unknown): void;
}

/** Grant of a person to a bridge at a server; no token is in it. */
export interface UpstreamGrant extends GrantInfo {
  /** The server: its name among several, or its URL without a query. */
  readonly upstream: string;
  /** The principal to whom the grant belongs. */
  readonly principal: string;
  /** Ids of the clients that the user consented to. Clients whose tokens have no id are not listed. */
  readonly clients: readonly string[];
}

/** One person at the upstream. */
export interface Person {
  /** Authorization of their connections. */
  readonly authorization: Authorization;
  /** The scopes to request, from the last refusal. */
  readonly wanted: readonly string[];
  /** Tells whether they have a grant. */
  isSignedIn(): Promise<boolean>;
  /** Looks for a new grant. */
  signedIn(): Promise<void>;
}

/** Signs people in at one upstream. */
export class UpstreamSignIn implements ConsentParty {
  readonly consent: Consent;
  /** Name of the upstream among the parties that share a store. */
  readonly id: string;
  readonly name: string;
  readonly requester: string;
  readonly waitTimeoutMs: number;
  readonly #options: SignInOptions;
  readonly #store: CredentialStore;
  /** The host to which people are sent, once it is known. */
  #host: string | undefined;
  /** Listeners to grants, by principal. */
  readonly #listeners = new Map<string, Set<() => void>>();

  constructor(parts: SignInOptions) {
    const { upstream, options, requester } = parts;
    const {
      name = upstream.host,
      waitTimeoutMs = 45_000,
      keys,
      publicUrl,
      sessionOf,
      store = memoryCredentialStore(),
    } = options;
    this.#options = parts;
    this.#store = store;
    this.id = `upstream ${upstream.origin}${upstream.pathname}`;
    this.name = name;
    this.requester = requester;
    this.waitTimeoutMs = waitTimeoutMs;
    this.consent = new Consent({
      publicUrl: new URL(publicUrl),
      name: requester,
      sessionOf,
      store,
      keys,
      party: (id) => (id === this.id ? this : undefined),
      now: () => parts.now(),
      onError: (error) => parts.onError(error),
    });
  }

  /** Tells whether a user consented that a client uses the user's grant here. (Spec, Confused Deputy Problem.) */
  async agreed(principal: string, client: string | undefined): Promise<boolean> {
    return await this.consent.agreed({ principal, party: this.id, client, scopes: [] });
  }

  /** The grant of a user here, and the clients that the user consented to; `undefined` without one. */
  async grant(principal: string): Promise<Omit<UpstreamGrant, 'upstream'> | undefined> {
    const { upstream } = this.#options;
    const info = await this.#forOne(principal).identity({ server: upstream });
    if (info === undefined) return undefined;
    return { ...info, principal, clients: await this.consent.clients(principal, this.id) };
  }

  /** The users with stored data. */
  async principals(): Promise<readonly string[]> {
    const keys = await this.#store.keys('server');
    return [...new Set(keys.flatMap(({ principal = [] }) => principal))];
  }

  /** Revokes and deletes a user's grant here, and deletes the consents. */
  async signOut(principal: string, revoke: boolean): Promise<{ readonly revoked: boolean }> {
    await this.consent.forget(principal, this.id);
    return await this.#forOne(principal).logout({ server: this.#options.upstream, revoke });
  }

  #forOne(principal: string): OAuth {
    return this.#oauth(withoutBegunLogins(this.#storeOf(principal)), [], () => undefined);
  }

  /** Follows one person at the upstream. */
  person(principal: string): Person {
    return new PersonUpstream(
      this.#options,
      (navigate) => this.#oauth(withoutBegunLogins(this.#storeOf(principal)), [], navigate),
      (url) => this.#sees(url),
    );
  }

  /**
   * Calls a function whenever a user signed in here.
   *
   * @returns Ends it.
   */
  onGranted(principal: string, run: () => void): () => void {
    const listeners = this.#listeners.get(principal) ?? new Set();
    listeners.add(run);
    this.#listeners.set(principal, listeners);
    return () => {
      listeners.delete(run);
      if (listeners.size === 0) this.#listeners.delete(principal);
    };
  }

  async host(visit: ConsentSession, signal: AbortSignal): Promise<string> {
    if (this.#host === undefined) await this.#urlFor(visit, withoutBegunLogins(this.#storeOf(visit.principal)), signal);
    return this.#host ?? this.#options.upstream.host;
  }

  async begin(visit: ConsentSession, signal: AbortSignal): Promise<string | undefined> {
    const { principal, consentOnly } = visit;
    if (consentOnly === true && (await this.person(principal).isSignedIn())) {
      this.#told(principal);
      return undefined;
    }
    return await this.#urlFor(visit, this.#storeOf(visit.principal), signal);
  }

  async finish({ principal }: ConsentSession, callback: string, signal: AbortSignal): Promise<void> {
    const { upstream } = this.#options;
    await this.#oauth(this.#storeOf(principal), [], () => undefined).finish(callback, { server: upstream, signal });
    this.#told(principal);
  }

  #told(principal: string): void {
    for (const run of this.#listeners.get(principal) ?? []) run();
  }

  /** Stores a login, and returns the URL that continues it. */
  async #urlFor({ scopes }: ConsentSession, store: CredentialStore, signal: AbortSignal): Promise<string | undefined> {
    let url: string | undefined;
    const { upstream } = this.#options;
    try {
      await this.#oauth(store, scopes, (to) => (url = to)).login({ server: upstream, signal });
    } catch (error) {
      // The user left for the page; `finish` continues.
      if (url === undefined || !isLoginRequired(error)) throw error;
    }
    this.#sees(url);
    return url;
  }

  #sees(url: string | undefined): void {
    if (url !== undefined) this.#host = new URL(url).host;
  }

  #storeOf(principal: string): CredentialStore {
    return principalCredentialStore(this.#store, principal);
  }

  #oauth(store: CredentialStore, scopes: readonly string[], navigate: (url: string) => void): OAuth {
    const {
      as: _,
      publicUrl: __,
      sessionOf: ___,
      name: ____,
      keys: _____,
      waitTimeoutMs: ______,
      store: _______,
      scopes: always = [],
      metadata,
      ...options
    } = this.#options.options;
    return oauth({
      now: () => this.#options.now(),
      ...options,
      metadata: { name: this.requester, ...metadata },
      scopes: unionOf(always, scopes),
      store,
      redirect: page({ redirectUri: this.consent.redirectUri, navigate }),
    });
  }
}

/** One user at the upstream. The connections never ask. The code that forwards the user's requests does. */
class PersonUpstream implements Person, Authorization {
  readonly authorization: Authorization = this;
  readonly #options: SignInOptions;
  readonly #oauth: OAuth;
  readonly #sees: (url: string) => void;
  #wanted: readonly string[] = [];
  /** The last failure because of a missing login, and its time. */
  #required: { readonly error: AuthorizationError; readonly at: number } | undefined;

  constructor(options: SignInOptions, make: (navigate: (url: string) => void) => OAuth, sees: (url: string) => void) {
    this.#options = options;
    this.#sees = sees;
    this.#oauth = make((url) => this.#asked(url));
  }

  get wanted(): readonly string[] {
    return this.#wanted;
  }

  context(): string {
    return this.#oauth.context();
  }

  bind(server: BoundServer): Authorizer {
    const authorizer = this.#oauth.bind(server);
    return {
      headers: (request) => authorizer.headers(request),
      answered: (request, answer) => authorizer.answered?.(request, answer),
      refused: (request, answer, sent) =>
        this.#refused(request, answer.status, () => authorizer.refused(request, answer, sent)),
      rest: async () => await authorizer.rest?.(),
    };
  }

  async isSignedIn(): Promise<boolean> {
    return (await this.#oauth.identity({ server: this.#options.upstream })) !== undefined;
  }

  async signedIn(): Promise<void> {
    this.#required = undefined;
    await this.isSignedIn();
  }

  /** Finds out from time to time what a user without a grant would be asked, not for each rejected request. */
  async #refused(request: AuthorizedRequest, status: number, fix: () => Promise<boolean>): Promise<boolean> {
    const required = this.#required;
    const isKnown = required !== undefined && this.#options.now() - required.at < believedMs;
    if (status === 401 && isKnown && request.mayAsk && !(await this.isSignedIn())) throw required.error;
    try {
      return await fix();
    } catch (error) {
      if (status === 401 && isLoginRequired(error)) this.#required = { error, at: this.#options.now() };
      throw error;
    }
  }

  #asked(url: string): void {
    this.#sees(url);
    this.#wanted = scopesOf(new URL(url).searchParams.get('scope'));
  }
}

function isLoginRequired(error: unknown): error is AuthorizationError {
  return error instanceof AuthorizationError && error.reason === 'login-required';
}
