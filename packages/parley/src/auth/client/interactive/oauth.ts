/** Being authorized as a person who signs in. */

import type { Fetch } from '../../../jsonrpc/fetch.ts';
import type { Authorization, Authorizer, BoundServer } from '../../common/authorizer.ts';
import { patienceOf } from '../../common/document.ts';
import { AuthorizationError } from '../../common/errors.ts';
import type { ShowDevicePrompt } from './device.ts';
import { PersonAuthorizer } from './person.ts';
import { unguessableText } from '../../common/base64url.ts';
import type { Identity } from '../grant.ts';
import { oauthSettings, type OAuthOptions } from './oauth-options.ts';
import { readRefusal, noRefusal, type OAuthRefusal } from '../refusal.ts';
import { limited, siteOf, type Site } from '../site.ts';
import { unlessAborted } from '../../../storage/turns.ts';

/** The grant of a person, as it may be shown: no token is in it. */
export interface GrantInfo extends Identity {
  /** The issuer of the authorization server. */
  readonly issuer: string;
  /** The protected resource (RFC 8707). */
  readonly resource: string;
  /** The client id. */
  readonly client: string;
  /** The granted scopes. */
  readonly scopes: readonly string[];
  /** In milliseconds since 1970; `undefined` if unknown. */
  readonly expiresAt: number | undefined;
  /** True when it is renewed without asking. */
  readonly renewable: boolean;
}

/** Options of signing in. */
export interface LoginOptions {
  /** The URL of the server, if there was no connection to it yet. */
  readonly server?: string | URL;
  /** Ends the sign-in. */
  readonly signal?: AbortSignal;
  /** The scopes to ask for beside those of before, in place of those that the server names now. */
  readonly scopes?: readonly string[] | undefined;
  /**
   * Shows the user a page and a code for a sign-in on any device, instead of `redirect` (RFC 8628). Only this option
   * starts such a login, because an attacker may talk a user into entering a code.
   */
  readonly device?: ShowDevicePrompt | undefined;
}

/** The authorization of a person at one server. */
export interface OAuth extends Authorization {
  /**
   * Signs in now, whether or not a server asks for it. An earlier grant is replaced and revoked.
   *
   * @throws AuthorizationError with the reason `grant-lost` if the authorization server ended the new grant together
   * with the previous one, or the store refuses its tokens: sign in again.
   * @throws TypeError if no server is known: give its URL, or connect first.
   */
  login(options?: LoginOptions): Promise<void>;
  /**
   * Signs out: revokes the tokens if the authorization server supports that, and deletes all grants of the server. If a
   * revocation fails, the next login or logout tries it once more.
   *
   * @param options `revoke` is true by default; `forgetClient` deletes the registration too: that of the grant or, if
   *   no user is signed
   * in, the one at the authorization server that the server names now. It stays while a revocation must be retried.
   * @returns True if the tokens were revoked. Otherwise they are valid until they expire.
   */
  logout(options?: {
    readonly revoke?: boolean;
    readonly forgetClient?: boolean;
    readonly server?: string | URL;
  }): Promise<{ readonly revoked: boolean }>;
  /** Returns the signed-in user and the grant; `undefined` if no user is signed in. */
  identity(options?: { readonly server?: string | URL }): Promise<GrantInfo | undefined>;
  /**
   * Finishes a login for which the page was left.
   *
   * @param callback The URL to which the browser was sent back.
   * @throws AuthorizationError
   */
  finish(callback: string, options?: { readonly server?: string | URL; readonly signal?: AbortSignal }): Promise<void>;
}

/** Time for a server to send its challenge to a request without a token, in milliseconds. */
const challengeMs = 10_000;

/**
 * Makes the authorization of a person who signs in at an authorization server, for the option `auth` of `connect`. It is for one
 * server; any number of connections to it may share it.
 *
 * @throws TypeError for options that make no sense.
 */
export function oauth(options: OAuthOptions): OAuth {
  return new PersonAuthorization(options);
}

/**
 * Renews the grant now, due or not.
 *
 * @returns False if it can no longer be renewed.
 * @throws AuthorizationError if it may be possible later.
 */
export async function renewNow(auth: OAuth, server: URL): Promise<boolean> {
  return auth instanceof PersonAuthorization && (await auth.renewed(server));
}

class PersonAuthorization implements OAuth {
  readonly personal = true;
  readonly #settings: ReturnType<typeof oauthSettings>;
  readonly #own: string = unguessableText();
  #fetch: Fetch = (url, request) => fetch(url, request);
  #bound: { readonly site: Site; readonly authorizer: PersonAuthorizer } | undefined;

