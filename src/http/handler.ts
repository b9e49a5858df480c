import { settledWithin } from '../jsonrpc/timeout.ts';
import { classify, type NotificationMessage, type RequestMessage } from '../jsonrpc/message.ts';
import type { Served } from '../peer/endpoint.ts';
import { revisionOf } from '../protocol/revision.ts';
import { readContent } from './body.ts';
import { Load, Visit, type Edge } from './edge.ts';
import { Exchanges } from './exchange.ts';
import { createGuard, type Guard } from './guard.ts';
import { claimedVersion } from './headers.ts';
import { acceptedBy, isJson } from './media.ts';
import { resolveOptions, type HttpOptions, type HttpRefusal } from './options.ts';
import { Sessions } from './sessions.ts';
import type { HttpReply, HttpRequest } from './shape.ts';
import { Shares } from './shares.ts';
import { SsePairs } from './sse-pair.ts';
import { busy, refuse, type Problem } from './status.ts';
import { EventStreams } from './stream.ts';

/** A server as HTTP sees it: one endpoint for every revision that the server speaks, and the older pair beside it. */
export interface HttpHandler {
  /** Answers one request. Never throws; whatever arrives is answered or, where the client is gone, let go. */
  handle(request: HttpRequest, reply: HttpReply): void;
  /**
   * Stops serving, in this order: new requests get 503; subscriptions end, with their response where the server has
   * one for that; requests being answered are waited for up to `drainMs`; then sessions and streams end, and what
   * still runs is aborted. The server itself stays open. Closing twice is fine.
   */
  close(): Promise<void>;
}

/**
 * Serves a server over HTTP, in the minimal shape that platforms translate to. Most programs want `listen`,
 * `toNodeHandler` or `createHandler` instead.
 */
export function createHttpHandler(served: Served, options: HttpOptions = {}): HttpHandler {
  return new Handler(served, options);
}

class Handler implements HttpHandler {
  readonly #edge: Edge;
  readonly #guard: Guard;
  readonly #exchanges: Exchanges;
  readonly #sessions: Sessions;
  /** `undefined` where the older transport is not served. */
  readonly #pairs: SsePairs | undefined;
  readonly #admitted: Load;
  /** Everything being answered, to be waited for at the end. */
  readonly #serving = new Load(Number.POSITIVE_INFINITY);
  #closing = false;

  constructor({ endpoint }: Served, options: HttpOptions) {
    const settings = resolveOptions(options);
    const stateless = endpoint.revisions.filter((revision) => revision.era === 'stateless');
    const handshake = endpoint.revisions.filter((revision) => revision.era === 'handshake');
    const sessionShares = new Shares(settings.maxSessions, settings.maxSessionsPerPrincipal);
    this.#edge = { endpoint, settings, streams: new EventStreams(settings), sessionShares, stateless, handshake };
    this.#guard = createGuard(settings);
    this.#exchanges = new Exchanges(this.#edge);
    this.#sessions = new Sessions(this.#edge);
    const { ssePair } = settings;
    this.#pairs = ssePair === undefined || handshake.length === 0 ? undefined : new SsePairs(this.#edge, ssePair);
    this.#admitted = new Load(settings.maxRequests);
  }

