/** The authorization server of a third party, and the grants that persons have there. */

import { AuthorizationError } from '../common/errors.ts';
import type { ServerMetadata } from '../common/metadata.ts';
import { unionOf } from '../common/scopes.ts';
import { visitMs, type ConsentParty } from '../consent/consent.ts';
import type { ConsentSession } from '../consent/consent-sessions.ts';
import { serverByHand, serverOf, type Discovered } from '../client/discovery.ts';
import type { Grant } from '../client/grant.ts';
import { scopesFor } from '../client/refusal.ts';
import { siteOf, type Site } from '../client/site.ts';
import { GrantKeeper } from '../client/interactive/grant-keeper.ts';
import { Login } from '../client/interactive/login.ts';
import type { endGrants } from '../client/interactive/replaced-grant.ts';
import { page } from '../client/interactive/page.ts';
import { readPending } from '../client/interactive/authorization-request.ts';
import { Registration } from '../client/interactive/registration.ts';
import { principalCredentialStore } from '../../storage/principal-credentials.ts';
import type { AccountSettings } from './options.ts';

/** Limit of users with a cached keeper. The grants themselves are in the store. */
const maxKeepers = 1000;

/** Time for which the metadata of the authorization server are used, in milliseconds. */
const metadataMs = 600_000;

/** A third party of which persons have accounts. */
export class ThirdParty implements ConsentParty {
  /** Tells it from others that share the store. */
  readonly id: string;
  readonly name: string;
  readonly #settings: AccountSettings;
  readonly #site: Site;
  /** The keepers of the persons who came last, the latest at the end: what failed for one is not tried again at once. */
  readonly #keepers = new Map<string, GrantKeeper>();
  /** Time of the last search for logins that were left. */
  #swept = Number.NEGATIVE_INFINITY;
  #server: { readonly metadata: ServerMetadata; readonly at: number } | undefined;

  constructor(settings: AccountSettings) {
    const { name, oauth, issuer } = settings;
    this.id = JSON.stringify([issuer, oauth.account]);
    this.name = name;
    this.#settings = settings;
    const bound = { url: new URL(issuer), fetch: (...given: Parameters<typeof fetch>) => fetch(...given) };
    this.#site = siteOf(bound, oauth.options);
  }

  /** The time, in milliseconds since 1970. */
  now(): number {
    return this.#site.now();
  }