  constructor(options: OAuthOptions) {
    this.#settings = oauthSettings(options);
  }

  bind(server: BoundServer): Authorizer {
    // It may have been used before it was connected. From now on it uses the conversation's `fetch`.
    this.#fetch = server.fetch;
    return this.#bind(server).authorizer;
  }

  context(): string {
    return this.#bound?.authorizer.keeper.grant?.id ?? `nobody ${this.#own}`;
  }

  async login({ server, signal = never(), scopes, device }: LoginOptions = {}): Promise<void> {
    const { site, authorizer } = this.#at(server);
    const recovery = await authorizer.recovery();
    const refused = await challengeOf(site, signal);
    await recovery.login({ ...refused, scopes: scopes ?? refused.scopes }, { signal }, device);
  }

  async logout({
    revoke = true,
    forgetClient = false,
    server,
  }: { readonly revoke?: boolean; readonly forgetClient?: boolean; readonly server?: string | URL } = {}): Promise<{
    readonly revoked: boolean;
  }> {
    const { authorizer } = this.#at(server);
    // Otherwise the result of a running renewal would stay valid, and no code would know of it.
    await authorizer.keeper.rest();
    await authorizer.keeper.load();
    const { grant } = authorizer.keeper;
    const recovery = await authorizer.recovery();
    const revoked = await recovery.end(revoke);
    if (forgetClient) await recovery.forgetClient(grant);
    return { revoked };
  }

  async identity({ server }: { readonly server?: string | URL } = {}): Promise<GrantInfo | undefined> {
    const { keeper } = this.#at(server).authorizer;
    await keeper.load();
    const { grant } = keeper;
    if (grant === undefined) return undefined;
    const { endpoints, resource, client, scopes, expiresAt, identity } = grant;
    return { ...identity, issuer: endpoints.issuer, resource, client, scopes, expiresAt, renewable: keeper.renewable };
  }

  async renewed(server: URL): Promise<boolean> {
    const { keeper } = this.#at(server).authorizer;
    await keeper.load();
    return (await keeper.renew(true)) === 'renewed';
  }

  async finish(
    callback: string,
    { server, signal = never() }: { readonly server?: string | URL; readonly signal?: AbortSignal } = {},
  ): Promise<void> {
    await this.#at(server).authorizer.finish(callback, signal);
  }

  #at(server: string | URL | undefined): { readonly site: Site; readonly authorizer: PersonAuthorizer } {
    if (server !== undefined) return this.#bind({ url: new URL(server), fetch: this.#fetch, atRoot: {} });
    if (this.#bound === undefined)
      throw new TypeError('it is not known yet for which server: give its URL as server, or connect first');
    return this.#bound;
  }

  #bind(server: BoundServer): { readonly site: Site; readonly authorizer: PersonAuthorizer } {
    const url = new URL(server.url);
    url.hash = '';
    url.username = '';
    url.password = '';
    if (this.#bound !== undefined) {
      if (this.#bound.site.server.href !== url.href)
        throw new TypeError(
          `this authorization is for ${this.#bound.site.server.origin}${this.#bound.site.server.pathname}: make another one for another server`,
        );
      return this.#bound;
    }
    const fetch: Fetch = (to, request) => this.#fetch(to, request);
    const site = siteOf({ ...server, url, fetch }, this.#settings.options);
    this.#bound = { site, authorizer: new PersonAuthorizer(site, this.#settings) };
    return this.#bound;
  }
}

/** A server's challenge to a request without a token: it names the metadata and the scopes. */
async function challengeOf({ server, fetch, rules }: Site, signal: AbortSignal): Promise<OAuthRefusal> {
  const late = (): AuthorizationError => new AuthorizationError('server-error', `${server.origin} did not answer`);
  try {
    const url = rules.check(server.href, 'the server').href;
    const request = {
      method: 'GET',
      headers: { accept: 'text/event-stream' },
      redirect: 'manual',
      credentials: 'omit',
    } as const;
    const response = await limited({ ms: patienceOf(fetch, challengeMs), signal, late }, (soon) =>
      unlessAborted(fetch(url, { ...request, signal: soon }), soon),
    );
    void response.body
      ?.getReader()
      .cancel()
      .catch(() => undefined);
    const refused = readRefusal({ status: response.status, header: (name) => response.headers.get(name) ?? undefined });
    return refused.status === 401 ? refused : noRefusal;
  } catch {
    signal.throwIfAborted();
    return noRefusal;
  }
}

function never(): AbortSignal {
  return new AbortController().signal;
}
