/**
 * A user consents, on a page of ours, that we access the user's account at a third party.
 *
 * The flow is the same wherever a server serves many users and needs a grant of each: a third party's account in a tool
 * (`connectAccount`), or a bridge's grant at the server behind it. The caller calls `invite`, has the user open the
 * URL, and waits for the `outcome`. The third party's own part is its `ConsentParty`: where the user is sent (`begin`,
 * after the consent) and how the answer is used (`finish`). The code in `oauth/` requests, checks, stores and renews
 * grants.
 *
 * 1. The URL has a sealed visit in it: the user, the purpose, the expiry. It cannot be read or changed.
 * 2. `sessionOf` identifies the user at the browser. Any other user is rejected, so that a forwarded link
 * cannot connect one user's account to another user. (Spec 2025-11-25, Elicitation, Phishing.)
 * 3. The page names the requestor, the purpose and the destination. Its form holds a token that is bound to a cookie of
 * the browser.
 * The page is skipped if this user consented to the same for the same client before, and no header suggests that
 * another site led the user here.
 * 4. After the consent, the visit is used up. A cookie then allows only this browser to bring back the answer, once.
 * 5. The answer is checked, and the grant is stored under the principal of the visit.
 *
 * Several processes may share the store, and must then share the keys: any of them may handle any of these steps.
 */

import { AuthorizationError } from '../common/errors.ts';
import { hasFields } from '../common/fields.ts';
import { jsonOf } from '../common/document.ts';
import { missingOf, scopesOf, unionOf } from '../common/scopes.ts';
import { unguessableText } from '../common/base64url.ts';
import { after } from '../../jsonrpc/timeout.ts';
import { createSeal, type Seal } from '../../sealing/seal.ts';
import type { SealingKey } from '../../sealing/sealing-key.ts';
import type { CredentialKey, CredentialStore } from '../../storage/credentials.ts';
import { unlessAborted } from '../../storage/turns.ts';
import { cookieOf, readForm, fromOf, isNoVisit, isOwnForm } from './browser-request.ts';
import { consentPage, noticePage, onwardPage, consentHeaders, type NoticeKind } from './page.ts';
import { ConsentSessions, type ConsentOutcome, type ConsentSession } from './consent-sessions.ts';

/** A third party, of which a person's account is wanted. */
export interface ConsentParty {
  /** Its name, as people know it. */
  readonly name: string;
  /**
   * The host to which the user will be sent.
   *
   * @throws AuthorizationError if it cannot be found.
   */
  host(visit: ConsentSession, signal: AbortSignal): Promise<string>;
  /**
   * Prepares the redirect after the consent: stores the expected answer.
   *
   * @returns The authorization URL, with its `state`; `undefined` if there is nothing left to request.
   * @throws AuthorizationError
   */
  begin(visit: ConsentSession, signal: AbortSignal): Promise<string | undefined>;
  /**
   * Checks the answer, and stores the grant for the principal of the visit. Called once for a visit.
   *
   * @param callback The URL to which the browser came back: the redirect URI with the unchanged parameters.
   * @throws AuthorizationError
   */
  finish(visit: ConsentSession, callback: string, signal: AbortSignal): Promise<void>;
}

/**
 * Identifies the user at a browser, for example by its cookies.
 *
 * @returns The principal, in the form of `ctx.auth.principal`; `undefined` if no user is signed in; or a response to
 * send instead of the page, such as
 * a redirect to the login.
 */
export type SessionOf = (request: Request) => string | Response | undefined | Promise<string | Response | undefined>;

/** The needs of the pages. */
export interface ConsentOptions {
  /** URL of the page, by which browsers reach it; below it lies the redirect URI. */
  readonly publicUrl: URL;
  /** Name of the requestor, as users know it. */
  readonly name: string;
  readonly sessionOf: SessionOf;
  readonly store: CredentialStore;
  /** The keys that seal visits; without keys one is made for this process alone. */
  readonly keys: readonly SealingKey[] | undefined;
  /** Finds a third party by the name that a visit has. */
  party(name: string): ConsentParty | undefined;
  now(): number;
  /** Receives the reason of a failed visit. */
  onError(error: unknown): void;
}

/** Invitation of a person to the page. */
export interface ConsentLink {
  /** The URL that the person is to open; nothing personal can be read in it. */
  readonly url: string;
  readonly visit: ConsentSession;
}

