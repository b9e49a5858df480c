/** The answer to a server that refuses: the states of the authorization of a person at one server. */

import type { AuthorizedAnswer, AuthorizedRequest, AuthorizationFields } from '../../common/authorizer.ts';
import { meansIssuer } from '../../common/issuer-name.ts';
import { missingOf } from '../../common/scopes.ts';
import { discoverServer, type Discovered } from '../discovery.ts';
import type { DpopProver } from '../dpop.ts';
import type { GrantKeeper } from './grant-keeper.ts';
import type { Grant } from '../grant.ts';
import type { ShowDevicePrompt } from './device.ts';
import { Login } from './login.ts';
import type { OAuthSettings } from './oauth-options.ts';
import { headerOf } from '../presented.ts';
import {
  isBound,
  isForNonce,
  mustBeBound,
  noRefusal,
  once,
  readRefusal,
  requireKind,
  requireOAuth,
  scopesFor,
  useless,
  type OAuthRefusal,
} from '../refusal.ts';
import { Registration } from './registration.ts';
import { endGrants, hasReplaced, saveGrant } from './replaced-grant.ts';
import { SharedWork, type Job, type Waiter } from '../shared-work.ts';
import type { Site } from '../site.ts';
import { StepUps } from '../step-up.ts';
import { isRefusal } from '../token-response.ts';

/** The parts that it shares with those who send. */
export interface AuthorizationRecoveryParts {
  readonly keeper: GrantKeeper;
  proverOf(issuer: string): DpopProver;
}

/** Recovers from a server's refusals: one recovery at a time, for any number of requests. */
export class AuthorizationRecovery {
  readonly registration: Registration;
  readonly #site: Site;
  readonly #settings: OAuthSettings;
  readonly #keeper: GrantKeeper;
  readonly #work = new SharedWork();
  readonly #stepUps: StepUps;
  readonly #login: Login;

