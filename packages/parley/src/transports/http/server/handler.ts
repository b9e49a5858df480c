import { isObject } from '../../../jsonrpc/message.ts';
import { after, settledWithin } from '../../../jsonrpc/timeout.ts';
import { endpointOf, type UpstreamIdentityPolicy, type Servable } from '../../../server/runtime/request-handler.ts';
import {
  parsedMessageOf,
  type ParsedMessage,
  type ParsedNotification,
  type ParsedRequest,
} from '../../../server/runtime/parsed-message.ts';
import { revisionOf } from '../../../protocol/revision.ts';
import { readContent, type BodyContent } from './exchanges/body.ts';
import { clientOf, HttpCall, type CallEnd } from './exchanges/call.ts';
import { isOfExchanges, isOfSessions, type HttpContext } from './exchanges/context.ts';
import { Exchanges } from './exchange.ts';
import { createGuard, type Guard } from './guard.ts';
import { Health, showPage, wantsPage } from './health/health.ts';
import { isJson } from './exchanges/media.ts';
import type * as Lasting from './lasting.ts';
import { checkClosing, type ClosingTimes } from './health/closing.ts';
import { resolveHttpOptions, type Authenticate, type HttpOptions, type SsePairPaths } from './exchanges/options.ts';
import { beginProblem, isRequest, judgedBatch, tooManyRequests } from './session/rules.ts';
import type { Sessionless } from './session/sessionless.ts';
import type { ReplicasOf, Sessions } from './session/sessions.ts';
import { tolerated } from './exchanges/tolerated.ts';
import type { HttpReply, IncomingRequest } from './exchanges/universal.ts';
import { Bodies, InFlight, Quota, ServingCount } from './exchanges/quota.ts';
import { KeepAlive } from './exchanges/keep-alive.ts';
import type { SsePairs } from './sse-pair.ts';
import { busy, refuse, shuttingDown, type HttpProblem } from './exchanges/status.ts';
import { EventStreams } from './exchanges/stream.ts';
import type * as Told from './health/told-reply.ts';

/** A server as HTTP sees it: one endpoint for every revision that the server speaks, and the older pair beside it. */
export interface HttpHandler {
  /** Answers one request. Never throws: every request is answered, or dropped if the client is gone. */
  handle(request: IncomingRequest, reply: HttpReply): void;
  /**
   * Stops serving, in this order: `health.ready` answers 503 for `readyTimeoutMs`, while everything is served. New requests
   * get 503. Subscriptions end, with their response if the server has one for that. Running requests have up to
   * `drainTimeoutMs` to end. Meanwhile sessions may still send answers, cancel, resume a broken stream, and end. Then sessions
   * and streams end, and running work is aborted. The MCP server itself stays open. Closing twice is fine; the times of
   * the first call apply.
   *
   * @throws TypeError, as a rejection, for times that are not numbers of at least 0; then nothing is closed.
   */
  close(times?: ClosingTimes): Promise<void>;
}

/** Room for new requests, as the platform sees it. */
export interface Admission {
  /** Tells whether to accept one more request. Called once for each that would begin work. */
  admits(): boolean;
}

/**
 * Serves a server over HTTP, in the minimal shape that platforms translate to. Most programs want `listen`,
 * `toNodeHandler` or `createHandler` instead.
 */
export function createHttpHandler(served: Servable, options: HttpOptions = {}, admission?: Admission): HttpHandler {
  return new HttpRequestHandler(served, options, admission);
}

class HttpRequestHandler implements HttpHandler {
  readonly #context: HttpContext;
  readonly #guard: Guard;
  readonly #health: Health | undefined;
  readonly #exchanges: Exchanges;
  /** Rules about which callers may be served without authentication. */
  readonly #behind: UpstreamIdentityPolicy | undefined;
  /** Made for the first client of a handshake revision. */
  #sessions: Sessions | undefined;
  /** Set if there are no sessions. */
  #sessionless: Sessionless | undefined;
  /** Set if HTTP+SSE is served. */
  #pairs: SsePairs | undefined;
  /** Reply that reports rejected requests, loaded if there is a listener. */
  #told: typeof Told | undefined;
  #closed: Promise<void> | undefined;
  readonly #admission: Admission | undefined;

