/** Non-interactive authorization, with credentials that the program has already. */

import type {
  Authorization,
  AuthorizedAnswer,
  AuthorizedRequest,
  Authorizer,
  BoundServer,
  AuthorizationFields,
} from '../../common/authorizer.ts';
import { meansIssuer } from '../../common/issuer-name.ts';
import { AuthorizationError } from '../../common/errors.ts';
import { missingOf } from '../../common/scopes.ts';
import { memoryCredentialStore } from '../../../storage/memory-credentials.ts';
import { unlessAborted } from '../../../storage/turns.ts';
import { endpointsOf } from '../endpoints.ts';
import { unguessableText } from '../../common/base64url.ts';
import type { OAuthClient } from '../client-authentication.ts';
import { discoverServer, shownUrl, type Discovered } from '../discovery.ts';
import { DpopProver, keysIn } from '../dpop.ts';
import { grantOf, renewFrom, type Grant } from '../grant.ts';
import type { AuthorizationOptions } from '../options.ts';
import { headerOf, presented } from '../presented.ts';
import {
  isBound,
  isForNonce,
  once,
  readRefusal,
  requireKind,
  requireOAuth,
  scopesFor,
  noRefusal,
  useless,
  type OAuthRefusal,
} from '../refusal.ts';
import { SharedWork, type Job } from '../shared-work.ts';
import { limited, siteOf, type Site } from '../site.ts';
import { StepUps } from '../step-up.ts';
import { isRefusal, type TokenAnswer } from '../token-response.ts';
import type { TokenRequest } from '../token-request.ts';

/** Time limit for requesting tokens, including the program's functions, in milliseconds. */
const maxMs = 30_000;

/** One way in which a machine gets tokens. */
export interface MachineGrant {
  /** The issuer that knows the client. If it is left out, the first one that the server names is used from then on. */
  readonly issuer: string | undefined;
  readonly extensions: Authorization['extensions'];
  /** True when more scopes can be had by asking again. */
  readonly stepsUp: boolean;
  /** Makes the request to the token endpoint. */
  request(about: MachineRequest): Promise<{
    readonly client: OAuthClient;
    readonly grantType: string;
    readonly parameters: Readonly<Record<string, string>>;
  }>;
}

/** The wish of a machine. */
export interface MachineRequest {
  readonly site: Site;
  readonly discovered: Discovered;
  readonly scopes: readonly string[];
  readonly signal: AbortSignal;
}

/** Makes the authorization of a machine. */
export function machine(grant: MachineGrant, options: AuthorizationOptions): Authorization {
  const own = `machine ${unguessableText()}`;
  let bound: { readonly href: string; readonly authorizer: MachineAuthorizer } | undefined;
  return {
    extensions: grant.extensions,
    context: () => own,
    bind(server: BoundServer): Authorizer {
      const { href, origin, pathname } = server.url;
      if (bound !== undefined && bound.href !== href)
        throw new TypeError(
          `this authorization is for another server than ${origin}${pathname}: make another one for it`,
        );
      bound ??= { href, authorizer: new MachineAuthorizer(siteOf(server, options), grant) };
      return bound.authorizer;
    },
  };
}

class MachineAuthorizer implements Authorizer {
  readonly #site: Site;
  readonly #way: MachineGrant;
  readonly #work = new SharedWork();
  readonly #stepUps: StepUps;
  readonly #prover: DpopProver;
  readonly #random = Math.random();
  #issuer: string | undefined;
  #discovered: Discovered | undefined;
  #grant: Grant | undefined;

