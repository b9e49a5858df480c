/** Accounts of third parties, which the tools of a protected server use on behalf of their callers. */

import { AuthorizationError } from '../common/errors.ts';
import { isScope, unionOf } from '../common/scopes.ts';
import { Consent } from '../consent/consent.ts';
import { refuseUnknown } from '../../options/known-names.ts';
import { refuseOther } from '../../options/known-values.ts';
import type { Grant, Identity } from '../client/grant.ts';
import type { ToolContext } from '../../server/definition/tool-context.ts';
import { ToolError } from '../../server/definition/tool-result.ts';
import { askForAccount } from './account-question.ts';
import { LateVisits } from './late-visits.ts';
import { accountSettings, type AccountSettings, type ConnectAccountOptions } from './options.ts';
import { ThirdParty } from './third-party.ts';

/** A user's token at a third party. Any holder can use the account: keep it out of results and logs. */
export interface AccountToken {
  /** The access token, for `Authorization: Bearer`. */
  readonly token: string;
  /** The granted scopes, if the third party reports them. */
  readonly scopes: readonly string[];
  /** Time at which it expires, in seconds since 1970, if the third party reports it. */
  readonly expiresAt: number | undefined;
  /** The user at the third party, if it reports one (OpenID Connect). */
  readonly identity: Identity;
}

/** The wish for a token. */
export interface AccountWish {
  /** Scopes in addition to those of the options. The user is asked for scopes that were never requested before. */
  readonly scopes?: readonly string[];
  /** A token that the third party's API did not take: another one is got, or the person is asked again. */
  readonly refused?: string;
}

/** Accounts at one third party. */
export interface Account {
  /**
   * A token of the caller's account. If there is none, the user is asked to connect the account, in the way of the
   * client's revision: with a URL elicitation if the client supports it, otherwise with a failed result whose text
   * holds the link. In a prompt or a read of a resource, it is an error whose message holds the link. Calls of one
   * request for the same account ask once. The user consents for each client, identified by the client id of its
   * tokens. Another client of the same user gets no token before a consent for it.
   *
   * In 2026-07-28 asking ends the run, as `ctx.elicitUrl` does: side effects before it belong in `ctx.once`.
   *
   * @throws ToolError if the account is not connected, or cannot be used now; its message is for the model.
   * @throws TypeError if the caller is not authenticated: the server must be protected.
   */
  of(ctx: ToolContext, wish?: AccountWish): Promise<AccountToken>;
  /**
   * Answers a request of a browser for the pages of this account, which lie at `publicUrl` and below; `undefined` for any other
   * request, which is for others.
   *
   * @example
   * export default { fetch: (request) => account.pages(request) ?? guarded.metadata(request) ?? handler(request) };
   */
  pages(request: Request): Promise<Response> | undefined;
  /** The redirect URI, with which the client is to be registered at the third party. */
  readonly redirectUri: string;
  /**
   * Deletes a user's grant, and the consents for all clients: the user is asked again.
   *
   * @param options `revoke` is true by default.
   * @returns True if the third party revoked the tokens. Otherwise they are valid until they expire.
   */
  disconnect(principal: string, options?: { readonly revoke?: boolean }): Promise<{ readonly revoked: boolean }>;
  /** Ends what waits for persons; closing twice is fine. */
  close(): void;
}

/**
 * Makes accounts of a third party (GitHub, Google, …) available to the tools of a protected server. Each person connects their own, on a
 * page of this server: the link is for them alone, and good once. (Spec 2025-11-25, Elicitation, URL Mode for Sensitive Data.)
 *
 * @throws TypeError for options that are unknown, are missing or make no sense.
 *
 * @example
 * const github = connectAccount({
 *   name: 'GitHub',
 *   endpoints: { authorization: 'https://github.com/login/oauth/authorize', token: 'https://github.com/login/oauth/access_token' },
 *   client: { id: 'the-id', secret: 'the-secret' },
 *   scopes: ['repo'],
 *   publicUrl: 'https://mcp.example.com/connect/github',
 *   sessionOf: (request) => whoIs(request.headers.get('cookie')),
 * });
 * server.tool('issues', {}, async (_, ctx) => issuesWith((await github.of(ctx)).token));
 */
