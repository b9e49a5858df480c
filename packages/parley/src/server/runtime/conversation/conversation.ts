import {
  shownId,
  type ErrorMessage,
  type NotificationMessage,
  type RequestId,
  type RequestMessage,
  type ResponseMessage,
} from '../../../jsonrpc/message.ts';
import type { InFlightList, InFlightEntry } from '../../../jsonrpc/in-flight-list.ts';
import { ConnectionError } from '../../../jsonrpc/transport.ts';
import type { JsonObject } from '../../../protocol/features/common.ts';
import { McpError } from '../../../protocol/error.ts';
import { fromWire } from '../../../protocol/compile/from-wire.ts';
import { methodOf } from '../../../protocol/catalogue.ts';
import type { MethodRow } from '../../../protocol/method.ts';
import { revisionOf, type Revision } from '../../../protocol/revision.ts';
import type { ClientRequester } from '../../../connection/client-request.ts';
import { sessionQuestions, runInRounds, runInSession } from '../input/requesting.ts';
import { Call, type CallFacts } from '../call.ts';
import type { AuthInfo, ClientConnection, ReplyChannel } from '../request-handler.ts';
import type { Connection } from '../../../connection/connection.ts';
import { InFlightRequests } from '../../../connection/in-flight-requests.ts';
import { StatelessFacts } from '../stateless-facts.ts';
import { gate, notFound } from '../../../connection/gate.ts';
import type { Handler, ServerCore } from '../server-core.ts';
import { answerInitialize, answerUnopened, resultItself } from './lifecycle.ts';
import { guarded, maskedFailure, reportUnanswered } from '../masking.ts';
import { mapMaybe, catchMaybe, type MaybePromise } from '../../../storage/maybe-promise.ts';
import type { QuestionWay } from '../input/question.ts';
import type * as Questions from '../input/session-questions.ts';
import { parsedMessageOf, type ParsedMessage, type ParsedRequest } from '../parsed-message.ts';
import { throughHostMiddleware } from '../middleware/late-passing.ts';
import { describesClients } from '../request-meta.ts';
import { lackedScopes } from '../protection.ts';
import { fromFirstPage, handled, handledUnknown, refusal } from '../response.ts';
import { SessionFacts, type SessionOpening, type SessionParts } from './session-facts.ts';
import { tellOfSession } from './observed-session.ts';
import type { KnownSession, SessionRecord } from '../session-record.ts';

/** Outcome of a request, at once or later: a response, or nothing if it was cancelled. */
type Outcome = ResponseMessage | undefined | Promise<ResponseMessage | undefined>;

/** Limit of concurrent requests of one conversation. It bounds the work that one client can cause. */
const maxRunning = 1024;

const nothing: Promise<undefined> = Promise.resolve(undefined);

/**
 * One client's conversation with a host. It serves stateless requests by their own `_meta` at any time, and the
 * handshake revisions once `initialize` settled one. (Spec 2026-07-28, Versioning: a dual-era server selects its
 * behaviour from how the client opens.)
 */
export class ServerConversation implements ClientConnection {
  readonly #host: ServerCore;
  readonly #link: ReplyChannel;
  readonly #place: InFlightEntry;
  readonly #running = new InFlightRequests<Call>(maxRunning);
  /** Connection to the client of a session, with the open requests of both sides. Created on the first question. */
  #connection: Connection<Call> | undefined;
  /** Listeners to notifications of the client about its tasks. Created when the server first asks the client. */
  #told: Map<string, () => void> | undefined;
  /** The session that `initialize` opened. */
  #session: SessionFacts | undefined;
  /** Reports the end of the session, if there is a listener. */
  #toldEnd: (() => void) | undefined;
  #closed = false;
  /** True while an `initialize` is about to open the session. */
  #isOpening = false;
  /** Requests whose rate limit is being checked. */
  #measured: RequestId[] | undefined;

  /**
   * @param open The open conversations of the host.
   * @param record The stored record of its session, if another process opened it.
   */
  constructor(host: ServerCore, link: ReplyChannel, open: InFlightList<ServerConversation>, record?: KnownSession) {
    this.#host = host;
    this.#link = link;
    this.#place = open.add(this);
    const revision = revisionOf(record?.revision);
    if (record === undefined || revision === undefined) return;
    this.#settle({ revision, client: record.client }, record);
    this.restore(record);
  }

