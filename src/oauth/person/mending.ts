/** The answer to a server that refuses: the states of the authorization of a person at one server. */

import type { AuthorizedAnswer, AuthorizedRequest, AuthorizationFields } from '../../auth/authorizer.ts';
import { missingOf } from '../../auth/scopes.ts';
import { discoverServer, sameIssuer, type Discovered } from '../discovery.ts';
import type { DpopProver } from '../dpop.ts';
import type { GrantKeeper } from './grant-keeper.ts';
import type { Grant } from '../grant.ts';
import { Login } from './login.ts';
import type { OAuthSettings } from './oauth-options.ts';
import { headerOf } from '../presented.ts';
import { isBound, once, readRefusal, requireKind, requireOAuth, scopesFor, useless, type Refused } from '../refusal.ts';
import { Registration } from './registration.ts';
import { SharedWork, type Job, type Waiter } from '../shared-work.ts';
import type { Site } from '../site.ts';
import { StepUps } from '../step-up.ts';

/** The parts that it shares with those who send. */
export interface MendingParts {
  readonly keeper: GrantKeeper;
  proverOf(issuer: string): DpopProver;
}

/** Mends what a server refuses: one mending at a time, for however many requests. */
export class Mending {
  readonly registration: Registration;
  readonly #site: Site;
  readonly #settings: OAuthSettings;
  readonly #keeper: GrantKeeper;
  readonly #work = new SharedWork();
  readonly #stepUps: StepUps;
  readonly #login: Login;

  constructor(site: Site, settings: OAuthSettings, { keeper, proverOf }: MendingParts) {
    this.#site = site;
    this.#settings = settings;
    this.#keeper = keeper;
    this.#stepUps = new StepUps(() => site.now());
    this.registration = new Registration(site, settings);
    const save = (grant: Grant): Promise<void> => keeper.save(grant);
    this.#login = new Login(site, { settings, registration: this.registration, proverOf, save });
  }

  /** Sees to a refusal; see `Authorizer`. */
  async refused(request: AuthorizedRequest, answer: AuthorizedAnswer, sent: AuthorizationFields): Promise<boolean> {
    const refused = readRefusal(answer);
    if (refused.challenge?.scheme === 'dpop' && refused.error === 'use_dpop_nonce') return once(request.tried, 'nonce');
    if (refused.status === 401) return await this.#unauthorized(request, refused, sent);
    if (refused.status !== 403 || refused.error !== 'insufficient_scope') return false;
    return await this.#insufficient(request, refused, sent);
  }

  /** Signs in, whatever there is. */
  async login(refused: Refused, waiter: Waiter): Promise<void> {
    await this.#keeper.ready();
    const before = this.#keeper.grant;
    const work = async (job: Job): Promise<void> => {
      const discovered = await this.#discoverServer(refused, job);
      await this.#signIn({ discovered, refused, before, job });
    };
    while (!(await this.#work.join('login', waiter, work)));
  }

  /** Takes up the login to which an answer belongs, after the page that began it was left. */
  async finish(callback: string, signal: AbortSignal): Promise<void> {
    await this.#login.finish(callback, signal);
  }

  async #unauthorized(request: AuthorizedRequest, refused: Refused, sent: AuthorizationFields): Promise<boolean> {
    const { tried, mayAsk } = request;
    requireOAuth(refused, this.#site);
    requireKind(refused, this.#site);
    // Others may have got something else since it was sent.
    if (this.#isOther(sent)) return once(tried, 'others');
    if (tried.has('new tokens')) throw useless(this.#site, this.#keeper.grant);
    await this.#keeper.load();
    if (this.#isOther(sent) && once(tried, 'others')) return true;
    if (!mayAsk && !this.#keeper.renewable) return false;
    const ours = await this.#work.join(mayAsk ? 'sign in' : 'renew', request, (job) =>
      this.#mend(mayAsk, refused, job),
    );
    if (!this.#isOther(sent)) return ours ? false : await this.#unauthorized(request, refused, sent);
    return once(tried, 'new tokens');
  }

  /** Finds out anew whose the server is: it may have moved. What it granted is renewed, else a person signs in. */
  async #mend(mayAsk: boolean, refused: Refused, job: Job): Promise<void> {
    const before = this.#keeper.grant;
    const discovered = await this.#discoverServer(refused, job);
    const { server, resource } = discovered;
    const isSame =
      before !== undefined && sameIssuer(before.endpoints.issuer, server.issuer) && before.resource === resource;
    if (isSame && (await this.#keeper.renew()) === 'renewed') return;
    if (mayAsk) await this.#signIn({ discovered, refused, before, job });
  }

  async #insufficient(request: AuthorizedRequest, refused: Refused, sent: AuthorizationFields): Promise<boolean> {
    const { tried, mayAsk, about } = request;
    if (!mayAsk || tried.has('scopes')) return false;
    const challenged = refused.scopes ?? [];
    for (;;) {
      const { grant } = this.#keeper;
      if (grant === undefined) return false;
      // Others may have got what was missing since it was sent.
      if (this.#isOther(sent) && missingOf(challenged, grant.scopes).length === 0) return once(tried, 'others');
      const scopes = this.#stepUps.wanted(grant, challenged, about);
      const ours = await this.#work.join(`step up ${scopes.toSorted().join(' ')}`, request, async (job) => {
        this.#stepUps.note(grant, about);
        const discovered = await this.#discoverServer(refused, job);
        await this.#signIn({ discovered, refused, before: grant, job, scopes });
      });
      if (ours) return once(tried, 'scopes');
    }
  }

  async #signIn({ discovered, refused, before, job, scopes }: SigningIn): Promise<void> {
    const { refresh: lasting, options } = this.#settings;
    const bound = isBound(this.#site, refused, discovered);
    const reason = scopes === undefined ? 'login' : 'step-up';
    const wanted = { wanted: scopes ?? refused.scopes, before, always: options.scopes, lasting };
    await this.#login.run({ discovered, scopes: scopesFor(discovered, wanted), reason, bound }, job, async () => {
      await this.#keeper.load();
      return this.#keeper.grant !== undefined && this.#keeper.grant.accessToken !== before?.accessToken;
    });
  }

  async #discoverServer({ resourceMetadata }: Refused, { signal }: Job): Promise<Discovered> {
    const { clients } = this.#settings;
    const known = this.#keeper.grant?.endpoints.issuer;
    const prefer = (issuer: string): boolean =>
      clients.length === 0
        ? known !== undefined && sameIssuer(known, issuer)
        : clients.some((client) => sameIssuer(client.issuer, issuer));
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
  readonly refused: Refused;
  /** The grant that is replaced. */
  readonly before: Grant | undefined;
  readonly job: Job;
  /** More scopes than before, where some were missing. */
  readonly scopes?: readonly string[];
}