/** Time that a person may take for each of the two ways, in milliseconds. */
export const visitMs = 600_000;

/** The longest that the work for one request of a browser takes, in milliseconds. */
const maxMs = 30_000;

/** The path of the redirect URI, below the page's. */
const callbackPath = '/callback';

const formCookie = 'parley-consent';
const stateCookie = 'parley-state';

/** The pages at which persons agree. */
export class Consent {
  /** URL to which authorization servers send browsers back. */
  readonly redirectUri: string;
  readonly #options: ConsentOptions;
  readonly #seal: Seal;
  readonly #visits: ConsentSessions;
  readonly #path: string;

  constructor(options: ConsentOptions) {
    const { publicUrl, store, keys } = options;
    this.#options = options;
    this.#path = publicUrl.pathname.replace(/\/$/, '');
    this.redirectUri = `${publicUrl.origin}${this.#path}${callbackPath}`;
    this.#seal = createSeal(keys, { purpose: 'consent' });
    this.#visits = new ConsentSessions({ store, seal: this.#seal, now: () => options.now(), ms: visitMs });
  }

  /** Makes the URL for a user. Nothing is stored before the user answers. */
  async invite(about: Omit<ConsentSession, 'id' | 'until'>): Promise<ConsentLink> {
    const visit = this.#visits.make(about);
    const { origin } = this.#options.publicUrl;
    return { visit, url: `${origin}${this.#path || '/'}?visit=${await this.#visits.sealed(visit, this.#page)}` };
  }

  /** The visit of a URL that `invite` made; `undefined` for one that is over. */
  async visitOf(url: string): Promise<ConsentSession | undefined> {
    return await this.#visits.opened(new URL(url).searchParams.get('visit') ?? '', this.#page);
  }

  /**
   * Waits until a visit is over.
   *
   * @param isGranted Tells from time to time whether another visit had the awaited outcome: a user may have been sent
   *   several times.
   * @throws The reason of the signal.
   */
  async outcome(
    visit: ConsentSession,
    signal: AbortSignal,
    isGranted: () => Promise<boolean> = async () => false,
  ): Promise<ConsentOutcome> {
    return await this.#visits.outcome(visit, signal, isGranted);
  }

  /** Deletes a user's consents for all clients, so that the user is asked again. */
  async forget(principal: string, party: string): Promise<void> {
    const { store } = this.#options;
    for (const key of await store.keys('consent'))
      if (key.principal === principal && key.issuer === party) await store.write(key, undefined);
  }

  /** The clients that a person agreed to. */
  async clients(principal: string, party: string): Promise<readonly string[]> {
    const keys = await this.#options.store.keys('consent');
    const theirs = keys.filter((key) => key.principal === principal && key.issuer === party);
    return theirs.flatMap(({ client = [] }) => client);
  }

  /** Tells whether a person agreed that a client uses the account, with these scopes. (Spec, Confused Deputy Problem.) */
  async agreed(about: GivenConsent): Promise<boolean> {
    const kept = await this.#options.store.read(consentKey(about));
    const value = kept === undefined ? undefined : jsonOf(kept.text);
    return hasFields(value) && missingOf(about.scopes, scopesOf(value['scopes'])).length === 0;
  }

  /** Answers a request of a browser for one of the pages; `undefined` for any other request. */
  handle(request: Request): Promise<Response> | undefined {
    const { pathname } = new URL(request.url);
    const path = pathname === '/' ? '' : pathname;
    if (path !== this.#path && path !== `${this.#path}/` && path !== `${this.#path}${callbackPath}`) return undefined;
    return this.#answered(request, path.endsWith(callbackPath) && path !== this.#path);
  }

  async #answered(request: Request, isCallback: boolean): Promise<Response> {
    const controller = new AbortController();
    const late = new AuthorizationError('timeout', `a page was not made within ${maxMs / 1000} s`);
    const stop = after(maxMs, () => controller.abort(late), true);
    try {
      const { method } = request;
      if (isNoVisit(request)) return notice('framed', 403);
      if (method === 'GET')
        return await (isCallback ? this.#back(request, controller.signal) : this.#visited(request, controller.signal));
      if (method === 'POST' && !isCallback) return await this.#answer(request, controller.signal);
      return new Response(null, { status: 405, headers: { Allow: isCallback ? 'GET' : 'GET, POST' } });
    } catch (error) {
      this.#options.onError(error);
      return notice('failed', 503);
    } finally {
      stop();
    }
  }

  /** The person opens the URL. */
  async #visited(request: Request, signal: AbortSignal): Promise<Response> {
    const visited = await this.#admitted(request, new URL(request.url).searchParams.get('visit'), signal);
    if (visited instanceof Response) return visited;
    const { visit } = visited;
    // Another site may have led the user here. A request without the header may come from such a site.
    const isTheirs = fromOf(request) !== 'elsewhere or unknown';
    if (isTheirs && (await this.agreed(visit))) return await this.#sendOn(visit, signal);
    return await this.#ask(request, visited, { status: 200, signal });
  }

