import { eachInSlices } from '../../../../jsonrpc/slices.ts';
import { after } from '../../../../jsonrpc/timeout.ts';
import type { RequestId } from '../../../../jsonrpc/message.ts';
import type { ParsedMessage, MalformedMessage, ParsedRequest } from '../../../../server/runtime/parsed-message.ts';
import { memoryEvents } from '../../../../storage/events.ts';
import { StoreError } from '../../../../storage/store.ts';
import type { CallEnd, HttpCall } from '../exchanges/call.ts';
import type { HttpContext } from '../exchanges/context.ts';
import type { QuotaClient } from '../exchanges/quota.ts';
import { IdleSessions } from './idle-sessions.ts';
import { HttpSession, type SessionContext, type SessionOrigin } from './session.ts';
import type { SessionHooks, SessionsElsewhere } from './sessions-elsewhere.ts';
import {
  randomText,
  samePrincipal,
  sessionProblem,
  streamProblem,
  toleratedBatchProblem,
  versionProblem,
} from './rules.ts';
import { lacksScopes } from './scopes.ts';
import type { HeaderFields } from '../exchanges/universal.ts';
import { busy, refuse, retryHeaders, sessionStatus, shuttingDown, type HttpProblem } from '../exchanges/status.ts';
import { responseJson } from '../exchanges/answer.ts';
import { tolerated } from '../exchanges/tolerated.ts';

const sessionHeader = 'mcp-session-id';

/** Times after which clients of a process that ends are asked to come back, in milliseconds. */
const [soonestMs, latestMs] = [500, 10_000];

/** Makes the connection to the other processes that serve the same sessions. */
export type ReplicasOf = (hooks: SessionHooks) => SessionsElsewhere;

/** The sessions of one server: bounded in number, expiring, each bound to who opened it. */
export class Sessions {
  readonly #context: SessionContext;
  /** The other processes that serve these sessions, if there are any. */
  readonly #replicas: SessionsElsewhere | undefined;
  readonly #open = new Map<string, HttpSession>();
  readonly #idle = new IdleSessions();
  #cancelTimer: (() => void) | undefined;

