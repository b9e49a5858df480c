/** Establishing who a request comes from. */

import { unionOf } from '../common/scopes.ts';
import type { AuthInfo, RequestHandler } from '../../server/runtime/request-handler.ts';
import type { ProtectedReply, HttpRequest, HttpRefusal } from '../../server/runtime/protection.ts';
import { callerOf, type Caller, type TokenExchange } from './auth-info.ts';
import { credentialsOf, type Credentials } from './credentials.ts';
import type { ProofCheck } from './dpop/late-proofs.ts';
import { FailureBudget } from './failure-budget.ts';
import { StoredTokens, type StoredToken } from './stored-tokens.ts';
import type { ProtectSettings } from './options.ts';
import { OutOfReach, ProofProblem, TokenProblem } from './problem.ts';
import { Refusals } from './refusals.ts';
import type { Verifier } from './verify.ts';

/** A request without credentials, and the methods that it may call. */
interface Anonymous {
  /** The answer to a message that needs credentials. */
  readonly refusal: HttpRefusal;
  /** The answer to a received message or batch; `undefined` if all of it may be sent without credentials. */
  refusalOf(value: unknown): HttpRefusal | undefined;
}

/** Outcome of the credentials of a request. */
export type Authenticated = AuthInfo | Anonymous | HttpRefusal;
type SetHeader = ProtectedReply['setHeader'];

/** The parts that authentication works with. */
export interface AuthenticationParts {
  readonly settings: ProtectSettings;
  readonly endpoint: RequestHandler;
  readonly verify: Verifier;
  readonly proofs: ProofCheck | undefined;
  /** Gets tokens for other APIs, with that of a caller. */
  readonly exchange: ((token: string) => TokenExchange) | undefined;
}

/** A token that is being verified. */
interface Verification {
  readonly work: Promise<StoredToken>;
  /** Number of revocations before it. */
  readonly revocations: number;
}

/** Authenticates the requests of one server. A recently verified token passes at once. */
export class Authentication {
  readonly tokens: StoredTokens;
  readonly #parts: AuthenticationParts;
  readonly #refusals: Refusals;
  readonly #budget: FailureBudget;
  readonly #refusal: HttpRefusal;
  readonly #none: Anonymous;
  /** Scopes that each caller's token grants by itself. */
  readonly #granted = new WeakMap<AuthInfo, readonly string[]>();
  /** Tokens that are being verified, so that each is verified once. */
  readonly #pending = new Map<string, Verification>();

  constructor(parts: AuthenticationParts) {
    const { settings } = parts;
    this.#parts = parts;
    this.tokens = new StoredTokens(settings.now);
    this.#refusals = new Refusals(settings);
    this.#budget = new FailureBudget(settings.failures, settings.now);
    const refusal = this.#refusals.unauthorized();
    const { anonymous } = settings;
    this.#refusal = refusal;
    this.#none = { refusal, refusalOf: (value) => (isAnonymous(value, anonymous) ? undefined : refusal) };
  }

  /** Establishes who a request comes from. */
  authenticate(request: HttpRequest, setHeader: SetHeader): Authenticated | Promise<Authenticated> {
    const header = request.header('authorization');
    // An identical header is not parsed again.
    const same = header === undefined ? undefined : this.tokens.find(header);
    if (same?.needsNoProof === true) return this.#admitted(same);
    const credentials = credentialsOf(header);
    if (typeof credentials === 'string') return this.#refusals.malformed(credentials);
    const { proofs } = this.#parts;
    if (credentials === undefined || (credentials.scheme === 'DPoP' && proofs === undefined))
      return this.#anonymous(request);
    const kept = same ?? this.tokens.find(credentials.header);
    if (kept === undefined) return this.#unknown(request, credentials, setHeader);
    return this.#known(kept, { request, credentials, setHeader });
  }

