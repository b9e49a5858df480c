/** The requests of a user at one server: they carry the grant, which is renewed before it expires. */

import { loadedOnce } from '../../../options/loaded-once.ts';
import type { AuthorizedAnswer, AuthorizedRequest, Authorizer, AuthorizationFields } from '../../common/authorizer.ts';
import { AuthorizationError } from '../../common/errors.ts';
import { DpopProver, keysIn } from '../dpop.ts';
import { GrantKeeper } from './grant-keeper.ts';
import type { AuthorizationRecovery } from './authorization-recovery.ts';
import type { OAuthSettings } from './oauth-options.ts';
import { headerOf, presented } from '../presented.ts';
import type { Site } from '../site.ts';

/** Authorizes requests as a person, at one server. */
export class PersonAuthorizer implements Authorizer {
  readonly keeper: GrantKeeper;
  readonly #site: Site;
  readonly #settings: OAuthSettings;
  readonly #provers = new Map<string, DpopProver>();
  /** Header field that a page came back with, until the server takes it. */
  #unproven: string | undefined;

  constructor(site: Site, settings: OAuthSettings) {
    this.#site = site;
    this.#settings = settings;
    const { store, account, refresh } = settings;
    this.keeper = new GrantKeeper(site, {
      store,
      account,
      refresh,
      clientOf: async (grant) => (await this.recovery()).registration.find(grant),
      clientLost: async ({ endpoints, client }, message) =>
        (await this.recovery()).registration.forget(endpoints.issuer, client, message),
      proverOf: ({ scheme, endpoints }) => (scheme === 'DPoP' ? this.#proverOf(endpoints.issuer) : undefined),
    });
  }

  /** The code for refusals, loaded by the first one. A valid stored grant needs none of it. */
  readonly recovery: () => Promise<AuthorizationRecovery> = loadedOnce(async () => {
    const late = await import('./authorization-recovery.ts');
    const parts = { keeper: this.keeper, proverOf: (issuer: string) => this.#proverOf(issuer) };
    return new late.AuthorizationRecovery(this.#site, this.#settings, parts);
  });

  headers(request: AuthorizedRequest): AuthorizationFields | Promise<AuthorizationFields> {
    // After a refusal, the recovery has already renewed the token if needed.
    const due = request.tried.size > 0 ? 'no' : this.keeper.due();
    // A valid token is used while it is renewed. A failure is reported once it is no longer valid.
    if (due === 'soon') void this.#renewed();
    const ready = this.keeper.ready();
    return ready === undefined && due !== 'expired' ? this.#fields(request) : this.#late(request, ready);
  }

  async #late(request: AuthorizedRequest, ready: Promise<void> | undefined): Promise<AuthorizationFields> {
    await ready;
    // A token that cannot be renewed now is sent unchanged: the server checks it, and its clock may differ.
    if (request.tried.size === 0 && this.keeper.due() === 'expired') await this.#renewed();
    return await this.#fields(request);
  }

  answered({ url }: AuthorizedRequest, answer: AuthorizedAnswer): void {
    if (answer.status !== 401) this.#unproven = undefined;
    const { grant } = this.keeper;
    if (grant?.scheme === 'DPoP') this.#proverOf(grant.endpoints.issuer).answered(url, answer.header('dpop-nonce'));
  }

  rest(): Promise<void> {
    return this.keeper.rest();
  }

  async refused(request: AuthorizedRequest, answer: AuthorizedAnswer, sent: AuthorizationFields): Promise<boolean> {
    // Another login would have the same result, and the page would never be finished.
    if (this.#unproven !== undefined && this.#unproven === sent['authorization']) request.tried.add('new tokens');
    return (await this.recovery()).refused(request, answer, sent);
  }

  /** Takes up the login to which an answer belongs, after the page that began it was left. */
  async finish(callback: string, signal: AbortSignal): Promise<void> {
    await (await this.recovery()).finish(callback, signal);
    const { grant } = this.keeper;
    this.#unproven = grant === undefined ? undefined : headerOf(grant);
  }

  #fields(request: AuthorizedRequest): AuthorizationFields | Promise<AuthorizationFields> {
    const { grant } = this.keeper;
    return grant === undefined ? {} : presented(grant, request, () => this.#proverOf(grant.endpoints.issuer));
  }

  async #renewed(): Promise<void> {
    try {
      await this.keeper.renew();
    } catch (error) {
      if (error instanceof AuthorizationError)
        this.#site.tell({ kind: 'warning', message: error.message, issuer: error.issuer });
    }
  }

  #proverOf(issuer: string): DpopProver {
    const { store, account } = this.#settings;
    const known = this.#provers.get(issuer);
    const prover =
      known ??
      new DpopProver(
        () => keysIn(store, { kind: 'dpop-key', issuer, account }),
        () => this.#site.now(),
      );
    if (known === undefined) this.#provers.set(issuer, prover);
    return prover;
  }
}