  /** @param replicasOf Set if other processes serve the same sessions. */
  constructor(context: HttpContext, replicasOf?: ReplicasOf) {
    const { events, now } = context.settings;
    this.#context = {
      ...context,
      events: events ?? memoryEvents({ now }),
      dismiss: (session) => void this.#remove(session),
      changed: (session) => void (this.#open.get(session.id) === session && this.#idle.changed(session)),
    };
    context.sessionQuota.makeRoom = (client) => this.#makeRoom(client);
    this.#replicas = replicasOf?.({
      settings: context.settings,
      spoken: context.inSessions,
      adopt: (call, elsewhere, { record }) => this.#adopt(call, { id: elsewhere.id, elsewhere, record }),
      drop: (session, why) => {
        session.stop(why ?? 'lost');
        this.#end(session);
      },
    });
  }

  /** Answers a POST of one message that is no part of an exchange. */
  post(call: HttpCall, judged: Exclude<ParsedMessage, MalformedMessage>): CallEnd {
    const request = judged.kind === 'request' ? judged : undefined;
    if (request?.message.method === 'initialize') return this.#initialize(call, request);
    return this.#with(call, (session) => session.post(call, judged), request?.message.id);
  }

  /** Begins a session. Some clients still send the headers of one that is over. */
  #initialize(call: HttpCall, request: ParsedRequest): CallEnd {
    const { settings } = this.#context;
    if (versionProblem(call.version) !== undefined)
      tolerated(settings, 'initialize with an MCP-Protocol-Version header that is not supported');
    if (call.request.header(sessionHeader) === undefined) return this.#begin(call, request);
    const found = (session: HttpSession | undefined): CallEnd => {
      if (session !== undefined) return session.post(call, request);
      tolerated(settings, 'initialize with the Mcp-Session-Id of a session that is over');
      return this.#begin(call, request);
    };
    return this.#find(call, found, request.message.id);
  }

  /** Answers a POST of a batch. `initialize` is never part of one. */
  batch(call: HttpCall, messages: readonly ParsedMessage[]): CallEnd {
    return this.#with(call, (session) => this.#batch(call, session, messages));
  }

  async #batch(call: HttpCall, session: HttpSession, messages: readonly ParsedMessage[]): Promise<void> {
    const problem = toleratedBatchProblem(session.revision, messages, this.#context.settings);
    if (problem !== undefined) return refuse(call.request, call.reply, problem);
    if (await lacksScopes(this.#context.endpoint, messages, call)) return;
    await session.batch(call, messages);
  }

  /** Answers text that could not be parsed. */
  unreadable(call: HttpCall, problem: HttpProblem): CallEnd {
    const answer = (session: HttpSession | undefined): void => {
      if (session === undefined) refuse(call.request, call.reply, problem);
      else call.reply.send(problem.status, session.unreadable(problem.message));
    };
    return this.#find(call, answer);
  }

  /** Answers a GET: opens the stream for messages that belong to no request, or takes up one that broke. */
  listen(call: HttpCall): CallEnd {
    return this.#with(call, (session) => this.#listen(call, session));
  }

  #listen(call: HttpCall, session: HttpSession): CallEnd {
    const lastEventId = session.resumes ? call.request.header('last-event-id') : undefined;
    const problem = streamProblem(this.#context, call);
    if (problem !== undefined) return refuse(call.request, call.reply, problem);
    if (lastEventId !== undefined) return this.#resume(call, session, lastEventId);
    // A waiting message must not go to a reader that has disconnected.
    if (call.reply.closed) return;
    if (!session.listening) return this.#claim(call, session);
    this.#isOpen(call);
  }

  #claim(call: HttpCall, session: HttpSession): CallEnd {
    const claim = this.#replicas?.claim(session);
    if (claim === undefined) return session.listen(call);
    return claim.then((opening) => {
      const isGone = call.reply.closed;
      if (!isGone && !session.ended) {
        if (opening?.isLost === false && !session.listening) session.listen(call);
        else this.#isOpen(call);
      }
      opening?.over();
      return !isGone && session.ended ? this.#again(call) : undefined;
    });
  }

  /** Answers a GET whose session ended here meanwhile: it may continue in another replica, or is gone. */
  #again(call: HttpCall): CallEnd {
    if (this.#isClosed) return refuse(call.request, call.reply, shuttingDown());
    return this.listen(call);
  }

  #isOpen(call: HttpCall): void {
    // A client that lost its stream sends Last-Event-ID. Another request must not take the stream from its reader.
    refuse(call.request, call.reply, { status: 409, message: 'this session has a stream open already' });
  }

  /** Answers a DELETE: ends the session. */
  remove(call: HttpCall): CallEnd {
    return this.#with(call, (session) => {
      const removed = this.#remove(session);
      if (removed === undefined) call.reply.send(204);
      return removed?.then((isGone) => {
        if (isGone) call.reply.send(204);
        else refuse(call.request, call.reply, busy('the session cannot be ended now; try again later'));
      });
    });
  }

  /**
   * Asks the readers of GET streams to reconnect at another process, each after its own time. Does nothing if there is
   * no other process.
   */
  sendAway(): void {
    if (this.#replicas === undefined) return;
    for (const session of this.#open.values()) session.sendAway(soonestMs + Math.random() * (latestMs - soonestMs));
  }

  /** Ends every session, and those that are being opened. */
  async close(): Promise<void> {
    await eachInSlices(this.#open.values(), (session) => {
      session.stop();
      this.#end(session);
    });
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    await this.#replicas?.close();
  }

  async #resume(call: HttpCall, session: HttpSession, lastEventId: string): Promise<void> {
    const resumption = await session.resume(lastEventId);
    // A client that disconnected meanwhile must not take the place of one that came back since.
    if (call.reply.closed) return resumption?.drop();
    if (resumption?.isOver === true && !session.ended) {
      resumption.drop();
      // HTML, Server-sent events: 204 tells a client to stop coming back.
      return call.reply.send(204);
    }
    if (resumption !== undefined && !session.ended) {
      this.#context.endpoint.listeners?.tell?.({ type: 'stream-resumed', isMoved: resumption.isMoved === true });
      return session.takeUp(call, resumption, lastEventId);
    }
    resumption?.drop();
    if (session.ended) return await this.#again(call);
    // Not 404, which would mean that the session is gone.
    refuse(call.request, call.reply, { status: 400, message: 'nothing can be resumed from this Last-Event-ID' });
  }

  async #begin(call: HttpCall, judged: ParsedRequest): Promise<void> {
    const problem = sessionProblem(this.#context, call);
    if (problem !== undefined) return refuse(call.request, call.reply, problem, judged.message.id);
    const id = randomText();
    const elsewhere = this.#replicas?.member(id);
    const session = new HttpSession(this.#context, { id, elsewhere }, call);
    this.#context.sessionQuota.take(session);
    try {
      const response = await session.initialize(judged);
      // No code would end it any more.
      if (this.#isClosed) return refuse(call.request, call.reply, shuttingDown(), judged.message.id);
      // An id that is given out is known everywhere.
      if (session.revision !== undefined && elsewhere !== undefined) await this.#replicas?.open(elsewhere, session);
      // If this process closed meanwhile, others continue the session.
      if (session.revision !== undefined && !this.#isClosed) this.#add(session);
      if (response === undefined) return call.reply.send(202);
      const headers = session.revision === undefined ? retryHeaders(response) : { 'Mcp-Session-Id': session.id };
      this.#answer(call, sessionStatus(response), responseJson(this.#context, response), headers);
    } catch (cause) {
      this.#away(call, cause, judged.message.id);
    } finally {
      if (!this.#open.has(session.id)) this.#end(session);
    }
  }

  #answer(call: HttpCall, status: number, json: string, headers: HeaderFields | undefined): void {
    if (call.accepted.json || status !== 200) call.reply.send(status, json, headers);
    else this.#context.streams.open(call.reply, { client: call, ...(headers && { headers }) }).end(json);
  }

  get #isClosed(): boolean {
    return this.#context.course.stage === 'closed';
  }

  #add(session: HttpSession): void {
    this.#keep(session);
    // If other processes serve the sessions too, the store decides when they expire.
    if (this.#replicas === undefined) this.#cancelTimer ??= this.#sweepLater();
  }

  #keep(session: HttpSession): void {
    this.#open.set(session.id, session);
    this.#idle.add(session);
  }

  #end(session: HttpSession): void {
    if (session.ended) return;
    if (this.#open.delete(session.id)) this.#idle.delete(session);
    this.#context.sessionQuota.give(session);
    session.end();
    this.#replicas?.dropped(session);
  }

  /** Ends a session here and in every other process; false if it may continue elsewhere. */
  #remove(session: HttpSession): Promise<boolean> | undefined {
    const removed = this.#replicas?.remove(session);
    this.#end(session);
    return removed?.then(
      () => true,
      (cause: unknown) => {
        this.#context.settings.onError(new Error('a session could not be forgotten', { cause }));
        return false;
      },
    );
  }

  /** Makes the copy of a session that another process opened. */
  #adopt(call: HttpCall, origin: SessionOrigin): HttpSession {
    if (this.#context.sessionQuota.full(call) !== undefined && !this.#makeRoom(call))
      throw new StoreError('full', 'too many sessions are open in this process');
    const session = new HttpSession(this.#context, origin, call);
    this.#context.sessionQuota.take(session);
    this.#keep(session);
    return session;
  }

  /** Continues the session that a request names, or rejects the request. */
  #with(call: HttpCall, run: (session: HttpSession) => CallEnd, id?: RequestId): CallEnd {
    const found = (session: HttpSession | undefined): CallEnd => {
      const problem = session === undefined ? missing(call) : versionProblem(call.version);
      if (problem !== undefined || session === undefined)
        return refuse(call.request, call.reply, problem ?? missing(call), id);
      return run(session);
    };
    return this.#find(call, found, id);
  }

  /** Continues the session that a request names. Finding it may involve the store. */
  #find(call: HttpCall, run: (session: HttpSession | undefined) => CallEnd, requestId?: RequestId): CallEnd {
    const id = call.request.header(sessionHeader) ?? '';
    if (this.#replicas === undefined) return run(this.#own(id, call));
    const away = (cause: unknown): void => this.#away(call, cause, requestId);
    return this.#replicas.find(id, call).then(run).catch(away);
  }

  /** The state is unknown. So never 404, which would mean that the session is gone. */
  #away(call: HttpCall, cause: unknown, id?: RequestId): void {
    if (!(cause instanceof StoreError)) throw cause;
    this.#context.settings.onError(new Error('the store of sessions could not be used', { cause }));
    refuse(call.request, call.reply, busy('sessions cannot be had now; try again later'), id);
  }

  /** Another principal's session and an unknown one look the same to a client. */
  #own(id: string, call: HttpCall): HttpSession | undefined {
    const session = this.#open.get(id);
    if (session === undefined || !samePrincipal(session.auth, call.auth)) return undefined;
    if (session.expired) {
      this.#end(session);
      return undefined;
    }
    return session;
  }

  /**
   * Ends expired sessions, or the next one that can be ended: one of the client itself, or of an owner with more. A
   * busy session stays.
   *
   * @returns True if there is a place now.
   */
  #makeRoom(client: QuotaClient): boolean {
    const { sessionQuota } = this.#context;
    // Where other processes have copies, those that rest make way.
    if (this.#replicas === undefined) this.#sweep();
    else this.#replicas.makeRoom();
    if (sessionQuota.full(client) === undefined) return true;
    const next = this.#idle.next();
    // No session is ended for a principal that has used up its own places.
    if (next === undefined || this.#replicas !== undefined || sessionQuota.ownFull(client)) return false;
    if (next.owner !== client.owner && sessionQuota.of(next.owner) <= sessionQuota.of(client.owner)) return false;
    this.#end(next);
    return true;
  }

  #sweep(): void {
    for (let session = this.#idle.longest(); session?.expired === true; session = this.#idle.longest())
      this.#end(session);
  }

  #sweepLater(): () => void {
    return after(this.#context.settings.sessionIdleTimeoutMs / 2, () => {
      this.#sweep();
      this.#cancelTimer = this.#open.size === 0 ? undefined : this.#sweepLater();
    });
  }
}

function missing(call: HttpCall): HttpProblem {
  return call.request.header(sessionHeader) === undefined
    ? { status: 400, message: 'the Mcp-Session-Id header is missing' }
    : { status: 404, message: 'the session does not exist' };
}
