import { eachInSlices } from '../../../jsonrpc/slices.ts';
import { after } from '../../../jsonrpc/timeout.ts';
import type { RequestId } from '../../../jsonrpc/message.ts';
import type { Judged, JudgedMalformed, JudgedRequest } from '../../../host/judged.ts';
import { memoryEvents } from '../../../store/events.ts';
import type { Done, HttpCall } from '../call.ts';
import type { HttpContext } from '../context.ts';
import { HttpSession, type SessionContext } from './session.ts';
import { batchProblem, randomText, samePrincipal, sessionProblem, streamProblem, versionProblem } from './rules.ts';
import { lacksScopes } from './scopes.ts';
import type { HeaderFields } from '../universal.ts';
import { refuse, retryHeaders, sessionStatus, type HttpProblem } from '../status.ts';
import { responseJson } from '../answer.ts';

const sessionHeader = 'mcp-session-id';

/** The sessions of one server: bounded in number, expiring, each bound to who opened it. */
export class Sessions {
  readonly #context: SessionContext;
  readonly #open = new Map<string, HttpSession>();
  #cancelTimer: (() => void) | undefined;

  constructor(context: HttpContext) {
    const { events, now } = context.settings;
    this.#context = { ...context, events: events ?? memoryEvents({ now }), dismiss: (session) => this.#end(session) };
  }

  /** Answers a POST of one message that is no part of an exchange. */
  post(call: HttpCall, judged: Exclude<Judged, JudgedMalformed>): Done {
    const request = judged.kind === 'request' ? judged : undefined;
    if (request?.message.method === 'initialize' && call.request.header(sessionHeader) === undefined)
      return this.#begin(call, request);
    const session = this.#of(call, request?.message.id);
    return session?.post(call, judged);
  }

  /** Answers a POST of a batch. (Only 2025-03-26 has them; `initialize` is never part of one.) */
  async batch(call: HttpCall, messages: readonly Judged[]): Promise<void> {
    const session = this.#of(call);
    if (session === undefined) return;
    const problem = batchProblem(session.revision, messages, this.#context.settings.maxBatch);
    if (problem !== undefined) return refuse(call.request, call.reply, problem);
    if (await lacksScopes(this.#context.endpoint, messages, call)) return;
    await session.batch(call, messages);
  }

  /** Answers text that could not be parsed. */
  unreadable(call: HttpCall, problem: HttpProblem): void {
    const session = this.#find(call);
    if (session === undefined) refuse(call.request, call.reply, problem);
    else call.reply.send(problem.status, session.unreadable(problem.message));
  }

  /** Answers a GET: opens the stream for messages that belong to no request, or takes up one that broke. */
  listen(call: HttpCall): Done {
    const session = this.#of(call);
    if (session === undefined) return;
    const lastEventId = session.resumes ? call.request.header('last-event-id') : undefined;
    const problem = streamProblem(this.#context, call);
    if (problem !== undefined) return refuse(call.request, call.reply, problem);
    if (lastEventId !== undefined) return this.#resume(call, session, lastEventId);
    // What waits for a reader is not for one who has gone.
    if (call.reply.closed) return;
    if (!session.listening) return session.listen(call);
    // Who has lost the stream says so with Last-Event-ID; anybody else must not silence its reader.
    refuse(call.request, call.reply, { status: 409, message: 'this session has a stream open already' });
  }

  /** Answers a DELETE: ends the session. */
  remove(call: HttpCall): void {
    const session = this.#of(call);
    if (session === undefined) return;
    this.#end(session);
    call.reply.send(204);
  }

  /** Ends every session. */
  async close(): Promise<void> {
    await eachInSlices(this.#open.values(), (session) => this.#end(session));
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
  }

  async #resume(call: HttpCall, session: HttpSession, lastEventId: string): Promise<void> {
    const resumption = await session.resume(lastEventId);
    // Who has gone meanwhile must not take the place of who came back since.
    if (call.reply.closed) return resumption?.drop();
    if (resumption !== undefined && !session.ended) return session.takeUp(call, resumption);
    resumption?.drop();
    // Not 404, which would say that the session is gone.
    refuse(call.request, call.reply, { status: 400, message: 'nothing can be resumed from this Last-Event-ID' });
  }

  async #begin(call: HttpCall, judged: JudgedRequest): Promise<void> {
    if (sessionProblem(this.#context, call) !== undefined) this.#sweep();
    const problem = sessionProblem(this.#context, call);
    if (problem !== undefined) return refuse(call.request, call.reply, problem, judged.message.id);
    const session = new HttpSession(this.#context, randomText(), call);
    this.#context.sessionQuota.take(call.auth);
    try {
      const response = await session.initialize(judged);
      if (session.revision !== undefined) this.#add(session);
      if (response === undefined) return call.reply.send(202);
      const headers = session.revision === undefined ? retryHeaders(response) : { 'Mcp-Session-Id': session.id };
      this.#answer(call, sessionStatus(response), responseJson(this.#context, response), headers);
    } finally {
      if (session.revision === undefined) this.#end(session);
    }
  }

  #answer(call: HttpCall, status: number, json: string, headers: HeaderFields | undefined): void {
    if (call.accepted.json || status !== 200) call.reply.send(status, json, headers);
    else this.#context.streams.open(call.reply, { auth: call.auth, ...(headers && { headers }) }).end(json);
  }

  #add(session: HttpSession): void {
    this.#open.set(session.id, session);
    this.#cancelTimer ??= this.#sweepLater();
  }

  #end(session: HttpSession): void {
    if (session.ended) return;
    this.#open.delete(session.id);
    this.#context.sessionQuota.give(session.auth);
    session.end();
  }

  /** The session that a request names, or `undefined` when the request was turned away. */
  #of(call: HttpCall, id?: RequestId): HttpSession | undefined {
    const session = this.#find(call);
    const problem = session === undefined ? missing(call) : versionProblem(call.version);
    if (problem === undefined) return session;
    refuse(call.request, call.reply, problem, id);
    return undefined;
  }

  /** Somebody else's session and one that never was look the same from outside. */
  #find({ request, auth }: HttpCall): HttpSession | undefined {
    const session = this.#open.get(request.header(sessionHeader) ?? '');
    if (session === undefined || !samePrincipal(session.auth, auth)) return undefined;
    if (!session.expired) return session;
    this.#end(session);
    return undefined;
  }

  #sweep(): void {
    for (const session of this.#open.values()) if (session.expired) this.#end(session);
  }

  #sweepLater(): () => void {
    return after(this.#context.settings.sessionIdleMs / 2, () => {
      this.#sweep();
      this.#cancelTimer = this.#open.size === 0 ? undefined : this.#sweepLater();
    });
  }
}

function missing(call: HttpCall): HttpProblem {
  return call.request.header(sessionHeader) === undefined
    ? { status: 400, message: 'the Mcp-Session-Id header is missing' }
    : { status: 404, message: 'there is no such session' };
}