  handle(request: HttpRequest, reply: HttpReply): void {
    const problem = this.#refusal(request, reply);
    if (problem !== undefined) return refuse(request, reply, problem);
    if (request.method === 'OPTIONS') return this.#guard.preflight(request, reply, this.#methods(request));
    if (!this.#admitted.enter()) return refuse(request, reply, busy('too many requests are being answered'));
    this.#serving.enter();
    // #serve catches everything.
    void this.#serve(request, reply);
  }

  async close(): Promise<void> {
    this.#closing = true;
    this.#exchanges.close();
    await settledWithin(this.#edge.settings.drainMs, this.#serving.idle());
    this.#exchanges.abort();
    this.#sessions.close();
    this.#pairs?.close();
    this.#edge.streams.close();
  }

  /** What can be said without reading the body or asking who it is. */
  #refusal(request: HttpRequest, reply: HttpReply): Problem | undefined {
    const problem = this.#guard.refuse(request);
    if (problem !== undefined) return problem;
    this.#guard.allowOrigin(request, reply);
    const { path } = this.#edge.settings;
    if (path !== undefined && request.path !== path && this.#pairs?.methods(request.path) === undefined)
      return { status: 404, message: 'there is nothing at this path' };
    if (this.#closing)
      return { ...busy('the server is shutting down'), headers: { 'Retry-After': '1', Connection: 'close' } };
    const methods = this.#methods(request);
    if (methods.includes(request.method)) return undefined;
    return { status: 405, message: 'this method is not allowed here', headers: { Allow: methods.join(', ') } };
  }

  /** Spec 2026-07-28, Streamable HTTP, Earlier revisions: GET and DELETE exist for sessions alone. */
  #methods(request: HttpRequest): readonly string[] {
    const ofPair = this.#pairs?.methods(request.path);
    if (ofPair !== undefined) return ofPair;
    const stateless =
      this.#edge.handshake.length === 0 || revisionOf(request.header('mcp-protocol-version'))?.era === 'stateless';
    return stateless ? ['POST', 'OPTIONS'] : ['GET', 'POST', 'DELETE', 'OPTIONS'];
  }

  async #serve(request: HttpRequest, reply: HttpReply): Promise<void> {
    let visit: Visit | undefined;
    try {
      const { authenticate } = this.#edge.settings;
      const auth = authenticate === undefined ? undefined : await authenticate(request);
      if (auth !== undefined && 'status' in auth) return this.#turnAway(reply, auth);
      visit = new Visit({ request, reply }, acceptedBy(request.header('accept')), auth, this.#admitted);
      if (this.#pairs?.methods(request.path) !== undefined) await this.#pairs.serve(visit);
      else if (request.method === 'POST') await this.#post(visit);
      else if (request.method === 'GET') await this.#get(visit);
      else this.#sessions.remove(visit);
    } catch (cause) {
      this.#edge.settings.onError(new Error('a request could not be answered', { cause }));
      refuse(request, reply, { status: 500, error: 'internalError', message: 'internal error' });
    } finally {
      if (visit === undefined) this.#admitted.leave();
      else visit.leave();
      this.#serving.leave();
    }
  }

  #turnAway(reply: HttpReply, { status, body, headers }: HttpRefusal): void {
    reply.send(status, body, headers);
  }

  async #get(visit: Visit): Promise<void> {
    if (visit.accepted.stream) await this.#sessions.listen(visit);
    else refuse(visit.request, visit.reply, { status: 406, message: 'Accept must allow text/event-stream' });
  }

  async #post(visit: Visit): Promise<void> {
    const { request, reply, accepted } = visit;
    if (!isJson(request.header('content-type')))
      return refuse(request, reply, { status: 415, message: 'Content-Type must be application/json in UTF-8' });
    if (!accepted.json && !accepted.stream)
      return refuse(request, reply, {
        status: 406,
        message: 'Accept must allow application/json and text/event-stream',
      });
    const content = await readContent(request, this.#edge);
    if (content.kind === 'gone') return;
    if (content.kind === 'value') return this.#route(visit, content.value);
    if (content.problem.error === 'parseError') this.#sessions.unreadable(visit, content.problem);
    else refuse(request, reply, content.problem);
  }

  /** Decides which era a message belongs to. */
  async #route(visit: Visit, value: unknown): Promise<void> {
    const { request, reply } = visit;
    const stateless = this.#edge.handshake.length === 0 || revisionOf(visit.version)?.era === 'stateless';
    if (Array.isArray(value)) {
      if (stateless) return refuse(request, reply, { status: 400, message: 'this revision has no batches' });
      return this.#sessions.batch(visit, value);
    }
    const received = classify(value);
    switch (received.kind) {
      case 'malformed':
        return refuse(request, reply, { status: 400, message: received.reason }, received.id);
      case 'response':
        if (stateless) return refuse(request, reply, { status: 400, message: 'no response is awaited here' });
        return this.#sessions.post(visit, received);
      case 'request':
        if (stateless || isExchange(visit, received.message)) return this.#exchanges.request(visit, received.message);
        return this.#sessions.post(visit, received);
      case 'notification':
        if (stateless || isExchange(visit, received.message))
          return this.#exchanges.notification(visit, received.message);
        return this.#sessions.post(visit, received);
    }
  }
}

/**
 * Whether a message claims a stateless revision: by its `_meta`, by a version header that no session explains, or
 * by the method that asks what is spoken. Where only one of the places claims it, the exchange reports the mismatch.
 */
function isExchange(visit: Visit, message: RequestMessage | NotificationMessage): boolean {
  const claimed = claimedVersion(message);
  if (claimed !== undefined && revisionOf(claimed)?.era !== 'handshake') return true;
  if (visit.request.header('mcp-session-id') !== undefined) return false;
  return (
    message.method === 'server/discover' || (visit.version !== undefined && revisionOf(visit.version) === undefined)
  );
}