  /**
   * The grant of a person, as far as it is of use now; one that has ended is renewed first.
   *
   * @param wanted The scopes that it must have been asked for.
   * @param refused An access token that the third party's API did not take.
   * @throws AuthorizationError when it may be of use again later.
   */
  async grant(principal: string, wanted: readonly string[], refused: string | undefined): Promise<Grant | undefined> {
    const keeper = this.#keeper(principal);
    // Other processes renew it too, and pages of theirs sign in.
    await keeper.load();
    const { grant } = keeper;
    // The requested scopes count: not every server grants all of them, or reports what it granted.
    if (grant === undefined || wanted.some((scope) => !grant.requested.includes(scope))) return undefined;
    const isOver = grant.accessToken === refused || (grant.expiresAt ?? Number.POSITIVE_INFINITY) <= this.now();
    if (!isOver) {
      if (keeper.due() === 'soon') void keeper.renew().catch(this.#settings.onError);
      return grant;
    }
    if (!keeper.renewable || (await keeper.renew()) !== 'renewed') return undefined;
    return keeper.grant?.accessToken === refused ? undefined : keeper.grant;
  }

  /** The scopes to request from a user, including those of earlier requests. */
  async asked(principal: string, wanted: readonly string[]): Promise<readonly string[]> {
    const keeper = this.#keeper(principal);
    await keeper.load();
    return unionOf(keeper.grant?.requested ?? [], wanted);
  }

  /**
   * Deletes the grant of a person.
   *
   * @returns Whether its tokens were revoked.
   */
  async forget(principal: string, revoke: boolean): Promise<boolean> {
    const keeper = this.#keeper(principal);
    // Otherwise the result of a running renewal would stay valid, and no code would know of it.
    await keeper.rest();
    await keeper.load();
    return await (
      await import('../client/interactive/replaced-grant.ts')
    ).endGrants(this.#parts(principal, keeper), revoke);
  }

  async host(_: ConsentSession, signal: AbortSignal): Promise<string> {
    const { issuer, authorizationEndpoint } = await this.#metadata(signal);
    return new URL(authorizationEndpoint ?? issuer).host;
  }

  async begin(visit: ConsentSession, signal: AbortSignal): Promise<string | undefined> {
    const { principal, scopes, consentOnly } = visit;
    const isThere = consentOnly === true && (await this.grant(principal, scopes, undefined)) !== undefined;
    if (isThere || (await this.#isGranted(visit))) return undefined;
    void this.#sweep().catch(this.#settings.onError);
    let url: string | undefined;
    const login = this.#login(principal, (to) => (url = to));
    const server = await this.#metadata(signal);
    const { resource = server.issuer } = this.#settings.oauth.options;
    const discovered: Discovered = { resource, scopesSupported: undefined, dpopRequired: false, server };
    const asked = scopesFor(discovered, { wanted: scopes, before: undefined, always: undefined, lasting: true });
    const wanted = { discovered, scopes: asked, reason: 'login', bound: false } as const;
    try {
      await login.run(wanted, { signal, asking: () => {} }, async () => false);
    } catch (error) {
      // The user left for the page; `finish` continues.
      if (url === undefined || !(error instanceof AuthorizationError) || error.reason !== 'login-required') throw error;
    }
    return url;
  }

  async finish({ principal }: ConsentSession, callback: string, signal: AbortSignal): Promise<void> {
    await this.#login(principal, () => {}).finish(callback, signal);
  }

  /** True if the user has granted the same since the visit began: several calls may have sent the user. */
  async #isGranted({ principal, scopes, until }: ConsentSession): Promise<boolean> {
    const grant = await this.grant(principal, scopes, undefined);
    return grant !== undefined && grant.obtainedAt >= until - visitMs;
  }

  /** Deletes logins that no user will finish: a user who left may never come back. */
  async #sweep(): Promise<void> {
    const now = this.now();
    const { store, loginTimeoutMs, account } = this.#settings.oauth;
    if (now - this.#swept < loginTimeoutMs) return;
    this.#swept = now;
    for (const key of await store.keys('login')) {
      if (key.principal === undefined || key.resource !== undefined) continue;
      const kept = await store.read(key);
      const login = readPending(kept?.text);
      const isOurs = login?.server === this.#site.server.href && login.account === account;
      if (isOurs && now - login.at > loginTimeoutMs)
        await store.write(key, undefined, { ifGeneration: kept?.generation });
    }
  }

  #login(principal: string, navigate: (url: string) => void): Login {
    const parts = this.#parts(principal, this.#keeper(principal));
    const redirect = page({ redirectUri: `${this.#settings.publicUrl.href}/callback`, navigate });
    return new Login(this.#site, {
      settings: { ...this.#settings.oauth, store: this.#store(principal), redirect },
      registration: parts.registration,
      proverOf: () => {
        throw new TypeError('tokens of accounts are bound to no key');
      },
      save: async (grant) => (await import('../client/interactive/replaced-grant.ts')).saveGrant(grant, parts),
    });
  }

  #parts(principal: string, keeper: GrantKeeper): Parameters<typeof endGrants>[0] {
    return { site: this.#site, store: this.#store(principal), keeper, registration: this.#registration(principal) };
  }

  #registration(principal: string): Registration {
    return new Registration(this.#site, { ...this.#settings.oauth, store: this.#store(principal) });
  }

  #store(principal: string): ReturnType<typeof principalCredentialStore> {
    return principalCredentialStore(this.#settings.oauth.store, principal);
  }

  #keeper(principal: string): GrantKeeper {
    const known = this.#keepers.get(principal);
    const keeper = known ?? this.#newKeeper(principal);
    this.#keepers.delete(principal);
    this.#keepers.set(principal, keeper);
    const [oldest] = this.#keepers.keys();
    if (this.#keepers.size > maxKeepers && oldest !== undefined) this.#keepers.delete(oldest);
    return keeper;
  }

  #newKeeper(principal: string): GrantKeeper {
    const { account, refresh } = this.#settings.oauth;
    return new GrantKeeper(this.#site, {
      store: this.#store(principal),
      account,
      refresh,
      clientOf: (grant) => this.#registration(principal).find(grant),
      clientLost: async ({ endpoints: { issuer }, client }) => {
        // It was registered by hand, so that no other login would help.
        throw new AuthorizationError('invalid-client', `${issuer} does not know the client ${client}, or its secret`, {
          issuer,
        });
      },
      proverOf: () => undefined,
    });
  }

  async #metadata(signal: AbortSignal): Promise<ServerMetadata> {
    const { issuer } = this.#settings;
    if (this.#server !== undefined && this.now() - this.#server.at < metadataMs) return this.#server.metadata;
    const metadata = serverByHand(this.#site, issuer) ?? (await serverOf(this.#site, issuer, signal));
    this.#server = { metadata, at: this.now() };
    return metadata;
  }
}