  constructor(site: Site, settings: OAuthSettings, { keeper, proverOf }: AuthorizationRecoveryParts) {
    this.#site = site;
    this.#settings = settings;
    this.#keeper = keeper;
    this.#stepUps = new StepUps(() => site.now());
    this.registration = new Registration(site, settings);
    const { registration } = this;
    this.#login = new Login(site, {
      settings,
      registration,
      proverOf,
      save: (grant, isStepUp) => saveGrant(grant, this.#parts, isStepUp),
    });
  }

  /** Sees to a refusal; see `Authorizer`. */
  async refused(request: AuthorizedRequest, answer: AuthorizedAnswer, sent: AuthorizationFields): Promise<boolean> {
    const refused = readRefusal(answer);
    if (isForNonce(refused, sent)) return once(request.tried, 'nonce');
    if (refused.status === 401) return await this.#unauthorized(request, refused, sent);
    if (refused.status !== 403 || refused.error !== 'insufficient_scope') return false;
    return await this.#insufficient(request, refused, sent);
  }

  /** Signs in, whatever there is. */
  async login(refused: OAuthRefusal, waiter: Waiter, device?: ShowDevicePrompt): Promise<void> {
    await this.#keeper.ready();
    const before = this.#keeper.grant;
    const work = async (job: Job): Promise<void> => {
      const discovered = await this.#discoverServer(refused, job);
      await this.#signIn({ discovered, refused, before, job, anew: true, device });
    };
    while (!(await this.#work.join(device === undefined ? 'login' : 'login by device', waiter, work)));
  }

  /** Takes up the login to which an answer belongs, after the page that began it was left. */
  async finish(callback: string, signal: AbortSignal): Promise<void> {
    await this.#login.finish(callback, signal);
  }

  /** Deletes all grants of the server, and revokes them if requested; see `endGrants`. */
  async end(revoke: boolean): Promise<boolean> {
    return await endGrants(this.#parts, revoke);
  }

  get #parts(): Parameters<typeof endGrants>[0] {
    const { store } = this.#settings;
    return { site: this.#site, store, keeper: this.#keeper, registration: this.registration };
  }

  /**
   * Deletes the registration of a client, unless one of its grants waits for revocation, which may need it. It is the
   * client of the given grant, or of the authorization server that the server names now.
   *
   * @throws AuthorizationError if there was no grant, and the authorization server cannot be found.
   */
  async forgetClient(grant: Grant | undefined): Promise<void> {
    if (grant !== undefined) return await this.#forget(grant.endpoints.issuer, grant.client);
    const discovered = await this.#discoverServer(noRefusal, { signal: new AbortController().signal });
    const { issuer } = discovered.server;
    const last = await this.registration.kept(issuer);
    if (last !== undefined) await this.#forget(issuer, last.id);
  }

  async #forget(issuer: string, client: string): Promise<void> {
    if (!(await hasReplaced(issuer, this.#parts))) await this.registration.forget(issuer, client);
  }

  async #unauthorized(request: AuthorizedRequest, refused: OAuthRefusal, sent: AuthorizationFields): Promise<boolean> {
    const { tried, mayAsk } = request;
    requireOAuth(refused, this.#site);
    requireKind(refused, this.#site);
    // Another process may have a new token since the request was sent.
    if (this.#isOther(sent)) return once(tried, 'others');
    if (tried.has('new tokens')) throw useless(this.#site, this.#keeper.grant);
    await this.#keeper.load();
    if (this.#isOther(sent) && once(tried, 'others')) return true;
    if (!mayAsk && !this.#keeper.renewable) return false;
    const ours = await this.#work.join(mayAsk ? 'sign in' : 'renew', request, (job) => this.#fix(mayAsk, refused, job));
    if (!this.#isOther(sent)) return ours ? false : await this.#unauthorized(request, refused, sent);
    return once(tried, 'new tokens');
  }

  /**
   * Discovers the server's authorization server again: it may have moved. A grant of it is renewed, otherwise a user
   * signs in.
   */
  async #fix(mayAsk: boolean, refused: OAuthRefusal, job: Job): Promise<void> {
    const before = this.#keeper.grant;
    const discovered = await this.#discoverServer(refused, job);
    const { server, resource } = discovered;
    const isSame =
      before !== undefined &&
      meansIssuer(before.endpoints.issuer, server.issuer) &&
      before.resource === resource &&
      (before.scheme === 'DPoP' || !mustBeBound(this.#site, refused, discovered));
    if (isSame && (await this.#renewed(mayAsk))) return;
    if (mayAsk) await this.#signIn({ discovered, refused, before, job, anew: false });
  }

  /** Renews what there is; an authorization server that does not renew it, for whatever reason of its own, may still let the person sign in. */
  async #renewed(mayAsk: boolean): Promise<boolean> {
    try {
      return (await this.#keeper.renew()) === 'renewed';
    } catch (error) {
      if (mayAsk && isRefusal(error)) return false;
      throw error;
    }
  }

  async #insufficient(request: AuthorizedRequest, refused: OAuthRefusal, sent: AuthorizationFields): Promise<boolean> {
    const { tried, mayAsk, about } = request;
    if (!mayAsk || tried.has('scopes')) return false;
    const challenged = refused.scopes ?? [];
    for (;;) {
      const { grant } = this.#keeper;
      if (grant === undefined) return false;
      // Another process may have got the missing scopes since the request was sent.
      if (this.#isOther(sent) && missingOf(challenged, grant.scopes).length === 0) return once(tried, 'others');
      const scopes = this.#stepUps.wanted(grant, challenged, about);
      const ours = await this.#work.join(`step up ${scopes.toSorted().join(' ')}`, request, async (job) => {
        const discovered = await this.#discoverServer(refused, job);
        const asked = (): void => this.#stepUps.note(grant, about);
        await this.#signIn({ discovered, refused, before: grant, job, anew: true, challenged, asked });
      });
      if (ours) return once(tried, 'scopes');
    }
  }

  async #signIn({ discovered, refused, before, job, anew, challenged, asked, device }: SigningIn): Promise<void> {
    const { refresh: lasting, options } = this.#settings;
    const bound = isBound(this.#site, refused, discovered);
    const reason = challenged === undefined ? 'login' : 'step-up';
    const wanted = { wanted: challenged ?? refused.scopes, before, always: options.scopes, lasting };
    const scopes = scopesFor(discovered, wanted);
    await this.#login.run({ discovered, scopes, reason, bound, asked, device }, job, async () => {
      await this.#keeper.load();
      const { grant } = this.#keeper;
      if (grant === undefined || missingOf(challenged ?? [], grant.scopes).length > 0) return false;
      // A grant that was renewed meanwhile keeps its id.
      return anew ? grant.id !== before?.id : grant.accessToken !== before?.accessToken;
    });
  }

  async #discoverServer({ resourceMetadata }: OAuthRefusal, { signal }: Pick<Job, 'signal'>): Promise<Discovered> {
    const { clients } = this.#settings;
    const known = this.#keeper.grant?.endpoints.issuer;
    const prefer = (issuer: string): boolean =>
      clients.length === 0
        ? known !== undefined && meansIssuer(known, issuer)
        : clients.some((client) => meansIssuer(client.issuer, issuer));
    const discovered = await discoverServer(this.#site, { resourceMetadata, prefer }, signal);
    this.#keeper.found(discovered.server);
    return discovered;
  }

  /** True when there are other credentials now than those that were sent. */
  #isOther(sent: AuthorizationFields): boolean {
    const { grant } = this.#keeper;
    return grant !== undefined && headerOf(grant) !== sent['authorization'];
  }
}

interface SigningIn {
  readonly discovered: Discovered;
  readonly refused: OAuthRefusal;
  /** The grant that is replaced. */
  readonly before: Grant | undefined;
  readonly job: Job;
  /** True if a renewed grant is not enough, but only a new login by another process. */
  readonly anew: boolean;
  /** The scopes of which some were missing. */
  readonly challenged?: readonly string[];
  /** Called when the user is asked. */
  readonly asked?: () => void;
  /** Shows a page and a code for another device. */
  readonly device?: ShowDevicePrompt | undefined;
}