  constructor(served: Servable, options: HttpOptions, admission: Admission | undefined) {
    this.#admission = admission;
    const endpoint = endpointOf(served);
    const settings = resolveHttpOptions(options, endpoint.listeners?.owner);
    if (settings.sessions === false && endpoint.resume === undefined)
      throw new TypeError('sessions: false is for servers; a bridge has connections that belong to sessions');
    if (endpoint.protection !== undefined && settings.authenticate !== undefined)
      throw new TypeError('give protect or authenticate, not both');
    if (endpoint.protection === undefined) {
      const knowsCallers = settings.authenticate !== undefined;
      endpoint.behind?.requireServable({ knowsCallers, names: settings.allowedHosts });
      if (!knowsCallers) this.#behind = endpoint.behind;
    }
    const sessionQuota = new Quota(settings.maxSessions, settings.maxSessionsPerPrincipal);
    this.#context = {
      endpoint,
      settings,
      streams: new EventStreams(settings, endpoint.listeners),
      silence: new KeepAlive(settings.keepAliveIntervalMs),
      sessionQuota,
      inExchanges: endpoint.revisions.filter(isOfExchanges),
      inSessions: endpoint.revisions.filter(isOfSessions),
      admitted: new InFlight(settings.maxRequests),
      bodies: new Bodies(settings.maxBodyBytesAtOnce),
      serving: new ServingCount(),
      course: { stage: 'open', ready: true },
    };
    this.#guard = createGuard(settings);
    if (settings.health !== undefined) this.#health = new Health(settings.health, this.#context);
    this.#exchanges = new Exchanges(this.#context);
  }

  handle(request: IncomingRequest, given: HttpReply): void {
    if (this.#health?.answers(request, given) === true) return;
    const tell = this.#context.endpoint.listeners?.tell;
    if (tell === undefined) return this.#handle(request, given);
    if (this.#told !== undefined) return this.#handle(request, new this.#told.ToldReply(given, tell));
    import('./health/told-reply.ts').then(
      (loaded) => {
        this.#told = loaded;
        this.#handle(request, new loaded.ToldReply(given, tell));
      },
      (cause: unknown) => {
        this.#context.settings.onError(new Error('the code that reports requests could not be loaded', { cause }));
        this.#handle(request, given);
      },
    );
  }

  #handle(request: IncomingRequest, reply: HttpReply): void {
    // Anybody may know where to sign in, from any page.
    if (this.#context.endpoint.protection?.metadata(request, reply) === true) return;
    const problem = this.#refusal(request, reply);
    if ((problem === undefined || problem.status === 405) && wantsPage(request)) return showPage(request, reply);
    if (problem !== undefined) return refuse(request, reply, problem);
    if (request.method === 'OPTIONS') return this.#guard.preflight(request, reply, this.#methods(request));
    this.#admit(request, reply);
  }

  #admit(request: IncomingRequest, reply: HttpReply): void {
    const { admitted } = this.#context;
    if (this.#admission?.admits() === false && !this.#goesOn(request))
      return refuse(request, reply, busy('the server has more to do than it can'));
    const place = admitted.enter(clientOf(request), this.#goesOn(request));
    if (typeof place === 'string') return refuse(request, reply, tooManyRequests(place));
    this.#serve(new HttpCall(request, reply, { context: this.#context, place }));
  }

  async close(times: ClosingTimes = {}): Promise<void> {
    checkClosing(times);
    await (this.#closed ??= this.#close(times));
  }

  async #close({
    readyTimeoutMs = 0,
    drainTimeoutMs = this.#context.settings.drainTimeoutMs,
  }: ClosingTimes): Promise<void> {
    const { course, serving, endpoint } = this.#context;
    const begun = performance.now();
    endpoint.listeners?.tell?.({ type: 'drain-begun' });
    course.ready = false;
    if (readyTimeoutMs > 0) await new Promise<void>((resolve) => after(readyTimeoutMs, resolve, true));
    course.stage = 'draining';
    this.#sessions?.sendAway();
    await settledWithin(drainTimeoutMs, Promise.all([this.#exchanges.close(), serving.idle()]));
    course.stage = 'closed';
    endpoint.listeners?.tell?.({ type: 'drain-over', lastedMs: performance.now() - begun });
    await this.#exchanges.abort();
    this.#sessionless?.close();
    await this.#sessions?.close();
    await this.#pairs?.close();
    await this.#context.streams.close();
    this.#context.silence.close();
  }

  /** A refusal that needs neither the body nor the caller. */
  #refusal(request: IncomingRequest, reply: HttpReply): HttpProblem | undefined {
    const problem = this.#guard.refuse(request);
    if (problem !== undefined) return problem;
    if (this.#behind?.refuses(request.remoteAddress) === true)
      return { status: 403, message: 'only clients of this machine are served here' };
    this.#guard.allowOrigin(request, reply);
    const { path } = this.#context.settings;
    if (path !== undefined && !isSamePath(request.path, path) && this.#methodsOfPair(request.path) === undefined)
      return { status: 404, message: `there is nothing at this path; the MCP server is at ${path}` };
    if (!this.#maySay(request)) return shuttingDown();
    const methods = this.#methods(request);
    if (methods.includes(request.method)) return undefined;
    return { status: 405, message: 'this method is not allowed here', headers: { Allow: methods.join(', ') } };
  }

  /**
   * Tells whether a request may be accepted now. A drain accepts requests that a running call may need or that end one:
   * messages in open conversations, and resumed streams. Whether a message begins work is only known from its body.
   */
  #maySay(request: IncomingRequest): boolean {
    const { stage } = this.#context.course;
    if (stage !== 'draining' || request.method === 'OPTIONS') return stage === 'open';
    return this.#goesOn(request);
  }

  /** Tells whether a request may continue open work, judging without its body. */
  #goesOn(request: IncomingRequest): boolean {
    if (this.#methodsOfPair(request.path) !== undefined) return request.method === 'POST';
    if (request.header('mcp-session-id') === undefined) return false;
    return request.method !== 'GET' || request.header('last-event-id') !== undefined;
  }

  /** Spec 2026-07-28, Streamable HTTP, Earlier revisions: GET and DELETE exist for sessions alone. */
  #methods(request: IncomingRequest): readonly string[] {
    const ofPair = this.#methodsOfPair(request.path);
    if (ofPair !== undefined) return ofPair;
    const posts = this.#context.settings.sessions === false || this.#isStateless(request);
    return posts ? ['POST', 'OPTIONS'] : ['GET', 'POST', 'DELETE', 'OPTIONS'];
  }

  /** Tells whether a request is of a stateless revision by its headers alone; what names a session is part of it. */
  #isStateless(request: IncomingRequest): boolean {
    if (this.#context.inSessions.length === 0) return true;
    const named = revisionOf(request.header('mcp-protocol-version'));
    return isOfExchanges(named) && request.header('mcp-session-id') === undefined;
  }

  /** The methods of an HTTP+SSE path; `undefined` for every other path, and if HTTP+SSE is not served. */
  #methodsOfPair(path: string): readonly string[] | undefined {
    const { ssePair } = this.#context.settings;
    if (ssePair === undefined || this.#context.inSessions.length === 0) return undefined;
    if (isSamePath(path, ssePair.sse)) return ['GET', 'OPTIONS'];
    return isSamePath(path, ssePair.messages) ? ['POST', 'OPTIONS'] : undefined;
  }

  /** Hands a request of a handshake revision to what answers it, which is loaded for the first one. */
  #asHandshake(run: (sessions: Sessions | Sessionless) => CallEnd): CallEnd {
    if (this.#context.settings.sessions) return this.#inSession(run);
    if (this.#sessionless !== undefined) return run(this.#sessionless);
    return lasting().then(({ Sessionless: Made }) => run((this.#sessionless ??= new Made(this.#context))));
  }

  #inSession(run: (sessions: Sessions) => CallEnd): CallEnd {
    if (this.#sessions !== undefined) return run(this.#sessions);
    return this.#loadSessions().then((sessions) => run(sessions));
  }

  async #loadSessions(): Promise<Sessions> {
    const { store, resume } = this.#context.endpoint;
    // Loaded only if several processes share sessions that can move.
    const isShared = store?.shared === true && resume !== undefined;
    const [{ Sessions: Made }, shared] = await Promise.all([
      lasting(),
      isShared ? import('./session/shared/session-replicas.ts') : undefined,
    ]);
    const replicasOf: ReplicasOf | undefined =
      shared && store && ((parts) => new shared.SessionReplicas({ ...parts, store }));
    return (this.#sessions ??= new Made(this.#context, replicasOf));
  }

  #ofPair(call: HttpCall, paths: SsePairPaths): CallEnd {
    if (this.#pairs !== undefined) return this.#pairs.serve(call);
    return this.#loadPairs(paths).then((pairs) => pairs.serve(call));
  }

  async #loadPairs(paths: SsePairPaths): Promise<SsePairs> {
    const { SsePairs: Made } = await lasting();
    return (this.#pairs ??= new Made(this.#context, paths));
  }

  /** Serves a request. If it can be answered at once, no promise is made. */
  #serve(call: HttpCall): void {
    const { settings, endpoint } = this.#context;
    const { authenticate } = settings;
    const { protection } = endpoint;
    try {
      if (protection !== undefined) call.until(protection.admit(call, () => this.#answer(call)));
      else call.until(authenticate === undefined ? this.#answer(call) : this.#authenticated(call, authenticate));
    } catch (cause) {
      call.fail(cause);
    }
  }

  async #authenticated(call: HttpCall, authenticate: Authenticate): Promise<void> {
    const [{ checkAuth }, given] = await Promise.all([lasting(), authenticate(call.request)]);
    const auth = checkAuth(given);
    if ('status' in auth) return call.reply.send(auth.status, auth.body, auth.headers);
    call.auth = auth;
    await this.#answer(call);
  }

  #answer(call: HttpCall): CallEnd {
    if (call.lacks !== undefined) return refuse(call.request, call.reply, tooManyRequests(call.lacks, call));
    const { method, path } = call.request;
    const { ssePair } = this.#context.settings;
    if (ssePair !== undefined && this.#methodsOfPair(path) !== undefined) return this.#ofPair(call, ssePair);
    if (method === 'POST') return this.#post(call);
    if (method === 'GET') return this.#get(call);
    return this.#inSession((sessions) => sessions.remove(call));
  }

  #get(call: HttpCall): CallEnd {
    if (call.accepted.stream) return this.#inSession((sessions) => sessions.listen(call));
    refuse(call.request, call.reply, { status: 406, message: 'Accept must allow text/event-stream' });
  }

  #post(call: HttpCall): CallEnd {
    const { request, reply, accepted } = call;
    if (!isJson(request.header('content-type')))
      return refuse(request, reply, { status: 415, message: 'Content-Type must be application/json in UTF-8' });
    if (!accepted.json && !accepted.stream)
      return refuse(request, reply, {
        status: 406,
        message: 'Accept must allow application/json and text/event-stream',
      });
    const content = readContent(call, this.#context);
    return content instanceof Promise
      ? content.then((arrived) => this.#take(call, arrived))
      : this.#take(call, content);
  }

  #take(call: HttpCall, content: BodyContent): CallEnd {
    if (content.kind === 'gone') return;
    if (content.kind === 'value') return this.#route(call, content.value);
    const { problem } = content;
    if (problem.error === 'parseError') return this.#asHandshake((sessions) => sessions.unreadable(call, problem));
    refuse(call.request, call.reply, problem);
  }

  /** Decides whether a message is an exchange or of a session. */
  #route(call: HttpCall, sent: unknown): CallEnd {
    const value = this.#alone(sent);
    if (call.refuses?.(value) === true) return;
    if (Array.isArray(value)) return this.#batch(call, value);
    const judged = parsedMessageOf(value, this.#context.endpoint.revisions);
    const problem = beginProblem(this.#context, call, judged.kind === 'request');
    if (problem !== undefined) return refuse(call.request, call.reply, problem);
    return this.#one(call, judged, this.#isStateless(call.request));
  }

  /** The only message of a batch with which a session begins. */
  #alone(value: unknown): unknown {
    const [only, ...others]: readonly unknown[] = Array.isArray(value) ? value : [];
    if (others.length > 0 || !isObject(only) || only['method'] !== 'initialize') return value;
    tolerated(this.#context.settings, 'initialize in a batch');
    return only;
  }

  #batch(call: HttpCall, values: readonly unknown[]): CallEnd {
    const messages = judgedBatch(values, this.#context);
    const problem = beginProblem(this.#context, call, messages.some(isRequest));
    if (problem !== undefined) return refuse(call.request, call.reply, problem);
    if (this.#isStateless(call.request))
      return refuse(call.request, call.reply, { status: 400, message: 'this revision has no batches' });
    return this.#asHandshake((sessions) => sessions.batch(call, messages));
  }

  #one(call: HttpCall, judged: ParsedMessage, stateless: boolean): CallEnd {
    const { request, reply } = call;
    switch (judged.kind) {
      case 'malformed':
        return refuse(request, reply, { status: 400, message: judged.reason }, judged.id);
      case 'response':
        if (stateless) return refuse(request, reply, { status: 400, message: 'no response is awaited here' });
        return this.#asHandshake((sessions) => sessions.post(call, judged));
      case 'request':
        if (stateless || isExchange(call, judged)) return this.#exchanges.request(call, judged);
        return this.#asHandshake((sessions) => sessions.post(call, judged));
      case 'notification':
        if (stateless || isExchange(call, judged)) return this.#exchanges.notification(call, judged);
        return this.#asHandshake((sessions) => sessions.post(call, judged));
    }
  }
}

/**
 * Tells whether a message claims a stateless revision: by its `_meta`, by a version header without a session, or by the
 * method `server/discover`. If only one of these claims it, the exchange reports the mismatch.
 */
function isExchange(call: HttpCall, { message, claimed }: ParsedRequest | ParsedNotification): boolean {
  if (claimed !== undefined && !isOfSessions(revisionOf(claimed))) return true;
  if (call.request.header('mcp-session-id') !== undefined) return false;
  // Its body names the version of the session that it begins.
  if (message.method === 'initialize') return false;
  return message.method === 'server/discover' || (call.version !== undefined && revisionOf(call.version) === undefined);
}

let loadedLasting: typeof Lasting | undefined;

/** Loads the code for clients of session-based revisions. A server may never meet one. */
async function lasting(): Promise<typeof Lasting> {
  return (loadedLasting ??= await import('./lasting.ts'));
}

/** Tells whether two paths are equal except for a final slash, which people and frameworks add and omit. */
function isSamePath(one: string, other: string): boolean {
  return one === other || `${one}/` === other || one === `${other}/`;
}