  constructor(site: Site, way: MachineGrant) {
    this.#site = site;
    this.#way = way;
    this.#issuer = way.issuer;
    this.#stepUps = new StepUps(() => site.now());
    const store = memoryCredentialStore();
    this.#prover = new DpopProver(
      () => keysIn(store, { kind: 'dpop-key', issuer: '' }),
      () => site.now(),
    );
  }

  headers(request: AuthorizedRequest): AuthorizationFields | Promise<AuthorizationFields> {
    const grant = this.#grant;
    if (grant === undefined) return {};
    const now = this.#site.now();
    if (now < renewFrom(grant, this.#random)) return presented(grant, request, () => this.#prover);
    const renewed = this.#renew(request, grant);
    // What still works is used meanwhile.
    if (now < (grant.expiresAt ?? now)) renewed.catch(() => undefined);
    else return this.#presented(renewed, request);
    return presented(grant, request, () => this.#prover);
  }

  async #presented(renewed: Promise<Grant>, request: AuthorizedRequest): Promise<AuthorizationFields> {
    return await presented(await renewed, request, () => this.#prover);
  }

  answered({ url }: AuthorizedRequest, answer: AuthorizedAnswer): void {
    if (this.#grant?.scheme === 'DPoP') this.#prover.answered(url, answer.header('dpop-nonce'));
  }

  async refused(request: AuthorizedRequest, answer: AuthorizedAnswer, sent: AuthorizationFields): Promise<boolean> {
    const refused = readRefusal(answer);
    const { tried } = request;
    if (isForNonce(refused, sent)) return once(tried, 'nonce');
    if (refused.status === 401) {
      requireOAuth(refused, this.#site);
      requireKind(refused, this.#site);
      if (!this.#isSent(sent)) return once(tried, 'others');
      if (!once(tried, 'new tokens')) throw useless(this.#site, this.#grant);
      const { isPublished } = request;
      const obtain = ({ signal }: Job): Promise<void> => this.#obtain({ ...refused, isPublished }, undefined, signal);
      // Other work that was running instead may have failed.
      while (!(await this.#work.join('obtain', request, obtain)) && this.#isSent(sent)) continue;
      return true;
    }
    if (refused.status !== 403 || refused.error !== 'insufficient_scope') return false;
    return await this.#insufficient(request, refused, sent);
  }

  /** True while the rejected credentials are still the current ones. */
  #isSent(sent: AuthorizationFields): boolean {
    return this.#grant === undefined || headerOf(this.#grant) === sent['authorization'];
  }

  async #insufficient(request: AuthorizedRequest, refused: OAuthRefusal, sent: AuthorizationFields): Promise<boolean> {
    const { tried, about, isPublished } = request;
    const challenged = refused.scopes ?? [];
    while (!tried.has('scopes')) {
      const grant = this.#grant;
      if (grant === undefined) return false;
      if (!this.#isSent(sent) && missingOf(challenged, grant.scopes).length === 0) return once(tried, 'others');
      const scopes = this.#stepUps.wanted(grant, challenged, about);
      if (!this.#way.stepsUp) throw unable(grant, scopes);
      const note = (): void => this.#stepUps.note(grant, about);
      const ours = await this.#work.join(`step up ${scopes.join(' ')}`, request, async ({ signal }) => {
        await this.#obtain({ ...refused, isPublished }, scopes, signal).catch((error: unknown) => {
          // A server that cannot be reached did not refuse.
          if (isRefusal(error)) note();
          throw error;
        });
        note();
      });
      if (ours) return once(tried, 'scopes');
    }
    return false;
  }

  /**
   * Requests new tokens before the current one expires, from the known authorization server. A failure keeps the
   * current token.
   */
  async #renew(request: AuthorizedRequest, before: Grant): Promise<Grant> {
    await this.#work
      .join('obtain', request, async ({ signal }) => {
        const known = this.#discovered;
        if (known === undefined) return await this.#obtain(noRefusal, undefined, signal);
        await this.#ask(known, { scopes: before.requested, bound: before.scheme === 'DPoP', signal });
      })
      .catch((error: unknown) => {
        if (request.signal.aborted || !(error instanceof AuthorizationError)) throw error;
        this.#site.tell({ kind: 'warning', message: error.message, issuer: error.issuer });
      });
    return this.#grant ?? before;
  }

  async #obtain(
    refused: OAuthRefusal & Pick<AuthorizedRequest, 'isPublished'>,
    scopes: readonly string[] | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    const prefer = (issuer: string): boolean => this.#issuer !== undefined && meansIssuer(issuer, this.#issuer);
    const { resourceMetadata, isPublished } = refused;
    const discovered = await discoverServer(this.#site, { resourceMetadata, prefer, isPublished }, signal);
    const { issuer, tokenEndpoint } = discovered.server;
    if (this.#issuer !== undefined && !prefer(issuer))
      throw new AuthorizationError(
        'issuer-mismatch',
        `the server has the authorization server ${shownUrl(issuer)} now, and the credentials of this machine are for ${shownUrl(this.#issuer)}: nothing is sent`,
        { issuer },
      );
    if (discovered.guessesTokens === true) {
      const message = `${shownUrl(issuer)} publishes no metadata: that tokens are given at ${shownUrl(tokenEndpoint ?? issuer)} is a guess`;
      this.#site.tell({ kind: 'warning', message, issuer });
    }
    this.#discovered = discovered;
    // From now on the credentials are sent to no other issuer, whatever the outcome.
    this.#issuer ??= issuer;
    const { options } = this.#site;
    const wanted = { wanted: scopes ?? refused.scopes, before: this.#grant, always: options.scopes, lasting: false };
    await this.#ask(discovered, {
      scopes: scopesFor(discovered, wanted),
      bound: isBound(this.#site, refused, discovered),
      signal,
    });
  }

  async #ask(
    discovered: Discovered,
    {
      scopes,
      bound,
      signal,
    }: { readonly scopes: readonly string[]; readonly bound: boolean; readonly signal: AbortSignal },
  ): Promise<void> {
    const { resource, server } = discovered;
    const endpoints = endpointsOf(server);
    const prover = bound ? this.#prover : undefined;
    const asked = { endpoints, prover, discovered, scopes };
    const late = (): AuthorizationError => tooLate(endpoints.issuer);
    const { answer, client } = await limited({ ms: maxMs, signal, late }, (soon) =>
      // A program's function may never settle, and later callers would wait for it too.
      unlessAborted(this.#answer({ ...asked, signal: soon }), soon),
    );
    const context = {
      resource,
      client,
      endpoints,
      requested: scopes,
      now: this.#site.now(),
      before: undefined,
    };
    this.#grant = grantOf(answer, context);
    const { expiresAt } = this.#grant;
    this.#site.tell({ kind: 'granted', issuer: endpoints.issuer, resource, scopes: this.#grant.scopes, expiresAt });
  }

  /** Requests tokens with the client's credentials. Returns them with the client id. */
  async #answer({
    endpoints,
    prover,
    discovered,
    scopes,
    signal,
  }: Pick<TokenRequest, 'endpoints' | 'prover'> & Omit<MachineRequest, 'site'>): Promise<{
    readonly answer: TokenAnswer;
    readonly client: string;
  }> {
    const site = this.#site;
    const { client, grantType, parameters } = await this.#way.request({ site, discovered, scopes, signal });
    const { requestTokens } = await import('../token-request.ts');
    signal.throwIfAborted();
    const answer = await requestTokens(site, {
      endpoints,
      client,
      grantType,
      parameters: { ...parameters, ...(scopes.length === 0 ? {} : { scope: scopes.join(' ') }) },
      resource: discovered.resource,
      prover,
      signal,
    });
    return { answer, client: client.id };
  }
}

function tooLate(issuer: string): AuthorizationError {
  const words = `the credentials for ${issuer} were not provided, or not answered, within ${maxMs / 1000} s`;
  return new AuthorizationError('timeout', words, { issuer });
}

function unable({ endpoints: { issuer } }: Grant, scopes: readonly string[]): AuthorizationError {
  const words = `the server wants the scopes ${scopes.join(' ')}, for which this machine cannot ask`;
  return new AuthorizationError('insufficient-scope', words, { issuer, scopes });
}
