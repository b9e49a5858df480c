/** The authorization of one principal's connections by tokens that are got in exchange for the caller's. (RFC 8693.) */

import type {
  Authorization,
  AuthorizationFields,
  AuthorizedAnswer,
  AuthorizedRequest,
  Authorizer,
  BoundServer,
} from '../../auth/common/authorizer.ts';
import { parseChallenges } from '../../auth/common/challenge.ts';
import { AuthorizationError } from '../../auth/common/errors.ts';
import { canonicalResource } from '../../auth/common/resource-url.ts';
import { missingOf, scopesOf, unionOf } from '../../auth/common/scopes.ts';
import type { AuthInfo, ExchangedToken, TokenExchangeRequest } from '../../server/runtime/request-handler.ts';
import { senderOf, PerCaller, type Callers } from './callers.ts';
import type { ExchangeUpstream } from './exchange-options.ts';

/** Time before its end from which a token is not used any more, in milliseconds. */
const marginMs = 30_000;

/** Lifetime of a token without a known expiry, unless it is rejected before; in milliseconds. */
const unknownLifeMs = 60_000;

/** State of one caller at the upstream. */
interface Kept {
  token: ExchangedToken | undefined;
  /** Time until which it is used, in milliseconds since 1970. */
  until: number;
  /** The exchange that is under way. */
  running: Running | undefined;
  /** Scopes that the upstream asked for beyond those of the options, and that were given. */
  scopes: readonly string[];
}

/** One exchange, shared by all requests that want the same. */
interface Running {
  readonly scopes: readonly string[];
  readonly again: boolean;
  readonly token: Promise<ExchangedToken>;
}

/** A wish for another token. */
interface Wish {
  /** Scopes that the upstream asks for beyond those that were given. */
  readonly more?: readonly string[];
  /** True if the previous token was rejected. */
  readonly again: boolean;
}

/** Makes the authorization of one principal at one upstream. */
export function exchanged(options: ExchangeUpstream, callers: Callers, now: () => number): Authorization {
  let authorizer: Authorizer | undefined;
  return {
    context: () => 'exchanged',
    // All connections of the principal to the server share the token.
    bind: (server) => (authorizer ??= new ExchangeAuthorizer(server, options, { callers, now })),
  };
}

class ExchangeAuthorizer implements Authorizer {
  readonly #resource: string;
  readonly #options: ExchangeUpstream;
  readonly #callers: Callers;
  readonly #now: () => number;
  readonly #kept = new PerCaller<Kept>(() => ({ token: undefined, until: 0, running: undefined, scopes: [] }));

  constructor(
    { url }: BoundServer,
    options: ExchangeUpstream,
    { callers, now }: { readonly callers: Callers; readonly now: () => number },
  ) {
    this.#resource = options.resource ?? canonicalResource(url);
    this.#options = options;
    this.#callers = callers;
    this.#now = now;
  }

  async headers(request: AuthorizedRequest): Promise<AuthorizationFields> {
    const caller = senderOf(request, this.#callers);
    const kept = this.#kept.of(caller);
    const known = kept.until > this.#now() ? kept.token : undefined;
    const { token } = known ?? (await this.#exchange(caller, kept, { again: false }));
    return { authorization: `Bearer ${token}` };
  }

  async refused(request: AuthorizedRequest, answer: AuthorizedAnswer, sent: AuthorizationFields): Promise<boolean> {
    const { tried } = request;
    const caller = senderOf(request, this.#callers);
    const kept = this.#kept.of(caller);
    const isOther = kept.token !== undefined && `Bearer ${kept.token.token}` !== sent['authorization'];
    if (answer.status === 401) {
      if (isOther) return once(tried, 'others');
      if (!once(tried, 'new token')) throw useless(401);
      await this.#exchange(caller, kept, { again: true });
      return true;
    }
    const challenge = parseChallenges(answer.header('www-authenticate')).find(({ scheme }) => scheme === 'bearer');
    if (answer.status !== 403 || challenge?.parameters['error'] !== 'insufficient_scope') return false;
    const wanted = scopesOf(challenge.parameters['scope']);
    if (wanted.length === 0 || !once(tried, 'scopes')) throw useless(403, wanted);
    // Another request of this caller may have got them meanwhile.
    if (isOther && missingOf(wanted, kept.token?.scopes ?? []).length === 0) return true;
    await this.#exchange(caller, kept, { more: wanted, again: true });
    return true;
  }

  /** Gets a token. If a request for more scopes is refused, only that caller fails. The existing token stays in use. */
  async #exchange(caller: AuthInfo, kept: Kept, { more = [], again }: Wish): Promise<ExchangedToken> {
    for (;;) {
      const { running } = kept;
      const scopes = unionOf(this.#options.scopes ?? [], kept.scopes, more);
      if (running === undefined) return await this.#run(caller, kept, { scopes, more, again });
      if (isSame(running.scopes, scopes) && (running.again || !again)) return await running.token;
      // It is for others, and so is its outcome.
      await running.token.catch(() => undefined);
    }
  }

  async #run(
    { exchange }: AuthInfo,
    kept: Kept,
    { scopes, more, again }: Required<Wish> & Pick<Running, 'scopes'>,
  ): Promise<ExchangedToken> {
    if (exchange === undefined)
      throw new TypeError(
        "upstreamAuth 'exchange' needs callers whose tokens can be exchanged: protect has exchange, and a call that another process forwards has a token with the same claims as its session here",
      );
    const { audience, resource } = this.#options;
    const request: TokenExchangeRequest = {
      ...(audience === undefined ? {} : { audience }),
      ...(audience === undefined || resource !== undefined ? { resource: this.#resource } : {}),
      ...(scopes.length === 0 ? {} : { scopes }),
      ...(again ? { fresh: true } : {}),
    };
    const token = exchange(request);
    kept.running = { scopes, again, token };
    try {
      const { expiresAt } = (kept.token = await token);
      kept.until = expiresAt === undefined ? this.#now() + unknownLifeMs : expiresAt * 1000 - marginMs;
      kept.scopes = unionOf(kept.scopes, more);
      return kept.token;
    } finally {
      kept.running = undefined;
    }
  }
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return missingOf(one, other).length === 0 && missingOf(other, one).length === 0;
}

function once(tried: Set<string>, kind: string): boolean {
  if (tried.has(kind)) return false;
  tried.add(kind);
  return true;
}

function useless(status: number, scopes: readonly string[] = []): AuthorizationError {
  const what = status === 401 ? 'a token' : `a token with the scopes ${scopes.join(' ')}`;
  return new AuthorizationError(
    status === 401 ? 'server-error' : 'insufficient-scope',
    `the upstream refuses ${what} that the authorization server has just given for it`,
    { status, scopes },
  );
}
