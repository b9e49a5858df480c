/** A server that accepts only requests with a valid token of an authorization server. */

import { endpointOf, type AuthInfo, type RequestHandler, type Servable } from '../../server/runtime/request-handler.ts';
import type { ProtectedCall, ProtectedReply, Protection, HttpRefusal } from '../../server/runtime/protection.ts';
import { after } from '../../jsonrpc/timeout.ts';
import { Authentication, type Authenticated } from './authenticate.ts';
import { lateProofs } from './dpop/late-proofs.ts';
import { exchanger } from './exchange/exchange.ts';
import { Issuer } from './issuer.ts';
import type { Revoked } from './stored-tokens.ts';
import { metadataAnswers } from './metadata.ts';
import { resolveProtectOptions, type ProtectOptions } from './options.ts';
import { verifierOf } from './verify.ts';

/** A server that is protected over HTTP; `listen`, `toNodeHandler` and `createHandler` serve it like any other. */
export interface Guarded extends Servable {
  /**
   * The answer to a request for metadata, for platforms that speak `fetch`; `undefined` for any other request, which the handler
   * is for.
   *
   * @example
   * export default { fetch: (request) => guarded.metadata(request) ?? handler(request) };
   */
  metadata(request: Request): Promise<Response> | undefined;
  /** Drops the verified tokens of a principal, or the token with an id, so that they are verified again. */
  revoke(whose: Revoked): void;
}

/**
 * Protects a server: over HTTP every request needs a token of one of its issuers that was issued for it.
 *
 * Over stdio and in memory nothing changes; there the program that runs the server has its credentials. (Spec
 * 2025-11-25, Authorization, Protocol Requirements.)
 *
 * @throws TypeError for unknown or invalid options, if no audience could be checked, and if it is protected already.
 *
 * @example const guarded = protect(server, { resource: 'https://mcp.example.com/mcp', issuers:
 * ['https://login.example.com'] }); await listen(guarded, { port: 3000, allowedHosts: ['mcp.example.com'] });
 */
export function protect(served: Servable, options: ProtectOptions): Guarded {
  const inner = endpointOf(served);
  if (inner.protection !== undefined) throw new TypeError('this is protected already');
  const settings = resolveProtectOptions(options);
  inner.behind?.requireServable({ knowsCallers: true, exchanges: settings.exchange !== undefined, names: 'any' });
  const { now, dpop, exchange, onError } = settings;
  const issuers = settings.issuers.map((issuer) => new Issuer(issuer, settings.fetching, now, onError));
  const authentication = new Authentication({
    settings,
    endpoint: inner,
    verify: verifierOf(settings, issuers),
    proofs: dpop === undefined ? undefined : lateProofs(dpop, now),
    exchange: exchange === undefined ? undefined : exchanger(exchange, settings, issuers),
  });
  const routes = metadataAnswers(settings, inner, issuers);
  const protection: Protection = {
    admit: (call, proceed) => {
      const { request, reply } = call;
      const answer = authentication.authenticate(request, (name, value) => reply.setHeader(name, value));
      return answer instanceof Promise
        ? answer.then((known) => admit(call, known, proceed))
        : admit(call, answer, proceed);
    },
    insufficient: ({ auth, reply }, scopes) =>
      later(authentication.insufficient(auth, scopes), reply, settings.onError),
    metadata: (request, reply) => {
      const answer = routes(request);
      if (answer !== undefined) later(answer, reply, settings.onError);
      return answer !== undefined;
    },
    afterExpiry: (auth, run) => afterExpiry(auth, run, now),
  };
  return {
    endpoint: guardedBy(inner, protection),
    metadata: (request) => {
      const { pathname } = new URL(request.url);
      const header = (name: string): string | undefined => request.headers.get(name) ?? undefined;
      const answer = routes({ method: request.method, path: pathname, header });
      return answer?.then(responseOf);
    },
    revoke: (whose) => authentication.tokens.revoke(whose),
  };
}

function admit(call: ProtectedCall, answer: Authenticated, proceed: () => void | Promise<void>): void | Promise<void> {
  if ('status' in answer) return turnAway(call.reply, answer);
  if (!('refusal' in answer)) call.auth = answer;
  else
    call.refuses = (value) => {
      const refusal = answer.refusalOf(value);
      if (refusal !== undefined) turnAway(call.reply, refusal);
      return refusal !== undefined;
    };
  return proceed();
}

/** Rejects a request with an answer that is still being made. If none can be sent, the owner gets the reason. */
function later(answer: Promise<HttpRefusal>, reply: ProtectedReply, onError: (error: unknown) => void): void {
  answer.then((refusal) => turnAway(reply, refusal)).catch(onError);
}

function turnAway(reply: ProtectedReply, { status, body, headers }: HttpRefusal): void {
  reply.send(status, body, headers);
}

/** The same endpoint with protection. */
function guardedBy(inner: RequestHandler, protection: Protection): RequestHandler {
  return {
    revisions: inner.revisions,
    exactNumbers: inner.exactNumbers,
    protection,
    behind: inner.behind,
    openConnection: (link) => inner.openConnection(link),
    resume: inner.resume,
    store: inner.store,
    listeners: inner.listeners,
    headerParameters: (tool, auth) => inner.headerParameters(tool, auth),
    guard: inner.guard,
    close: () => inner.close(),
  };
}

/** Time for which a stream outlives its token, in milliseconds: clocks differ. */
const graceMs = 30_000;

function afterExpiry(auth: AuthInfo | undefined, run: () => void, now: () => number): (() => void) | undefined {
  const { expiresAt } = auth ?? {};
  return expiresAt === undefined ? undefined : after(Math.max(0, expiresAt * 1000 + graceMs - now()), run);
}

function responseOf({ status, body, headers }: HttpRefusal): Response {
  const type: Record<string, string> = body === undefined ? {} : { 'Content-Type': 'application/json' };
  return new Response(body ?? null, { status, headers: { ...type, ...headers } });
}
