import {
  type ErrorMessage,
  type NotificationMessage,
  type RequestId,
  type RequestMessage,
  type ResponseMessage,
} from '../jsonrpc/message.ts';
import { ConnectionError } from '../jsonrpc/transport.ts';
import { projectServerCapabilities } from '../protocol/compile/capabilities.ts';
import type { JsonObject } from '../protocol/features/common.ts';
import { McpError } from '../protocol/error.ts';
import { fromWire } from '../protocol/compile/from-wire.ts';
import { setLevelRequestParamsShape, type LoggingLevel } from '../protocol/features/logging.ts';
import { metaKey } from '../protocol/meta.ts';
import { methodOf } from '../protocol/catalogue.ts';
import type { MethodRow } from '../protocol/method.ts';
import { chooseRevision, newestOf, newestRevision, type Revision } from '../protocol/revision.ts';
import { toWire } from '../protocol/compile/to-wire.ts';
import type { Asker } from '../peer/ask.ts';
import { questions, runInRounds, runInSession } from './input/asking.ts';
import { Call, notification, type CallFacts, type ClientView } from './call.ts';
import type { AuthInfo, Conversation, Link } from './endpoint.ts';
import type { Connection } from '../peer/connection.ts';
import { Running } from '../peer/running.ts';
import { StatelessFacts } from './stateless-facts.ts';
import { gate, isPromised, notFound } from '../peer/gate.ts';
import { discoverResult, initializeResult } from './server-info.ts';
import type { Handler, Host, ServerSession } from './host.ts';
import { andThen, isLater, orElse, type NowOrLater } from './now-or-later.ts';
import type { QuestionWay } from './input/question.ts';
import type * as Questions from './input/questions.ts';
import { judge, type Judged, type JudgedRequest } from './judged.ts';
import { describesClients, unsupported } from './request-meta.ts';
import { handled, handledUnknown, refusal, respond } from './response.ts';
import { traceEnd, traceStart } from './trace.ts';
import { initializeRequestParamsShape } from '../protocol/features/lifecycle.ts';
import { emptyResultShape } from '../protocol/features/envelope.ts';

/** What `initialize` settled for a handshake conversation. */
interface Settlement {
  readonly session: ServerSession;
  readonly facts: CallFacts;
}

/** What comes of a request, at once or later: a response, or nothing where it was cancelled. */
type Outcome = ResponseMessage | undefined | Promise<ResponseMessage | undefined>;

/** How many requests of one conversation may run at once; what one client can keep waiting is bounded by it. */
const maxRunning = 1024;

const nothing: Promise<undefined> = Promise.resolve(undefined);

/**
 * One client's conversation with a host. It serves stateless requests by their own `_meta` at any time, and the
 * handshake revisions once `initialize` settled one. (Spec 2026-07-28, Versioning: a dual-era server selects its
 * behaviour from how the client opens.)
 */
export class HostConversation implements Conversation {
  readonly #host: Host;
  readonly #link: Link;
  readonly #onClose: (conversation: HostConversation) => void;
  readonly #running = new Running<Call>(maxRunning);
  /** What runs, and what is asked; made when a session's client is first asked. */
  #connection: Connection<Call> | undefined;
  #settlement: Settlement | undefined;
  #initialized = false;
  #level: LoggingLevel = 'info';
  #closed = false;

  constructor(host: Host, link: Link, onClose: (conversation: HostConversation) => void) {
    this.#host = host;
    this.#link = link;
    this.#onClose = onClose;
  }

  get revision(): Revision | undefined {
    return this.#settlement?.session.revision;
  }