  get record(): SessionRecord | undefined {
    return this.#session?.record;
  }

  restore(record: KnownSession): void {
    if (this.#session === undefined || this.#closed) return;
    this.#session.restore(record);
    this.#host.watches?.(this.#session.session, record.watched);
  }

  missed(): void {
    if (this.#session !== undefined && !this.#closed) this.#host.missed?.(this.#session.session);
  }

  get revision(): Revision | undefined {
    return this.#session?.revision;
  }

  receive(value: unknown, auth: AuthInfo | undefined = this.#link.auth): Promise<ResponseMessage | undefined> {
    return this.take(parsedMessageOf(value, this.#host.revisions), auth);
  }

  take(judged: ParsedMessage, auth: AuthInfo | undefined = this.#link.auth): Promise<ResponseMessage | undefined> {
    // No client would receive the answer, and no message could stop the work.
    if (this.#closed) return nothing;
    switch (judged.kind) {
      case 'request':
        return promised(this.#asked(judged, auth));
      case 'notification':
        this.#notified(judged.message);
        return nothing;
      case 'response':
        this.#connection?.answered(judged.message);
        return nothing;
      case 'malformed':
        this.#connection?.malformed(judged.value, judged);
        return Promise.resolve(this.#refusal(judged.id, new McpError('invalidRequest', judged.reason)));
    }
  }

  waits(id: RequestId): boolean {
    const runs = this.#running.get(id);
    return runs === undefined ? this.#measured?.includes(id) === true : methodOf(runs.method)?.leaves !== undefined;
  }

  unreadable(reason: string): ResponseMessage {
    return this.#refusal(undefined, new McpError('parseError', reason));
  }

  end(): void {
    for (const call of this.#running.all()) call.leave();
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#running.end();
    this.#connection?.end(gone());
    if (this.#session !== undefined) {
      this.#session.end();
      this.#toldEnd?.();
      this.#host.closed?.(this.#session.session);
    }
    this.#place.leave();
  }

  /** Rejects a request that exceeds a rate limit; nothing runs for it. */
  #asked(judged: ParsedRequest, auth: AuthInfo | undefined): Outcome {
    const [{ rates }, { message }] = [this.#host, judged];
    if (rates === undefined) return this.#request(judged, auth);
    const measured = (this.#measured ??= []);
    if (measured.length >= maxRunning) return this.#refusal(message.id, tooMany());
    measured.push(message.id);
    const verdict = catchMaybe<McpError | undefined>(
      () => rates(message.method, { auth, session: this.#session?.session, address: this.#link.address }),
      (error) => maskedFailure(this.#host, error, message),
    );
    return mapMaybe(verdict, (refused) => {
      measured.splice(measured.indexOf(message.id), 1);
      if (this.#closed) return undefined;
      if (refused === undefined) return this.#request(judged, auth);
      // Over HTTP the status reports this.
      if (this.#link.protocol !== 'http' && refused.kind === 'busy')
        this.#host.listeners?.tell?.({ type: 'request-refused', reason: 'too-often', status: undefined });
      return this.#refusal(message.id, refused);
    });
  }

  #request({ message, claimed, meta }: ParsedRequest, auth: AuthInfo | undefined): Outcome {
    const obstacle = this.#running.obstacle(message.id);
    if (obstacle === 'duplicate') return this.#refusal(message.id, inUse(message.id));
    if (obstacle === 'busy') return this.#refusal(message.id, tooMany());
    // In a session, the handshake decides how a request without a revision is read.
    const own = claimed === undefined && this.#session !== undefined ? undefined : meta;
    if (own instanceof McpError) return this.#refusal(message.id, own, this.#host.revisions.findLast(describesClients));
    if (own !== undefined) return this.#serve(message, new StatelessFacts(own, this.#host, this.#link), auth);
    if (message.method === 'initialize') return this.#initialize(message);
    if (this.#session === undefined) return answerUnopened(this.#host, message);
    this.#session.heard(auth);
    return this.#serve(message, this.#session, auth);
  }

  #initialize(message: RequestMessage): Outcome {
    const [host, link] = [this.#host, this.#link];
    const { chain } = host;
    return answerInitialize(message, {
      host,
      link,
      session: this.#session,
      ...(chain?.used === true && {
        pass: (params, core) =>
          throughHostMiddleware((late) => late.openedThrough(message, { chain, host, link }, params, core)),
      }),
      begin: () => this.#session === undefined && !this.#isOpening && (this.#isOpening = true),
      settle: (opening) => {
        this.#isOpening = false;
        // The client may have disconnected meanwhile.
        if (opening !== undefined && !this.#closed) this.#settle(opening);
        const { session } = this.#session ?? {};
        if (session !== undefined && chain?.used === true)
          void throughHostMiddleware((late) => late.openedAs(session, link));
      },
    });
  }

  #settle(opening: SessionOpening, known?: KnownSession): void {
    const [host, link] = [this.#host, this.#link];
    const parts = {
      host,
      link,
      isIdle: () => this.#running.size === 0,
      ask: async (...[method, params, origin, about]: Parameters<SessionParts['ask']>) => {
        const { loaded, way } = await this.#asking();
        return await loaded.askOnce(method, params, origin, { ...way, ...about });
      },
    };
    this.#session = new SessionFacts(opening, parts, known);
    const tell = host.listeners?.tell;
    if (tell !== undefined && link.passing !== true)
      this.#toldEnd = tellOfSession(tell, this.#session, known === undefined ? 'session-opened' : 'session-adopted');
    host.opened?.(this.#session.session);
  }

  /** Runs one request. Resolves early, with nothing, when the request is cancelled. */
  #serve(message: RequestMessage, facts: CallFacts, auth: AuthInfo | undefined): Outcome {
    const call = new Call(facts, message, auth);
    this.#running.add(call);
    const outcome = catchMaybe(
      () => this.#run(message, call),
      (error) => this.#failed(message, call, error),
    );
    if (!(outcome instanceof Promise)) {
      this.#end(call, outcome, message);
      return outcome;
    }
    return new Promise((resolve) => {
      call.onAbort(() => {
        this.#running.free(call);
        resolve(undefined);
      });
      // This does not reject: errors became a response before.
      void outcome.then((response) => {
        this.#end(call, response, message);
        resolve(response);
      });
    });
  }

  #end(call: Call, response: ResponseMessage | undefined, message: RequestMessage): void {
    this.#running.forget(call);
    if (call.unanswered > 0) reportUnanswered(this.#host, message, response);
    call.finish();
    if (call.lackedScopes !== undefined && response !== undefined) lackedScopes.set(response, call.lackedScopes);
  }

  #failed(message: RequestMessage, call: Call, error: unknown): ErrorMessage | undefined {
    // A WeakMap returns nothing for a key that is not an object.
    call.lackedScopes = lackedScopes.get(error as object);
    return call.aborted ? undefined : this.#refusal(message.id, maskedFailure(this.#host, error, message), call.facts);
  }

  #run(message: RequestMessage, call: Call): Outcome {
    const host = this.#host;
    const isUnknown = host.unknown !== undefined && methodOf(message.method) === undefined;
    const { chain, undeclared } = host;
    const row = isUnknown ? undefined : gate(message.method, call.facts, host.capabilities(this.#link), undeclared);
    const outcome =
      chain?.used === true
        ? throughHostMiddleware((late) =>
            late.servedThrough(message, {
              chain,
              host,
              call,
              row,
              run: (params) => this.#result(message, row, call, params),
            }),
          )
        : this.#result(message, row, call);
    return mapMaybe(outcome, (result) => {
      if (call.aborted) return undefined;
      return row === undefined
        ? handledUnknown(message, result, { host, call })
        : handled(message, result, { host, call, row });
    });
  }

  /** @param read The parameters, if they were read already. The row belongs to a method that the protocol knows. */
  #result(message: RequestMessage, row: MethodRow | undefined, call: Call, read?: JsonObject): MaybePromise<unknown> {
    const host = this.#host;
    const given = read ?? message.params ?? {};
    if (row === undefined) return host.unknown?.(given, call);
    const { method } = message;
    const own = resultItself(read === undefined ? message : { method, params: read }, call.facts, {
      host,
      session: this.#session,
    });
    if (own !== undefined) return own;
    const handler = host.handler(method);
    if (handler === undefined) throw notFound(method, 'is not served here');
    // Every params type is an object with string keys.
    const params = read ?? fromFirstPage(row, fromWire(call.facts, row.params, given) as JsonObject, host);
    return this.#outcome(handler, params, { row, call });
  }

  /** Runs the handler. If the handler may ask the client, it does so in the way of the revision. */
  #outcome(
    handler: Handler,
    params: JsonObject,
    { row, call }: { readonly row: MethodRow; readonly call: Call },
  ): MaybePromise<unknown> {
    const { rounds, maxRounds } = this.#host;
    if (row.inputRequired === undefined) return handler(params, call);
    if (call.facts.resultsAsk)
      return rounds === undefined ? handler(params, call) : runInRounds({ handler, params, call, rounds });
    if (!call.facts.serverRequests) return handler(params, call);
    const asking = async (): Promise<{ readonly requester: ClientRequester }> => {
      const { loaded, way } = await this.#asking();
      return { requester: new loaded.LiveRequester(call, way) };
    };
    return runInSession(handler, params, { call, maxRounds, asking });
  }

  /** Code for asking the client of a session, loaded on first use. */
  async #asking(): Promise<{ readonly loaded: typeof Questions; readonly way: QuestionWay }> {
    const loaded = await sessionQuestions();
    const connection = (this.#connection ??= loaded.connectionOf(this.#link, this.#running));
    // The client may have disconnected while this loaded.
    if (this.#closed) connection.end(gone());
    return {
      loaded,
      way: {
        connection,
        isReady: () => this.#session?.isReady === true,
        timeoutMs: this.#host.requestTimeoutMs,
        passed:
          this.#host.chain?.used === true ? { chain: this.#host.chain, host: this.#host, link: this.#link } : undefined,
        told: (this.#told ??= new Map()),
      },
    };
  }

  #notified(message: NotificationMessage): void {
    switch (message.method) {
      case 'notifications/initialized':
        return this.#session?.initialized();
      case 'notifications/cancelled':
        return this.#running.cancelled(message.params);
      default:
        if (message.method === 'notifications/progress') this.#connection?.progressed(message);
        if (message.method === 'notifications/tasks/status') this.#toldOfTask(message.params?.['taskId']);
        this.#tell(message);
    }
  }

  #tell(message: NotificationMessage): void {
    const [host, link] = [this.#host, this.#link];
    const [chain, method, session] = [host.chain, message.method, this.#session?.session];
    const tell = (params: JsonObject): unknown =>
      host.notified?.(method, params, { session, principal: link.auth?.principal, address: link.address });
    const facts = this.revision ?? host.revisions.at(-1);
    guarded(host, method, () =>
      chain?.used === true && facts !== undefined
        ? throughHostMiddleware((late) =>
            late.noticedThrough(this, message, { chain, host, link, session, facts, tell }),
          )
        : tell(message.params ?? {}),
    );
  }

  #toldOfTask(taskId: unknown): void {
    if (typeof taskId === 'string') this.#told?.get(taskId)?.();
  }

  #refusal(id: RequestId | undefined, error: McpError, revision: Revision | undefined = this.revision): ErrorMessage {
    return refusal(this.#host, id, error, revision);
  }
}

function inUse(id: RequestId): McpError {
  return new McpError('invalidRequest', `id ${JSON.stringify(shownId(id))} is already in use by a running request`);
}

function tooMany(): McpError {
  return new McpError('busy', `${maxRunning} requests of this conversation run already; wait for some of them`);
}

/** An async function here would cost a turn for each request. */
function promised(outcome: Outcome): Promise<ResponseMessage | undefined> {
  return outcome instanceof Promise ? outcome : Promise.resolve(outcome);
}

/** The reason why no request is sent any more. */
function gone(): ConnectionError {
  return new ConnectionError('closed', 'the client disconnected');
}