export function connectAccount(options: ConnectAccountOptions): Account {
  const settings = accountSettings(options);
  const { publicUrl, serverName, sessionOf, keys, oauth } = settings;
  const thirdParty = new ThirdParty(settings);
  const consent = new Consent({
    publicUrl,
    name: serverName,
    sessionOf,
    store: oauth.store,
    keys,
    party: (id) => (id === thirdParty.id ? thirdParty : undefined),
    now: () => thirdParty.now(),
    onError: (error) => settings.onError(error),
  });
  const closed = new AbortController();
  const asking: Asking = { running: new WeakMap(), late: new LateVisits(closed.signal) };
  return {
    redirectUri: consent.redirectUri,
    pages: (request) => consent.handle(request),
    of: (ctx, wish = {}) => tokenOf(ctx, wish, { settings, thirdParty, consent, closed: closed.signal, asking }),
    async disconnect(principal, { revoke = true } = {}) {
      await consent.forget(principal, thirdParty.id);
      return { revoked: await thirdParty.forget(principal, revoke) };
    },
    close: () => closed.abort(new Error('the account was closed')),
  };
}

interface Parts {
  readonly asking: Asking;
  readonly settings: AccountSettings;
  readonly thirdParty: ThirdParty;
  readonly consent: Consent;
  readonly closed: AbortSignal;
}

/** The questions of one account. */
interface Asking {
  /** The questions of running requests, by their keys. */
  readonly running: WeakMap<ToolContext, Map<string, Promise<void>>>;
  readonly late: LateVisits;
}

/** Asks once in a request: calls that want the same wait for the same answer, and use it later too. */
async function once({ running }: Asking, ctx: ToolContext, key: string, ask: () => Promise<void>): Promise<void> {
  const asked = running.get(ctx) ?? new Map<string, Promise<void>>();
  running.set(ctx, asked);
  const question = asked.get(key) ?? ask();
  asked.set(key, question);
  await question;
}

async function tokenOf(
  ctx: ToolContext,
  wish: AccountWish,
  { settings, thirdParty, consent, closed, asking }: Parts,
): Promise<AccountToken> {
  refuseUnknown('account.of', wish, { scopes: 1, refused: 1 });
  refuseOther('string', 'refused', wish.refused);
  const { name, serverName, waitTimeoutMs } = settings;
  const principal = ctx.auth?.principal;
  if (principal === undefined) throw new TypeError('account.of needs an authenticated caller: protect the server');
  const wanted = unionOf(settings.scopes, wish.scopes ?? []);
  if ((wish.scopes !== undefined && !Array.isArray(wish.scopes)) || !wanted.every(isScope))
    throw new TypeError('scopes must be an array of texts, each one scope');
  const grant = async (): Promise<Grant | undefined> => {
    try {
      return await thirdParty.grant(principal, wanted, wish.refused);
    } catch (cause) {
      if (!(cause instanceof AuthorizationError)) throw cause;
      settings.onError(cause);
      throw new ToolError(`the account at ${name} cannot be used now; try again later`, { cause });
    }
  };
  const about = { principal, party: thirdParty.id, client: ctx.auth?.clientId };
  const isAgreed = async (): Promise<boolean> => await consent.agreed({ ...about, scopes: wanted });
  const known = await grant();
  if (known !== undefined && (await isAgreed())) return tokenIn(known);
  const key = JSON.stringify(['account', thirdParty.id, consent.redirectUri, wanted, wish.refused !== undefined]);
  const scopes = await thirdParty.asked(principal, wanted);
  const isConnected = async (): Promise<boolean> =>
    (await isAgreed()) &&
    (await thirdParty.grant(principal, wanted, wish.refused).catch(() => undefined)) !== undefined;
  await once(asking, ctx, key, () =>
    askForAccount(ctx, {
      isConnected,
      late: asking.late,
      consent,
      about: { ...about, scopes, consentOnly: known !== undefined },
      name,
      serverName,
      key,
      waitTimeoutMs,
      closed,
    }),
  );
  const granted = await grant();
  if (granted === undefined) throw new ToolError(`the account at ${name} was not connected: that failed; try again`);
  return tokenIn(granted);
}

function tokenIn({ accessToken, scopes, expiresAt, identity }: Grant): AccountToken {
  return {
    token: accessToken,
    // RFC 6749, section 3.3, has spaces between them; GitHub has commas.
    scopes: scopes.flatMap((scope) => scope.split(',')),
    expiresAt: expiresAt === undefined ? undefined : Math.floor(expiresAt / 1000),
    identity,
  };
}