  /** The person answers. */
  async #answer(request: Request, signal: AbortSignal): Promise<Response> {
    const form = await unlessAborted(readForm(request), signal);
    if (form === undefined) return notice('over', 400);
    const visited = await this.#admitted(request, form.get('visit'), signal);
    if (visited instanceof Response) return visited;
    const { visit } = visited;
    const nonce = cookieOf(request, this.#cookieName(formCookie));
    const isTheirs =
      isOwnForm(request, this.#options.publicUrl.origin) &&
      nonce !== undefined &&
      (await this.#seal.open(form.get('token') ?? '', this.#form(nonce))) === visit.id;
    const answer = form.get('answer');
    if (!isTheirs || (answer !== 'approve' && answer !== 'decline'))
      return await this.#ask(request, visited, { status: 403, signal });
    if (answer === 'approve') return await this.#sendOn(visit, signal);
    return (await this.#visits.answer(visit, 'declined')) ? notice('declined', 200) : notice('used', 410);
  }

  /** The visit of a request, if the user at the browser is its user; otherwise the page with the reason. */
  async #admitted(request: Request, sealed: string | null, signal: AbortSignal): Promise<Admitted | Response> {
    const visit = await this.#visits.opened(sealed ?? '', this.#page);
    if (visit === undefined) return notice('over', 410);
    const who = await this.#who(request, signal);
    if (who instanceof Response) return who;
    // A 401 would need an authentication scheme (RFC 9110, section 15.5.2), but a site has its own login pages.
    if (who === undefined) return notice('nobody', 403);
    if (who !== visit.principal) return notice('stranger', 403);
    if (await this.#visits.isUsed(visit)) return notice('used', 410);
    const party = this.#options.party(visit.party);
    return party === undefined ? notice('over', 410) : { visit, sealed: sealed ?? '', party };
  }

  /** Finds out who sits there, which may take a program long. */
  async #who(request: Request, signal: AbortSignal): Promise<string | Response | undefined> {
    return await unlessAborted(Promise.resolve(this.#options.sessionOf(request)), signal);
  }

  async #ask(
    request: Request,
    { visit, sealed, party }: Admitted,
    { status, signal }: { readonly status: number; readonly signal: AbortSignal },
  ): Promise<Response> {
    const { publicUrl, name } = this.#options;
    // Pages in several windows share it.
    const kept = cookieOf(request, this.#cookieName(formCookie));
    const nonce = kept !== undefined && /^[\w-]{43}$/.test(kept) ? kept : unguessableText();
    const token = await this.#seal.seal(visit.id, this.#form(nonce));
    const { scopes, by, client, consentOnly } = visit;
    const destination = consentOnly === true ? undefined : await party.host(visit, signal);
    const words = { requester: name, host: publicUrl.host, party: party.name, destination, scopes, by, client };
    const page = consentPage(words, { action: this.#path || '/', fields: { visit: sealed, token } });
    return answered(status, page, [this.#cookie(formCookie, nonce)]);
  }

  /** Sends the person on, who agreed. */
  async #sendOn(visit: ConsentSession, signal: AbortSignal): Promise<Response> {
    if (!(await this.#visits.answer(visit, 'sent'))) return notice('used', 410);
    try {
      await this.#agree(visit);
      const url = await this.#options.party(visit.party)?.begin(visit, signal);
      if (url === undefined) return await this.#granted(visit);
      const state = new URL(url).searchParams.get('state') ?? '';
      const cookie = await this.#visits.sealed(this.#visits.sent(visit), this.#state(state));
      return answered(200, onwardPage(url), [this.#cookie(stateName(state), cookie)]);
    } catch (error) {
      return await this.#failed(visit, error);
    }
  }

  /** The person is back from the authorization server. */
  async #back(request: Request, signal: AbortSignal): Promise<Response> {
    const { searchParams, search } = new URL(request.url);
    const [state = '', ...others] = searchParams.getAll('state');
    const cookie = others.length === 0 ? cookieOf(request, this.#cookieName(stateName(state))) : undefined;
    const ticket = cookie === undefined ? undefined : await this.#visits.opened(cookie, this.#state(state));
    if (ticket === undefined) return notice('unawaited', 400);
    const who = await this.#who(request, signal);
    // A cookie that is not sent from other sites leaves it open; the one of this visit is the browser's that agreed.
    if (typeof who === 'string' && who !== ticket.principal) return notice('stranger', 403);
    const isOver = [this.#cookie(stateName(state), '', 0)];
    const visit = await this.#visits.back(ticket);
    if (visit === undefined) return notice('used', 410, isOver);
    try {
      const party = this.#options.party(visit.party);
      if (party === undefined) return notice('over', 410, isOver);
      await party.finish(visit, `${this.redirectUri}${search}`, signal);
      return await this.#granted(visit, isOver);
    } catch (error) {
      return await this.#failed(visit, error, isOver);
    }
  }

  async #granted(visit: ConsentSession, cookies: readonly string[] = []): Promise<Response> {
    await this.#visits.end(visit, 'granted');
    return notice('granted', 200, cookies);
  }

  async #failed(visit: ConsentSession, error: unknown, cookies: readonly string[] = []): Promise<Response> {
    const isDenied = error instanceof AuthorizationError && error.reason === 'denied';
    await this.#visits.end(visit, isDenied ? 'declined' : 'failed');
    if (isDenied) return notice('declined', 200, cookies);
    this.#options.onError(error);
    return notice('failed', 502, cookies);
  }

  async #agree(visit: ConsentSession): Promise<void> {
    const { scopes } = visit;
    const key = consentKey(visit);
    const kept = await this.#options.store.read(key);
    const value = kept === undefined ? undefined : jsonOf(kept.text);
    const before = hasFields(value) ? scopesOf(value['scopes']) : [];
    await this.#options.store.write(key, JSON.stringify({ scopes: unionOf(before, scopes) }));
  }

  /** Binding of a visit in a URL. */
  get #page(): string {
    return `visit ${this.redirectUri}`;
  }

  #form(nonce: string): string {
    return `form ${this.redirectUri} ${nonce}`;
  }

  #state(state: string): string {
    return `state ${this.redirectUri} ${state}`;
  }

  /** RFC 6265bis, section 4.1.3.2: no other host and no page without encryption sets it. On this machine there may be no encryption. */
  #cookieName(name: string): string {
    return this.#options.publicUrl.protocol === 'https:' ? `__Host-${name}` : name;
  }

  #cookie(name: string, value: string, seconds: number = visitMs / 1000): string {
    const secure = this.#options.publicUrl.protocol === 'https:' ? '; Secure' : '';
    return `${this.#cookieName(name)}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure}`;
  }
}

/** A visit of who sits there. */
interface Admitted {
  readonly visit: ConsentSession;
  readonly sealed: string;
  readonly party: ConsentParty;
}

/** The consent of a person: to what, for which client, and with which scopes. */
export type GivenConsent = Pick<ConsentSession, 'principal' | 'party' | 'client' | 'scopes'>;

function consentKey({ principal, party, client }: Omit<GivenConsent, 'scopes'>): CredentialKey {
  return { kind: 'consent', issuer: party, principal, ...(client === undefined ? {} : { client }) };
}

/** Each login that is under way has a cookie of its own. */
function stateName(state: string): string {
  return `${stateCookie}-${state.replaceAll(/[^\w-]/g, '').slice(0, 12)}`;
}

function notice(of: NoticeKind, status: number, cookies: readonly string[] = []): Response {
  return answered(status, noticePage(of), cookies);
}

function answered(status: number, page: string, cookies: readonly string[]): Response {
  const headers = new Headers(consentHeaders);
  for (const cookie of cookies) headers.append('Set-Cookie', cookie);
  return new Response(page, { status, headers });
}
