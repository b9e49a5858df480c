import {
  classify,
  isObject,
  type ErrorMessage,
  type NotificationMessage,
  type RequestId,
  type RequestMessage,
  type ResponseMessage,
} from '../jsonrpc/message.ts';
import { projectServerCapabilities } from '../protocol/capability.ts';
import type { JsonObject } from '../protocol/common.ts';
import { errorToWire, McpError } from '../protocol/error.ts';
import { fromWire } from '../protocol/from-wire.ts';
import type { LoggingLevel } from '../protocol/logging.ts';
import { metaKey } from '../protocol/meta.ts';
import { methodOf } from '../protocol/method.ts';
import { chooseRevision, newestOf, newestRevision, type Revision } from '../protocol/revision.ts';
import { toWire } from '../protocol/to-wire.ts';
import { Call, notification, type CallFacts, type ClientView } from './call.ts';
import type { Conversation, Link } from './endpoint.ts';
import { gate, isPromised, notFound } from './gate.ts';
import { discoverResult, initializeResult, signed } from './introduction.ts';
import type { Handler, Host, Settled } from './host.ts';
import { observed, tell } from './observe.ts';
import { Outgoing } from './outgoing.ts';
import { readPreamble, unsupported, type Preamble } from './preamble.ts';
import { runInRounds, runInSession } from './rounds.ts';
import { askOnce, SessionAsker } from './session-asker.ts';
import { traceEnd, traceStart } from './trace.ts';

