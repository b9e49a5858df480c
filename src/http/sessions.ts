import { after } from '../jsonrpc/timeout.ts';
import type { Received, RequestMessage } from '../jsonrpc/message.ts';
import type { AuthInfo } from '../peer/endpoint.ts';
import { revisionOf } from '../protocol/revision.ts';
import type { Edge, Visit } from './edge.ts';
import { Session } from './session.ts';
import { busy, refuse, sessionStatus, type Problem } from './status.ts';
import { toJson } from './answer.ts';

const sessionHeader = 'mcp-session-id';

/** The sessions of one server: bounded in number, expiring, each bound to who opened it. */
export class Sessions {
  readonly #edge: Edge;
  readonly #open = new Map<string, Session>();
  #opening = 0;
  #cancelTimer: (() => void) | undefined;

  constructor(edge: Edge) {
    this.#edge = edge;
  }

  /** Answers a POST of one message that is no part of an exchange. */
  async post(visit: Visit, received: Exclude<Received, { kind: 'malformed' }>): Promise<void> {
    const request = received.kind === 'request' ? received.message : undefined;
    if (request?.method === 'initialize' && visit.request.header(sessionHeader) === undefined)
      return this.#begin(visit, request);
    const session = this.#of(visit, request?.id);
    await session?.post(visit, received.message);
  }

  /** Answers a POST of a batch. (Only 2025-03-26 has them; `initialize` is never part of one.) */
  async batch(visit: Visit, values: readonly unknown[]): Promise<void> {
    const session = this.#of(visit);
    if (session === undefined) return;
    const problem = batchProblem(session, values, this.#edge.settings.maxBatch);
    if (problem !== undefined) return refuse(visit.request, visit.reply, problem);
    await session.batch(visit, values);
  }

  /** Answers text that could not be parsed. */
  unreadable(visit: Visit, problem: Problem): void {
    const session = this.#find(visit);
    if (session === undefined) refuse(visit.request, visit.reply, problem);
    else visit.reply.send(problem.status, session.unreadable(problem.message));
  }

  /** Answers a GET: opens the stream for messages that belong to no request. */
  listen(visit: Visit): void {
    const session = this.#of(visit);
    if (session === undefined) return;
    const problem = session.listening
      ? { status: 409, message: 'this session has a stream open already' }
      : this.#edge.streams.full
        ? busy('too many event streams are open')
        : undefined;
    if (problem === undefined) session.listen(visit);
    else refuse(visit.request, visit.reply, problem);
  }

  /** Answers a DELETE: ends the session. */
  remove(visit: Visit): void {
    const session = this.#of(visit);
    if (session === undefined) return;
    this.#end(session);
    visit.reply.send(204);
  }

  /** Ends every session. */
  close(): void {
    for (const session of this.#open.values()) this.#end(session);
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
  }

  async #begin(visit: Visit, message: RequestMessage): Promise<void> {
    if (this.#open.size + this.#opening >= this.#edge.settings.maxSessions) this.#sweep();
    if (this.#open.size + this.#opening >= this.#edge.settings.maxSessions) {
      return refuse(visit.request, visit.reply, busy('too many sessions are open'), message.id);
    }
    const session = new Session(this.#edge, randomId(), visit.auth);
    this.#opening++;
    try {
      const response = await session.initialize(message);
      if (session.revision === undefined) session.end();
      else this.#add(session);
      if (response === undefined) return visit.reply.send(202);
      const headers = session.ended ? undefined : { 'Mcp-Session-Id': session.id };
      this.#answer(visit, sessionStatus(response), toJson(this.#edge, response), headers);
    } finally {
      this.#opening--;
    }
  }

  #answer(visit: Visit, status: number, json: string, headers: Readonly<Record<string, string>> | undefined): void {
    if (visit.accepted.json || status !== 200) visit.reply.send(status, json, headers);
    else this.#edge.streams.open(visit.reply, headers).end(json);
  }

  #add(session: Session): void {
    this.#open.set(session.id, session);
    this.#cancelTimer ??= this.#sweepLater();
  }

  #end(session: Session): void {
    this.#open.delete(session.id);
    session.end();
  }

  /** The session that a request names, or `undefined` when the request was turned away. */
  #of(visit: Visit, id?: RequestMessage['id']): Session | undefined {
    const session = this.#find(visit);
    const problem = session === undefined ? missing(visit) : versionProblem(session, visit.version);
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

function samePrincipal(a: AuthInfo | undefined, b: AuthInfo | undefined): boolean {
  return a?.principal === b?.principal;
}

function missing(visit: Visit): Problem {
  return visit.request.header(sessionHeader) === undefined
    ? { status: 400, message: 'the Mcp-Session-Id header is missing' }
    : { status: 404, message: 'there is no such session' };
}

/** Spec 2025-11-25, Transports, Protocol version header: absent is what was negotiated, invalid is a bad request. */
function versionProblem(session: Session, header: string | undefined): Problem | undefined {
  if (header === undefined || header === session.revision?.date) return undefined;
  const known = revisionOf(header) !== undefined;
  return {
    status: 400,
    message: known
      ? 'MCP-Protocol-Version is not what this session negotiated'
      : 'MCP-Protocol-Version is not supported',
  };
}

function batchProblem(session: Session, values: readonly unknown[], limit: number): Problem | undefined {
  if (session.revision?.batches !== true) return { status: 400, message: 'this revision has no batches' };
  if (values.length === 0) return { status: 400, message: 'a batch must hold at least one message' };
  if (values.length > limit) return { status: 400, message: `a batch must hold at most ${limit} messages` };
  return undefined;
}

/** 192 random bits in visible ASCII. */
function randomId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(24));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
