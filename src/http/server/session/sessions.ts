import { eachInSlices } from '../../../jsonrpc/slices.ts';
import { after } from '../../../jsonrpc/timeout.ts';
import type { Received, RequestMessage } from '../../../jsonrpc/message.ts';
import { memoryEvents } from '../../../store/events.ts';
import type { Done, Edge, Visit } from '../context.ts';
import { Session, type SessionEdge } from './session.ts';
import { batchProblem, randomText, samePrincipal, sessionProblem, streamProblem, versionProblem } from './rules.ts';
import type { HeaderFields } from '../universal.ts';
import { refuse, retryHeaders, sessionStatus, type Problem } from '../status.ts';
import { toJson } from '../answer.ts';

const sessionHeader = 'mcp-session-id';

/** The sessions of one server: bounded in number, expiring, each bound to who opened it. */
export class Sessions {
  readonly #edge: SessionEdge;
  readonly #open = new Map<string, Session>();
  #cancelTimer: (() => void) | undefined;

  constructor(edge: Edge) {
    const { events, now } = edge.settings;
    this.#edge = { ...edge, events: events ?? memoryEvents({ now }), dismiss: (session) => this.#end(session) };
  }

  /** Answers a POST of one message that is no part of an exchange. */
  post(visit: Visit, received: Exclude<Received, { kind: 'malformed' }>): Done {
    const request = received.kind === 'request' ? received.message : undefined;
    if (request?.method === 'initialize' && visit.request.header(sessionHeader) === undefined)
      return this.#begin(visit, request);
    const session = this.#of(visit, request?.id);
    return session?.post(visit, received);
  }

  /** Answers a POST of a batch. (Only 2025-03-26 has them; `initialize` is never part of one.) */
  async batch(visit: Visit, values: readonly unknown[]): Promise<void> {
    const session = this.#of(visit);
    if (session === undefined) return;
    const problem = batchProblem(session.revision, values, this.#edge.settings.maxBatch);
    if (problem !== undefined) return refuse(visit.request, visit.reply, problem);
    await session.batch(visit, values);
  }

  /** Answers text that could not be parsed. */
  unreadable(visit: Visit, problem: Problem): void {
    const session = this.#find(visit);
    if (session === undefined) refuse(visit.request, visit.reply, problem);
    else visit.reply.send(problem.status, session.unreadable(problem.message));
  }

  /** Answers a GET: opens the stream for messages that belong to no request, or takes up one that broke. */
  listen(visit: Visit): Done {
    const session = this.#of(visit);
    if (session === undefined) return;
    const lastEventId = session.resumes ? visit.request.header('last-event-id') : undefined;
    const problem = streamProblem(this.#edge, visit);
    if (problem !== undefined) return refuse(visit.request, visit.reply, problem);
    if (lastEventId !== undefined) return this.#resume(visit, session, lastEventId);
    if (!session.listening) return session.listen(visit);
    // Who has lost the stream says so with Last-Event-ID; anybody else must not silence its reader.
    refuse(visit.request, visit.reply, { status: 409, message: 'this session has a stream open already' });
  }

  /** Answers a DELETE: ends the session. */
  remove(visit: Visit): void {
    const session = this.#of(visit);
    if (session === undefined) return;
    this.#end(session);
    visit.reply.send(204);
  }

  /** Ends every session. */
  async close(): Promise<void> {
    await eachInSlices(this.#open.values(), (session) => this.#end(session));
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
  }

  async #resume(visit: Visit, session: Session, lastEventId: string): Promise<void> {
    const resumption = await session.resume(lastEventId);
    // Who has gone meanwhile must not take the place of who came back since.
    if (visit.reply.closed) return resumption?.drop();
    if (resumption !== undefined && !session.ended) return session.takeUp(visit, resumption);
    resumption?.drop();
    // Not 404, which would say that the session is gone.
    refuse(visit.request, visit.reply, { status: 400, message: 'nothing can be resumed from this Last-Event-ID' });
  }

  async #begin(visit: Visit, message: RequestMessage): Promise<void> {
    if (sessionProblem(this.#edge, visit) !== undefined) this.#sweep();
    const problem = sessionProblem(this.#edge, visit);
    if (problem !== undefined) return refuse(visit.request, visit.reply, problem, message.id);
    const session = new Session(this.#edge, randomText(), visit);
    this.#edge.sessionShares.take(visit.auth);
    try {
      const response = await session.initialize(message);
      if (session.revision !== undefined) this.#add(session);
      if (response === undefined) return visit.reply.send(202);
      const headers = session.revision === undefined ? retryHeaders(response) : { 'Mcp-Session-Id': session.id };
      this.#answer(visit, sessionStatus(response), toJson(this.#edge, response), headers);
    } finally {
      if (session.revision === undefined) this.#end(session);
    }
  }

  #answer(visit: Visit, status: number, json: string, headers: HeaderFields | undefined): void {
    if (visit.accepted.json || status !== 200) visit.reply.send(status, json, headers);
    else this.#edge.streams.open(visit.reply, { auth: visit.auth, ...(headers && { headers }) }).end(json);
  }

  #add(session: Session): void {
    this.#open.set(session.id, session);
    this.#cancelTimer ??= this.#sweepLater();
  }

  #end(session: Session): void {
    if (session.ended) return;
    this.#open.delete(session.id);
    this.#edge.sessionShares.give(session.auth);
    session.end();
  }

  /** The session that a request names, or `undefined` when the request was turned away. */
  #of(visit: Visit, id?: RequestMessage['id']): Session | undefined {
    const session = this.#find(visit);
    const problem = session === undefined ? missing(visit) : versionProblem(visit.version);
    if (problem === undefined) return session;
    refuse(visit.request, visit.reply, problem, id);
    return undefined;
  }

  /** Somebody else's session and one that never was look the same from outside. */
  #find({ request, auth }: Visit): Session | undefined {
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
    return after(this.#edge.settings.sessionIdleMs / 2, () => {
      this.#sweep();
      this.#cancelTimer = this.#open.size === 0 ? undefined : this.#sweepLater();
    });
  }
}

function missing(visit: Visit): Problem {
  return visit.request.header(sessionHeader) === undefined
    ? { status: 400, message: 'the Mcp-Session-Id header is missing' }
    : { status: 404, message: 'there is no such session' };
}