  receive(value: unknown, auth: AuthInfo | undefined = this.#link.auth): Promise<ResponseMessage | undefined> {
    return this.take(judge(value, this.#host.revisions), auth);
  }

  take(judged: Judged, auth: AuthInfo | undefined = this.#link.auth): Promise<ResponseMessage | undefined> {
    // Nobody would hear the answer, and nobody would stop what is run for it.
    if (this.#closed) return nothing;
    switch (judged.kind) {
      case 'request':
        return this.#host.tracer === undefined ? promised(this.#request(judged, auth)) : this.#traced(judged, auth);
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
    if (this.#settlement !== undefined) this.#host.closed?.(this.#settlement.session);
    this.#onClose(this);
  }

  async #traced(judged: JudgedRequest, auth: AuthInfo | undefined): Promise<ResponseMessage | undefined> {
    const { tracer } = this.#host;
    if (tracer === undefined) return this.#request(judged, auth);
    const span = this.#guarded('tracer', () => tracer(traceStart(judged.message, this.#link)));
    const response = await this.#request(judged, auth);
    const { meta } = judged;
    const revision = meta === undefined || meta instanceof McpError ? this.revision : meta.revision;
    this.#guarded('tracer', () => span?.end(traceEnd(response, revision)));
    return response;
  }

  /** Runs what is not ours; its failure is told and changes nothing. */
  #guarded<T>(where: string, run: () => T): T | undefined {
    try {
      const value = run();
      // No type asks for a promise here; one that rejects must not end the process.
      if (isLater(value)) Promise.resolve(value).catch((error: unknown) => this.#expose(error, where));
      return value;
    } catch (error) {
      this.#expose(error, where);
      return undefined;
    }
  }

  #request({ message, claimed, meta }: JudgedRequest, auth: AuthInfo | undefined): Outcome {
    const obstacle = this.#running.obstacle(message.id);
    if (obstacle === 'duplicate') {
      return this.#refusal(
        message.id,
        new McpError('invalidRequest', `id ${JSON.stringify(message.id)} is already in use by a running request`),
      );
    }
    if (obstacle === 'busy') {
      return this.#refusal(
        message.id,
        new McpError('busy', `${maxRunning} requests of this conversation run already; wait for some of them`),
      );
    }
    // In a session it is settled how a request that names no revision is read.
    const own = claimed === undefined && this.#settlement !== undefined ? undefined : meta;
    if (own instanceof McpError) return this.#refusal(message.id, own, this.#host.revisions.findLast(describesClients));
    if (own !== undefined) return this.#serve(message, new StatelessFacts(own, this.#host, this.#link), auth);
    if (message.method === 'initialize') return this.#initialize(message);
    if (this.#settlement !== undefined) return this.#serve(message, this.#settlement.facts, auth);
    return this.#unsettled(message);
  }

  /** A handshake request before `initialize`: only ping is answered. (Spec 2025-11-25, Lifecycle, Initialization.) */
  #unsettled(message: RequestMessage): ResponseMessage {
    const handshake = newestOf(this.#host.revisions, 'handshake');
    if (handshake === undefined) {
      return this.#refusal(
        message.id,
        new McpError('invalidParams', `_meta must have ${metaKey.protocolVersion}`),
        newestRevision,
      );
    }
    if (message.method === 'ping') return respond(this.#host, message, handshake, {});
    return this.#refusal(
      message.id,
      new McpError('invalidRequest', `${message.method} came before initialize`),
      handshake,
    );
  }

  #initialize(message: RequestMessage): ResponseMessage {
    const handshake = newestOf(this.#host.revisions, 'handshake');
    if (handshake === undefined) {
      // Spec 2026-07-28, Versioning: whatever is wrong, the error names what is spoken.
      const requested = message.params?.['protocolVersion'];
      return this.#refusal(
        message.id,
        unsupported(this.#host.revisions, typeof requested === 'string' ? requested : ''),
        newestRevision,
      );
    }
    try {
      const params = fromWire(handshake, initializeRequestParamsShape, message.params);
      if (this.#settlement !== undefined)
        throw new McpError('invalidRequest', 'this conversation is already initialized');
      if (!this.#link.lasting) throw new McpError('invalidRequest', 'initialize needs a connection that lasts');
      const revision = chooseRevision(this.#host.revisions, params.protocolVersion) ?? handshake;
      this.#host.admit?.({ principal: this.#link.auth?.principal, address: this.#link.address });
      this.#settle(revision, { info: params.clientInfo, capabilities: params.capabilities });
      return respond(this.#host, message, revision, initializeResult(this.#host, revision));
    } catch (error) {
      return this.#refusal(message.id, this.#expose(error, 'initialize'), this.revision ?? handshake);
    }
  }

  #settle(revision: Revision, client: ClientView): void {
    const offered = projectServerCapabilities(revision, this.#host.capabilities());
    const dismissal = (): (() => void) | undefined =>
      this.#link.dismiss === undefined || this.#running.size > 0 ? undefined : () => this.#link.dismiss?.();
    const session: ServerSession = {
      revision,
      client,
      principal: this.#link.auth?.principal,
      address: this.#link.address,
      get dismiss() {
        return dismissal();
      },
      state: new Map(),
      ask: async (method, params, signal, call) => {
        const origin =
          call === undefined
            ? { facts: revision, signal }
            : { facts: revision, signal: AbortSignal.any([signal, call.signal]), requestId: call.requestId };
        const { loaded, way } = await this.#asking();
        return await loaded.askOnce(method, params, origin, { ...way, client });
      },
      notify: (method, params) => {
        if (this.#initialized && !this.#closed && isPromised(method, offered, this.#host.relays))
          this.#link.send(notification(revision, method, params));
      },
    };
    const facts: CallFacts = {
      revision,
      client,
      link: this.#link,
      session,
      logLevel: () => (offered.logging === undefined ? undefined : this.#level),
    };
    this.#settlement = { session, facts };
    this.#host.opened?.(session);
  }

  /** Runs one request; resolves early, with nothing, when it is cancelled. */
  #serve(message: RequestMessage, facts: CallFacts, auth: AuthInfo | undefined): Outcome {
    const call = new Call(facts, message, auth);
    this.#running.add(call);
    const outcome = orElse(
      () => this.#run(message, call),
      (error) => this.#failed(message, call, error),
    );
    if (!(outcome instanceof Promise)) {
      this.#end(call);
      return outcome;
    }
    return new Promise((resolve) => {
      call.onAbort(() => {
        this.#running.free(call);
        resolve(undefined);
      });
      // It does not fail: what could was made a response.
      void outcome.then((response) => {
        this.#end(call);
        resolve(response);
      });
    });
  }

  #end(call: Call): void {
    this.#running.forget(call);
    call.finish();
  }

  #failed(message: RequestMessage, call: Call, error: unknown): ErrorMessage | undefined {
    return call.aborted ? undefined : this.#refusal(message.id, this.#expose(error, message.method), call.facts);
  }

  #run(message: RequestMessage, call: Call): Outcome {
    const revision = call.facts;
    const host = this.#host;
    const given = message.params ?? {};
    if (host.unknown !== undefined && methodOf(message.method) === undefined) {
      return andThen(host.unknown(given, call), (result) =>
        call.aborted ? undefined : handledUnknown(message, result, { host, call }),
      );
    }
    const row = gate(message.method, revision, host.capabilities());
    const own = this.#own(message, call);
    if (own !== undefined) return own;
    const handler = host.handler(message.method);
    if (handler === undefined) throw notFound(message.method, 'is not served here');
    // Every params type is an object with string keys.
    const params = (row.params === undefined ? given : fromWire(revision, row.params, given)) as JsonObject;
    return andThen(this.#outcome(handler, params, { row, call }), (result) =>
      call.aborted ? undefined : handled(message, result, { host, call, row }),
    );
  }

  /** Runs the handler; where it may ask the client, by the way of its revision. */
  #outcome(
    handler: Handler,
    params: JsonObject,
    { row, call }: { readonly row: MethodRow; readonly call: Call },
  ): NowOrLater<unknown> {
    const { rounds, maxRounds } = this.#host;
    if (row.inputRequired === undefined) return handler(params, call);
    if (call.facts.resultsAsk)
      return rounds === undefined ? handler(params, call) : runInRounds({ handler, params, call, settings: rounds });
    if (!call.facts.serverRequests) return handler(params, call);
    const asking = async (): Promise<{ readonly asker: Asker }> => {
      const { loaded, way } = await this.#asking();
      return { asker: new loaded.AskerByRequests(call, way) };
    };
    return runInSession(handler, params, { call, maxRounds, asking });
  }

  /** What asking the client of a session takes, loaded when it is first asked. */
  async #asking(): Promise<{ readonly loaded: typeof Questions; readonly way: QuestionWay }> {
    const loaded = await questions();
    const connection = (this.#connection ??= loaded.connectionOf(this.#link, this.#running));
    // The client may have gone while this was loaded.
    if (this.#closed) connection.end(gone());
    return {
      loaded,
      way: { connection, isReady: () => this.#initialized, timeoutMs: this.#host.askTimeoutMs },
    };
  }

  /** The methods that belong to the conversation and not to what the host offers. */
  #own(message: RequestMessage, call: Call): ResponseMessage | undefined {
    const revision = call.facts;
    switch (message.method) {
      case 'ping':
        return respond(this.#host, message, revision, toWire(revision, emptyResultShape, {}));
      case 'logging/setLevel': {
        this.#level = fromWire(revision, setLevelRequestParamsShape, message.params ?? {}).level;
        return this.#host.handler(message.method) === undefined
          ? respond(this.#host, message, revision, {})
          : undefined;
      }
      case 'server/discover':
        return respond(this.#host, message, revision, discoverResult(this.#host, revision));
      default:
        return undefined;
    }
  }

  #notified(message: NotificationMessage): void {
    switch (message.method) {
      case 'notifications/initialized':
        if (this.#settlement !== undefined) this.#initialized = true;
        return;
      case 'notifications/cancelled': {
        this.#running.cancelled(message.params);
        return;
      }
      default:
        if (message.method === 'notifications/progress') this.#connection?.progressed(message);
        this.#guarded(message.method, () =>
          this.#host.notified?.(message.method, message.params ?? {}, {
            session: this.#settlement?.session,
            principal: this.#link.auth?.principal,
          }),
        );
    }
  }

  #refusal(id: RequestId | undefined, error: McpError, revision: Revision | undefined = this.revision): ErrorMessage {
    return refusal(this.#host, id, error, revision);
  }

  /** Errors of ours keep their words; anything else is masked and told to the host. */
  #expose(error: unknown, where: string): McpError {
    if (error instanceof McpError) return error;
    try {
      this.#host.onError(error, where);
    } catch {
      // A listener of errors that throws has nobody left to be told; the request is answered all the same.
    }
    return new McpError('internalError', 'internal error');
  }
}

/** An async function in its place would cost a turn for each request. */
function promised(outcome: Outcome): Promise<ResponseMessage | undefined> {
  return outcome instanceof Promise ? outcome : Promise.resolve(outcome);
}

/** Why nothing is asked any more. */
function gone(): ConnectionError {
  return new ConnectionError('closed', 'the client is gone');
}
