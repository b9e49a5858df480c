/** Signs a user in: from discovered metadata to tokens. */

import { fetchAnswer } from '../../common/document.ts';
import { AuthorizationError } from '../../common/errors.ts';
import type { ServerMetadata } from '../../common/metadata.ts';
import type { OpenRedirect } from '../../common/redirect.ts';
import type { CredentialKey, CredentialStore } from '../../../storage/credentials.ts';
import { unlessAborted } from '../../../storage/turns.ts';
import {
  authorizationRequest,
  judgedCode,
  pendingText,
  readPending,
  requireCodes,
  stateOf,
  type PendingLogin,
} from './authorization-request.ts';
import { shownUrl } from '../discovery.ts';
import { asOnlyOne } from './lease.ts';
import { keepTokens, type LoginJob, type LoginParts, type LoginRequest } from './login-parts.ts';
import { spelling, type RegisteredClient } from './registration.ts';
import type { Job } from '../shared-work.ts';
import { fetching, limited, type Site } from '../site.ts';
import { requestTokens } from '../token-request.ts';

/** Signs people in at one server. */
export class Login {
  readonly #site: Site;
  readonly #parts: LoginParts;

  constructor(site: Site, parts: LoginParts) {
    this.#site = site;
    this.#parts = parts;
  }

  /**
   * Signs a user in, unless another process that shares the store did so meanwhile.
   *
   * @param done Tells whether another one did.
   * @throws AuthorizationError
   */
  async run(wanted: LoginRequest, job: Job, done: () => Promise<boolean>): Promise<void> {
    const { server, resource } = wanted.discovered;
    const ask = await this.#wayToAsk(wanted);
    const { loginTimeoutMs: ms, store, account } = this.#parts.settings;
    const late = (): AuthorizationError =>
      new AuthorizationError(
        'timeout',
        `the user did not sign in at ${shownUrl(server.issuer)} within ${ms / 1000} s; try again`,
        {
          issuer: server.issuer,
        },
      );
    const key: CredentialKey = { kind: 'login', issuer: server.issuer, resource, account };
    await limited({ ms, signal: job.signal, late }, (signal) => {
      const waiting = (person: boolean): void => job.asking(person);
      return asOnlyOne({ store, key, signal, waiting }, done, (only) => ask({ signal, asking: waiting, only }));
    });
  }

  /** The way in which the person is asked, which the authorization server must have. */
  async #wayToAsk(wanted: LoginRequest): Promise<(job: LoginJob) => Promise<void>> {
    const { device: show } = wanted;
    if (show !== undefined)
      return (await import('./device.ts')).deviceLogin(this.#site, this.#parts, { ...wanted, show });
    requireCodes(wanted.discovered.server);
    return (job) => this.#ask(wanted, job);
  }

  /**
   * Takes up the login to which an answer belongs, after the page that began it was left.
   *
   * @throws AuthorizationError `invalid-response` for an answer to no login that is under way here.
   */
  async finish(callback: string, signal: AbortSignal): Promise<void> {
    const { settings, registration } = this.#parts;
    const state = stateOf(callback);
    const kept = state === undefined ? undefined : await settings.store.read(pendingKey(state));
    const pending = readPending(kept?.text);
    // An attacker could send a user the answer to the attacker's own login, so that the user would use the attacker's
    // grant.
    const isOurs =
      pending?.server === this.#site.server.href &&
      pending.account === settings.account &&
      this.#site.now() - pending.at <= settings.loginTimeoutMs;
    // An answer is used once, whatever its content.
    const ifGeneration = kept?.generation ?? null;
    const isFirst = isOurs && (await settings.store.write(pendingKey(pending.state), undefined, { ifGeneration }));
    if (!isFirst)
      throw new AuthorizationError(
        'invalid-response',
        'the answer belongs to no login that is under way here: sign in again',
      );
    const client = await registration.find(pending);
    if (client === undefined)
      throw new AuthorizationError(
        'invalid-client',
        `the registration of the client at ${shownUrl(pending.endpoints.issuer)} is gone: sign in again`,
        {
          issuer: pending.endpoints.issuer,
        },
      );
    // A program that serves many persons asks for more by a login too.
    const isStepUp = pending.isStepUp === true ? true : undefined;
    await this.#redeem(judgedCode(callback, pending), { pending: { ...pending, isStepUp }, client, signal });
  }