/** What `initialize` settled for a handshake conversation. */
interface Settlement {
  readonly settled: Settled;
  readonly facts: CallFacts;
}

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
  readonly #onClose: () => void;
  /** Made for sessions: nobody else is asked. */
  #questions: Outgoing | undefined;
  readonly #running = new Map<RequestId, Call>();
  /** How many handlers run, those of cancelled requests among them. */
  #handlers = 0;
  #settlement: Settlement | undefined;
  #initialized = false;
  #level: LoggingLevel = 'info';
  #closed = false;

  constructor(host: Host, link: Link, onClose: () => void) {
    this.#host = host;
    this.#link = link;
    this.#onClose = onClose;
  }

  get #outgoing(): Outgoing {
    return (this.#questions ??= new Outgoing(this.#link));
  }

  get revision(): Revision | undefined {
    return this.#settlement?.settled.revision;
  }

  receive(value: unknown): Promise<ResponseMessage | undefined> {
    // Nobody would hear the answer, and nobody would stop what is run for it.
    if (this.#closed) return nothing;
    const received = classify(value);
    switch (received.kind) {
      case 'request':
        return this.#host.tracer === undefined ? this.#request(received.message) : this.#traced(received.message);
      case 'notification':
        this.#notified(received.message);
        return nothing;
      case 'response':
        this.#questions?.receive(received.message);
        return nothing;
      case 'malformed':
        return Promise.resolve(this.#refusal(received.id, new McpError('invalidRequest', received.reason)));
    }
  }

  unreadable(reason: string): ResponseMessage {
    return this.#refusal(undefined, new McpError('parseError', reason));
  }

  end(): void {
    for (const call of this.#running.values()) call.leave();
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    for (const call of this.#running.values()) call.abort();
    this.#running.clear();
    this.#questions?.close();
    if (this.#settlement !== undefined) this.#host.closed?.(this.#settlement.settled);
    this.#onClose();
  }

  async #traced(message: RequestMessage): Promise<ResponseMessage | undefined> {
    const { tracer } = this.#host;
    if (tracer === undefined) return this.#request(message);
    const span = this.#guarded('tracer', () => tracer(traceStart(message, this.#link)));
    const response = await this.#request(message);
    const preamble = readPreamble(this.#host.revisions, message, this.#settlement === undefined);
    const revision = preamble === undefined || preamble instanceof McpError ? this.revision : preamble.revision;
    this.#guarded('tracer', () => span?.end(traceEnd(response, revision)));
    return response;
  }

  /** Runs what is not ours; its failure is told and changes nothing. */
  #guarded<T>(where: string, run: () => T): T | undefined {
    try {
      return run();
    } catch (error) {
      this.#expose(error, where);
      return undefined;
    }
  }

  /** Async functions cost a turn each, and every request passes here. */
  #request(message: RequestMessage): Promise<ResponseMessage | undefined> {
    const response = this.#begun(message);
    return response instanceof Promise ? response : Promise.resolve(response);
  }

  #begun(message: RequestMessage): ResponseMessage | Promise<ResponseMessage | undefined> {
    if (this.#running.has(message.id)) {
      return this.#refusal(
        message.id,
        new McpError('invalidRequest', `id ${JSON.stringify(message.id)} is already in use by a running request`),
      );
    }
    if (this.#handlers >= maxRunning) {
      return this.#refusal(
        message.id,
        new McpError('internalError', `${maxRunning} requests of this conversation run already; wait for some of them`),
      );
    }
    const preamble = readPreamble(this.#host.revisions, message, this.#settlement === undefined);
    if (preamble instanceof McpError)
      return this.#refusal(message.id, preamble, newestOf(this.#host.revisions, 'stateless'));
    if (preamble !== undefined) return this.#serve(message, this.#statelessFacts(preamble));
    if (message.method === 'initialize') return this.#initialize(message);
    if (this.#settlement !== undefined) return this.#serve(message, this.#settlement.facts);
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
    if (message.method === 'ping') return this.#respond(message, handshake, {});
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
      const params = fromWire(handshake, 'InitializeRequestParams', message.params);
      if (this.#settlement !== undefined)
        throw new McpError('invalidRequest', 'this conversation is already initialized');
      if (!this.#link.lasting) throw new McpError('invalidRequest', 'initialize needs a connection that lasts');
      const revision = chooseRevision(this.#host.revisions, params.protocolVersion) ?? handshake;
      this.#settle(revision, { info: params.clientInfo, capabilities: params.capabilities });
      return this.#respond(message, revision, initializeResult(this.#host, revision));
    } catch (error) {
      return this.#refusal(message.id, this.#expose(error, 'initialize'), this.revision ?? handshake);
    }
  }

  #settle(revision: Revision, client: ClientView): void {
    const offered = projectServerCapabilities(revision, this.#host.capabilities());
    const settled: Settled = {
      revision,
      client,
      principal: this.#link.auth?.principal,
      state: new Map(),
      ask: (method, params, signal, call) => {
        const origin =
          call === undefined
            ? { facts: revision, signal }
            : { facts: revision, signal: AbortSignal.any([signal, call.signal]), requestId: call.requestId };
        const way = { outgoing: this.#outgoing, client, timeoutMs: this.#host.askTimeoutMs };
        return askOnce(method, params, origin, way);
      },
      notify: (method, params) => {
        if (this.#initialized && !this.#closed && isPromised(method, offered))
          this.#link.send(notification(revision, method, params));
      },
    };
    const facts: CallFacts = {
      revision,
      client,
      link: this.#link,
      settled,
      logLevel: () => (offered.logging === undefined ? undefined : this.#level),
    };
    this.#settlement = { settled, facts };
    this.#host.opened?.(settled);
  }

  #statelessFacts(preamble: Preamble): CallFacts {
    return {
      revision: preamble.revision,
      client: { info: preamble.clientInfo, capabilities: preamble.capabilities },
      link: this.#link,
      settled: undefined,
      logLevel: () => (this.#host.capabilities().logging === undefined ? undefined : preamble.logLevel),
    };
  }

  /** Runs one request; resolves early, with nothing, when it is cancelled. */
  #serve(message: RequestMessage, facts: CallFacts): Promise<ResponseMessage | undefined> {
    const call = new Call(facts, message);
    this.#running.set(message.id, call);
    this.#handlers++;
    return new Promise((resolve) => {
      call.onAbort(() => {
        this.#forget(call);
        resolve(undefined);
      });
      this.#run(message, call).then(
        (response) => {
          this.#handlers--;
          this.#forget(call);
          call.finish();
          resolve(response);
        },
        (error: unknown) => {
          this.#handlers--;
          this.#forget(call);
          if (call.aborted) return;
          call.finish();
          resolve(this.#refusal(message.id, this.#expose(error, message.method), facts.revision));
        },
      );
    });
  }

  /** The id may already belong to a later request, when this one was cancelled. */
  #forget(call: Call): void {
    if (this.#running.get(call.requestId) === call) this.#running.delete(call.requestId);
  }

  async #run(message: RequestMessage, call: Call): Promise<ResponseMessage | undefined> {
    const revision = call.facts;
    const { unknown } = this.#host;
    if (unknown !== undefined && methodOf(message.method) === undefined) {
      // Whoever answers what nobody here knows gives a result as it goes on the wire.
      const result = (await unknown(message.params ?? {}, call)) as JsonObject;
      return call.aborted ? undefined : this.#respond(message, revision, toWire(revision, 'EmptyResult', result));
    }
    const row = gate(message.method, revision, this.#host.capabilities());
    const own = this.#own(message, call);
    if (own !== undefined) return own;
    const handler = this.#host.handler(message.method);
    if (handler === undefined) throw notFound(message.method, 'is not served here');
    const params = message.params ?? {};
    const read = row.params === undefined ? params : fromWire(revision, row.params, params);
    // Every params type is an object with string keys.
    const result = await this.#outcome(handler, read as Readonly<Record<string, unknown>>, call);
    if (call.aborted) return undefined;
    const type = isObject(result) && result['resultType'] === 'input_required' ? 'InputRequiredResult' : row.result;
    // The handler's result is of the row's type: the host keys handlers by method.
    const wire = type === undefined ? result : toWire(revision, type, result as never);
    return this.#respond(message, revision, wire as Readonly<Record<string, unknown>>);
  }

  /** Runs the handler; where it may ask the client, by the way of the era. */
  async #outcome(handler: Handler, params: Readonly<Record<string, unknown>>, call: Call): Promise<unknown> {
    const { rounds, askTimeoutMs, maxRounds } = this.#host;
    if (methodOf(call.method)?.inputRequired === undefined) return handler(params, call);
    if (call.facts.serverRequests) {
      call.askBy(() => new SessionAsker(call, this.#outgoing, askTimeoutMs));
      return runInSession(handler, params, { call, maxRounds });
    }
    return rounds === undefined ? handler(params, call) : runInRounds(handler, params, { call, settings: rounds });
  }

  /** The methods that belong to the conversation and not to what the host offers. */
  #own(message: RequestMessage, call: Call): ResponseMessage | undefined {
    const revision = call.facts;
    switch (message.method) {
      case 'ping':
        return this.#respond(message, revision, toWire(revision, 'EmptyResult', {}));
      case 'logging/setLevel': {
        this.#level = fromWire(revision, 'SetLevelRequestParams', message.params ?? {}).level;
        return this.#host.handler(message.method) === undefined ? this.#respond(message, revision, {}) : undefined;
      }
      case 'server/discover':
        return this.#respond(message, revision, discoverResult(this.#host, revision));
      default:
        return undefined;
    }
  }

  #notified(message: NotificationMessage): void {
    switch (message.method) {
      case 'notifications/initialized':
        if (this.#settlement !== undefined) this.#initialized = this.#outgoing.ready = true;
        return;
      case 'notifications/cancelled': {
        const id = message.params?.['requestId'];
        // Unknown ids are ignored: the response may have crossed. (Spec, Cancellation.)
        if (typeof id === 'string' || typeof id === 'number') this.#running.get(id)?.abort();
        return;
      }
      default:
        this.#guarded(message.method, () =>
          this.#host.notified?.(message.method, message.params ?? {}, {
            settled: this.#settlement?.settled,
            principal: this.#link.auth?.principal,
          }),
        );
    }
  }

  #respond(message: RequestMessage, revision: Revision, result: Readonly<Record<string, unknown>>): ResponseMessage {
    const response: ResponseMessage = {
      jsonrpc: '2.0',
      id: message.id,
      result: revision.era === 'stateless' ? signed(this.#host, result) : result,
    };
    tell({ from: 'server', revision, message: response, answers: message.method });
    return response;
  }

  #refusal(id: RequestId | undefined, error: McpError, revision: Revision | undefined = this.revision): ErrorMessage {
    const spoken = revision ?? this.#host.revisions.at(-1) ?? newestRevision;
    const body = errorToWire(revision, error);
    const withoutId = spoken.errorWithoutId ? {} : { id: null };
    const message: ErrorMessage = { jsonrpc: '2.0', ...(id === undefined ? withoutId : { id }), error: body };
    if (observed()) tell({ from: 'server', revision, message });
    return message;
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