  /** Handles a request without credentials. Whether its method needs some is only known from the body of a POST. */
  #anonymous({ method }: HttpRequest): Anonymous | HttpRefusal {
    return method === 'POST' && this.#parts.settings.anonymous.size > 0 ? this.#none : this.#refusal;
  }

  /** The answer to a request whose sender lacks scopes. */
  async insufficient(auth: AuthInfo | undefined, scopes: readonly string[]): Promise<HttpRefusal> {
    const { settings, endpoint } = this.#parts;
    if (auth === undefined) return this.#refusals.unauthorized(scopes);
    const known = new Set([...settings.scopes, ...settings.implied, ...(await this.#namedIn(endpoint))]);
    // Clients of 2025-11-25 request only the scopes of the challenge, and would lose those that they have.
    const kept = (this.#granted.get(auth) ?? []).filter((scope) => known.has(scope));
    return this.#refusals.insufficientScope(auth.scheme ?? 'Bearer', unionOf(settings.scopes, scopes, kept));
  }

  /** Lists the scopes of all definitions. Definitions that cannot be read now are left out. */
  async #namedIn({ guard }: RequestHandler): Promise<Iterable<string>> {
    try {
      return (await guard?.())?.knownScopes() ?? [];
    } catch (cause) {
      this.#parts.settings.onError(cause);
      return [];
    }
  }

  async #unknown(request: HttpRequest, credentials: Credentials, setHeader: SetHeader): Promise<Authenticated> {
    const { remoteAddress } = request;
    if (this.#budget.isSpent(remoteAddress)) return this.#refusals.tooManyFailures();
    try {
      const kept = await this.#verifyOnce(request, credentials);
      return await this.#known(kept, { request, credentials, setHeader });
    } catch (cause) {
      if (cause instanceof TokenProblem) {
        this.#budget.failed(remoteAddress);
        return this.#refusals.invalidToken(credentials.scheme, cause.message);
      }
      if (!(cause instanceof OutOfReach)) throw cause;
      this.#parts.settings.onError(cause.cause);
      return this.#refusals.outOfReach();
    }
  }

  #verifyOnce(request: HttpRequest, credentials: Credentials): Promise<StoredToken> {
    const { header } = credentials;
    const { revocations } = this.tokens;
    const running = this.#pending.get(header);
    // A verification from before a revocation does not count after it.
    if (running?.revocations === revocations) return running.work;
    const work = this.#verify(request, credentials).finally(() => {
      if (this.#pending.get(header)?.work === work) this.#pending.delete(header);
    });
    this.#pending.set(header, { work, revocations });
    return work;
  }

  async #verify(request: HttpRequest, { token, scheme, header }: Credentials): Promise<StoredToken> {
    const { settings, verify, exchange } = this.#parts;
    const { revocations } = this.tokens;
    const verified = await verify({ token, scheme, request });
    const { claims, until } = verified;
    const caller = callerOf(verified, settings, { scheme, exchange: exchange?.(token) });
    const boundTo = thumbprintOf(claims['cnf']);
    const kept: StoredToken = {
      auth: caller?.auth,
      refusal: await this.#refusalOf(caller),
      boundTo,
      needsNoProof: boundTo === undefined && scheme === 'Bearer' && settings.dpop?.required !== true,
      jti: claims['jti'],
      since: settings.now(),
      until,
    };
    if (caller !== undefined) this.#granted.set(caller.auth, caller.granted);
    if (revocations === this.tokens.revocations) this.tokens.keep(header, kept);
    return kept;
  }

  /**
   * Returns the reason why a caller is refused: it is not allowed at all, or lacks a scope that every request needs.
   */
  async #refusalOf(caller: Caller | undefined): Promise<HttpRefusal | undefined> {
    if (caller === undefined) return this.#refusals.forbidden();
    const { scopes } = this.#parts.settings;
    const missing = scopes.filter((scope) => !caller.auth.scopes?.includes(scope));
    if (missing.length === 0) return undefined;
    this.#granted.set(caller.auth, caller.granted);
    return this.insufficient(caller.auth, scopes);
  }

  /** A token that is good: what remains is whether it is who presents it. */
  #known(
    kept: StoredToken,
    {
      request,
      credentials,
      setHeader,
    }: { readonly request: HttpRequest; readonly credentials: Credentials; readonly setHeader: SetHeader },
  ): Authenticated | Promise<Authenticated> {
    const { proofs } = this.#parts;
    const { boundTo } = kept;
    if (kept.needsNoProof) return this.#admitted(kept);
    // Without its proof a bound token is worth nothing, and a token that is not bound is not protected by one.
    if (credentials.scheme === 'Bearer' || proofs === undefined)
      return this.#refusals.invalidToken('DPoP', new TokenProblem('bound').message);
    if (boundTo === undefined) return this.#refusals.invalidToken('DPoP', new TokenProblem('unbound').message);
    return this.#proven(kept, proofs, { request, token: credentials.token, setHeader });
  }

  async #proven(
    kept: StoredToken,
    proofs: ProofCheck,
    {
      request,
      token,
      setHeader,
    }: { readonly request: HttpRequest; readonly token: string; readonly setHeader: SetHeader },
  ): Promise<Authenticated> {
    try {
      const nonce = await proofs.check(request, { token, boundTo: kept.boundTo });
      if (nonce !== undefined) setHeader('DPoP-Nonce', nonce);
      return this.#admitted(kept);
    } catch (cause) {
      if (cause instanceof OutOfReach) {
        this.#parts.settings.onError(cause.cause);
        return this.#refusals.outOfReach();
      }
      if (cause instanceof TokenProblem) return this.#refusals.invalidToken('DPoP', cause.message);
      if (!(cause instanceof ProofProblem)) throw cause;
      if (cause.code === 'invalid_dpop_proof') this.#budget.failed(request.remoteAddress);
      const said = { error: cause.code, description: cause.message };
      return this.#refusals.invalidProof(said, await proofs.nonceHeader(cause.code === 'use_dpop_nonce'));
    }
  }

  #admitted({ auth, refusal }: StoredToken): Authenticated {
    // A token without a caller was refused above.
    return refusal ?? auth ?? this.#refusals.forbidden();
  }
}

/**
 * Tells whether a message, or all of a batch, may be sent without a token: calls of the allowed methods, but no answers
 * or notifications of other work.
 */
function isAnonymous(value: unknown, methods: ReadonlySet<string>): boolean {
  if (Array.isArray(value))
    return value.length > 0 && value.every((one) => !Array.isArray(one) && isAnonymous(one, methods));
  const method: unknown = typeof value === 'object' && value !== null && 'method' in value ? value.method : undefined;
  return typeof method === 'string' && methods.has(method);
}

/** The key that a token is bound to. An unknown kind of binding cannot be proven, so it matches no key. */
function thumbprintOf(confirmation: unknown): string | undefined {
  if (confirmation === undefined || confirmation === null) return undefined;
  const jkt: unknown = typeof confirmation === 'object' && 'jkt' in confirmation ? confirmation.jkt : undefined;
  return typeof jkt === 'string' ? jkt : '';
}