  /** A registration that the authorization server no longer knows is made again once. */
  async #ask(wanted: LoginRequest, job: LoginJob): Promise<void> {
    const { registration, settings } = this.#parts;
    const { discovered, reason, scopes } = wanted;
    const { server } = discovered;
    const about = { issuer: server.issuer, reason, scopes };
    for (let again = false; ; again = true) {
      const open = await settings.redirect.open(await registration.redirectUris(server), job.signal, about);
      try {
        const client = await this.#client(wanted, open, job.signal);
        // If the server registers clients at a guessed endpoint, the guessed page exists too.
        if (discovered.guesses === true && !client.dynamic) await lookAtGuess(this.#site, server, job.signal);
        try {
          return await this.#visit(wanted, { open, client, job });
        } catch (error) {
          if (!(error instanceof AuthorizationError)) throw error;
          if (error.reason === 'timeout' && client.dynamic) await registration.suspect(server.issuer, client.id);
          if (error.code !== 'invalid_client' || !client.dynamic || again) throw error;
          await registration.forget(server.issuer, client.id);
        }
      } finally {
        open.close();
      }
    }
  }

  async #client(
    { discovered: { server } }: LoginRequest,
    { redirectUri }: OpenRedirect,
    signal: AbortSignal,
  ): Promise<RegisteredClient> {
    const { registration, settings } = this.#parts;
    const redirectUris = [redirectUri, ...settings.redirect.redirectUris.filter((one) => one !== redirectUri)];
    const client = await registration.client(server, { redirectUris }, signal);
    if (client.doubtful !== true || !(await isForgotten(this.#site, { server, client, redirectUri, signal })))
      return client;
    await registration.forget(server.issuer, client.id);
    return await registration.client(server, { redirectUris }, signal);
  }

  async #visit(
    { discovered, scopes, reason, bound, asked }: LoginRequest,
    { open, client, job }: { readonly open: OpenRedirect; readonly client: RegisteredClient; readonly job: LoginJob },
  ): Promise<void> {
    const { server, resource } = discovered;
    const { issuer } = server;
    const { store, account } = this.#parts.settings;
    const { options, now, tell } = this.#site;
    const redirectUri = spelling(open.redirectUri, client.redirectUris ?? []) ?? open.redirectUri;
    const { url, pending: asking } = await authorizationRequest({
      server,
      client: client.id,
      redirectUri,
      resource,
      scopes,
      bound,
      mcpServer: this.#site.server,
      account,
      namesResource: options.resourceParameter !== 'omit',
      more: options.parameters?.authorization,
      now: now(),
    });
    const pending: PendingLogin = { ...asking, isStepUp: reason === 'step-up' };
    await forgetAbandoned(store, now());
    await store.write(pendingKey(pending.state), pendingText(pending));
    let keep = false;
    try {
      const signal = AbortSignal.any([job.signal, job.only.lost]);
      // The user must not see a page that leads nowhere, or a second one.
      await job.only.require();
      signal.throwIfAborted();
      asked?.();
      tell({ kind: 'asked', issuer, reason, scopes });
      job.asking(true);
      const request = { url, redirectUri, state: pending.state, reason, issuer, scopes };
      const callback = await unlessAborted(open.visit(request, signal), signal).finally(() => job.asking(false));
      await this.#redeem(judgedCode(callback, pending), { pending, client, signal: job.signal });
    } catch (error) {
      // The page is left, and its answer comes to another one.
      keep = error instanceof AuthorizationError && error.reason === 'login-required';
      throw error;
    } finally {
      // If it cannot be deleted, it is deleted later.
      if (!keep) await store.write(pendingKey(pending.state), undefined).catch(() => undefined);
    }
  }

  async #redeem(
    code: string,
    {
      pending,
      client,
      signal,
    }: { readonly pending: PendingLogin; readonly client: RegisteredClient; readonly signal: AbortSignal },
  ): Promise<void> {
    const { endpoints, redirectUri, verifier, resource, requested, bound, isStepUp } = pending;
    const answer = await requestTokens(this.#site, {
      endpoints,
      client,
      grantType: 'authorization_code',
      parameters: { code, redirect_uri: redirectUri, code_verifier: verifier },
      resource,
      prover: bound ? this.#parts.proverOf(endpoints.issuer) : undefined,
      signal,
    });
    await keepTokens(this.#site, this.#parts, [answer, { endpoints, client, resource, requested, isStepUp }]);
  }
}

/** Age at which a login counts as abandoned, in milliseconds. */
const abandonedMs = 86_400_000;

/** Deletes abandoned logins: the user did not come back, or the process was ended. */
async function forgetAbandoned(store: CredentialStore, now: number): Promise<void> {
  for (const key of await store.keys('login')) {
    const kept = key.resource === undefined ? await store.read(key) : undefined;
    const pending = readPending(kept?.text);
    if (kept === undefined || pending === undefined || now - pending.at <= abandonedMs) continue;
    await store.write(key, undefined, { ifGeneration: kept.generation });
  }
}

function pendingKey(state: string): CredentialKey {
  return { kind: 'login', issuer: state };
}

/** The statuses of a path without a sign-in page: it does not exist, or itself requires a login. */
const vacancies: ReadonlySet<number> = new Set([401, 404, 405, 410, 501]);

/**
 * Checks that a guessed page exists, before a user is sent there, and reports that it is a guess.
 *
 * @throws AuthorizationError `discovery` if there is none. A page that cannot be checked may exist.
 */
async function lookAtGuess(
  site: Site,
  { issuer, authorizationEndpoint: url = issuer }: ServerMetadata,
  signal: AbortSignal,
): Promise<void> {
  const answer = await fetchAnswer(url, 'the authorization endpoint', fetching(site, signal)).catch(() => undefined);
  signal.throwIfAborted();
  if (answer !== undefined && vacancies.has(answer.status))
    throw new AuthorizationError(
      'discovery',
      `${shownUrl(issuer)} publishes no metadata, and has no page at ${shownUrl(url)}, the default sign-in page (HTTP ${answer.status}); give its endpoints with the option servers`,
      { issuer },
    );
  const message = `${shownUrl(issuer)} publishes no metadata: that people sign in at ${shownUrl(url)} is a guess`;
  site.tell({ kind: 'warning', message, issuer });
}

/** The statuses with which an authorization server may refuse a client by itself. */
const refusals: ReadonlySet<number> = new Set([400, 401, 403, 422]);

/**
 * True if an authorization server has forgotten a registration. It would show that only to the user, on a page without
 * a redirect. So the page is requested first, without a user. RFC 6749, section 4.1.2.1: every error except one about
 * the client or its redirect URI is redirected. If this cannot be checked, the client counts as known.
 */
async function isForgotten(
  site: Site,
  {
    server,
    client,
    redirectUri,
    signal,
  }: {
    readonly server: ServerMetadata;
    readonly client: RegisteredClient;
    readonly redirectUri: string;
    readonly signal: AbortSignal;
  },
): Promise<boolean> {
  // No login is stored for this request, so an answer to it would be ignored.
  const { url } = await authorizationRequest({
    server,
    client: client.id,
    redirectUri: spelling(redirectUri, client.redirectUris ?? []) ?? redirectUri,
    resource: '',
    scopes: [],
    bound: false,
    mcpServer: site.server,
    account: undefined,
    namesResource: false,
    more: undefined,
    now: site.now(),
  });
  const answer = await fetchAnswer(url, 'the authorization endpoint', fetching(site, signal)).catch(() => undefined);
  return answer !== undefined && refusals.has(answer.status);
}
