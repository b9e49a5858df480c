import type {
  Message,
  NotificationMessage,
  RequestId,
  RequestMessage,
  ResponseMessage,
} from '../../../jsonrpc/message.ts';
import { InFlightList, type InFlightEntry } from '../../../jsonrpc/in-flight-list.ts';
import { eachInSlices } from '../../../jsonrpc/slices.ts';
import type { AuthInfo, ClientConnection, ReplyChannel } from '../../../server/runtime/request-handler.ts';
import type { ParsedNotification, ParsedRequest } from '../../../server/runtime/parsed-message.ts';
import { unspoken, unsupported } from '../../../server/runtime/request-meta.ts';
import { McpError } from '../../../protocol/error.ts';
import { metaKey } from '../../../protocol/meta.ts';
import { newestRevision, revisionOf, type Revision } from '../../../protocol/revision.ts';
import { HttpAnswer, messageJson } from './exchanges/answer.ts';
import type { HttpCall } from './exchanges/call.ts';
import type { HttpContext } from './exchanges/context.ts';
import { headerMismatch, methodMismatch, versionMismatch } from './headers.ts';
import { streamProblem } from './session/rules.ts';
import { errorBody, exchangeStatus, lastResponse, refuse, shuttingDown, type HttpProblem } from './exchanges/status.ts';

const listen = 'subscriptions/listen';
const invalidParams = -32602;

/** The exchanges of one server: a POST that is a whole conversation. (Spec 2026-07-28, Streamable HTTP.) */
export class Exchanges {
  readonly #context: HttpContext;
  /** Those with a request being answered. */
  readonly #running = new InFlightList<Exchange>();

  constructor(context: HttpContext) {
    this.#context = context;
  }

  /** Answers a request. It is done when the answer is complete or the client is gone. */
  request(call: HttpCall, judged: ParsedRequest): void {
    const { message } = judged;
    const error = this.#refusal(call, judged);
    if (error !== undefined) return this.#refuse(call, error, message);
    const problem = message.method === listen ? this.#unstreamable(call) : undefined;
    if (problem !== undefined) return refuse(call.request, call.reply, problem, message.id);
    new Exchange(this.#context, call, message, this.#running).request(judged);
  }

  /** Takes a notification. The core defines none over HTTP, so it may belong to an extension. */
  async notification(call: HttpCall, judged: ParsedNotification): Promise<void> {
    const { message, claimed } = judged;
    const revision = this.#revisionOf(call);
    const problem =
      versionMismatch(call.request, claimed) ??
      (revision?.mirroredHeaders === false ? undefined : methodMismatch(call.request, message.method, false));
    const error = mismatch(problem) ?? (revision === undefined ? this.#unspoken(call, message) : undefined);
    if (error !== undefined) return this.#refuse(call, error);
    await new Exchange(this.#context, call, message, this.#running).notification(judged);
  }

  /** Ends the exchanges that would otherwise stay open: with their response, if the server has one for that. */
  close(): Promise<void> {
    const lasting = this.#running.all().filter(({ message }) => message.method === listen);
    return eachInSlices(lasting, (exchange) => exchange.finish());
  }

  /** Aborts the answers that are still running. */
  abort(): Promise<void> {
    return eachInSlices(this.#running.all(), (exchange) => exchange.abort());
  }

  /** Everything that is refused before it is dispatched is a bad request. */
  #refuse(call: HttpCall, error: McpError, message?: RequestMessage): void {
    call.reply.send(400, errorBody(error, newestRevision, message?.id));
  }

  /** Reason why a subscription cannot have its stream. */
  #unstreamable(call: HttpCall): HttpProblem | undefined {
    if (!call.accepted.stream) return { status: 406, message: `${listen} needs Accept: text/event-stream` };
    return streamProblem(this.#context, call);
  }

  #refusal(call: HttpCall, { message, claimed }: ParsedRequest): McpError | undefined {
    if (claimed === undefined && message.method === 'initialize' && this.#context.inSessions.length === 0)
      return this.#handshakeUnspoken(message);
    const error = mismatch(versionMismatch(call.request, claimed));
    if (error !== undefined) return error;
    if (claimed === undefined && revisionOf(call.version) !== undefined) {
      return new McpError('invalidParams', `_meta must have ${metaKey.protocolVersion}`);
    }
    const revision = this.#revisionOf(call);
    if (revision === undefined) return this.#unspoken(call, message);
    const { endpoint } = this.#context;
    return revision.mirroredHeaders
      ? mismatch(headerMismatch(call.request, message, (tool) => endpoint.headerParameters(tool, call.auth)))
      : undefined;
  }

  /** Spec 2026-07-28, Versioning: the error for `initialize` lists the supported revisions. */
  #handshakeUnspoken({ params }: RequestMessage): McpError {
    const requested = params?.['protocolVersion'];
    return unsupported(this.#context.endpoint.revisions, typeof requested === 'string' ? requested : '');
  }

  /** The revision that a request names, if it is served with exchanges here. */
  #revisionOf({ version }: HttpCall): Revision | undefined {
    return this.#context.inExchanges.find(({ date }) => date === version);
  }

  #unspoken({ version = '' }: HttpCall, { method }: RequestMessage | NotificationMessage): McpError {
    return unspoken(this.#context.endpoint.revisions, method, version);
  }
}

function mismatch(problem: string | undefined): McpError | undefined {
  return problem === undefined ? undefined : new McpError('headerMismatch', `header mismatch: ${problem}`);
}

/** One POST: its own conversation, its own stream. Losing the client cancels it. */
class Exchange implements ReplyChannel {
  readonly network = 'tcp';
  readonly protocol = 'http';
  readonly lasting = false;
  readonly auth: AuthInfo | undefined;
  readonly address: string | undefined;
  /** Message that it began with. */
  readonly message: RequestMessage | NotificationMessage;
  readonly #context: HttpContext;
  readonly #call: HttpCall;
  readonly #answer: HttpAnswer;
  readonly #conversation: ClientConnection;
  readonly #place: InFlightEntry;

  /** @param running Exchanges among which it is as long as it runs. */
  constructor(
    context: HttpContext,
    call: HttpCall,
    message: RequestMessage | NotificationMessage,
    running: InFlightList<Exchange>,
  ) {
    this.auth = call.auth;
    this.address = call.request.remoteAddress;
    this.message = message;
    this.#context = context;
    this.#call = call;
    this.#answer = new HttpAnswer(context, call);
    this.#conversation = context.endpoint.openConnection(this);
    this.#place = running.add(this);
  }

  send(message: Message): void {
    if (this.#answer.gone) return;
    // Spec 2026-07-28, Streamable HTTP, Receiving messages: no request of the server travels on this stream.
    const isRequest = 'method' in message && 'id' in message;
    const json = isRequest ? undefined : messageJson(this.#context, message);
    const sent = json !== undefined && this.#answer.message(json);
    if (this.#answer.gone) this.stop();
    else if (!sent)
      this.#context.settings.onError(
        new Error('a message to a client could not be delivered: there is no stream for it'),
      );
  }

  /** Answers the request that it began with; ends the call. */
  request(judged: ParsedRequest): void {
    // A client that left before its request was read wants nothing done.
    if (this.#call.reply.closed) return this.stop();
    this.#call.keep();
    const { protection } = this.#context.endpoint;
    const forget =
      judged.message.method === listen ? protection?.afterExpiry(this.auth, () => this.finish()) : undefined;
    this.#call.reply.onClose(() => {
      forget?.();
      this.#left();
    });
    this.#conversation.take(judged).then(
      (settled) => this.#finish(judged, settled),
      (cause: unknown) => this.#fail(cause),
    );
  }

  #finish(judged: ParsedRequest, response: ResponseMessage | undefined): void {
    try {
      this.#respond(judged, response);
      this.#call.end();
    } catch (cause) {
      this.#fail(cause);
    }
  }

  #fail(cause: unknown): void {
    this.stop();
    this.#call.fail(cause);
  }

  #respond(judged: ParsedRequest, response: ResponseMessage | undefined): void {
    try {
      // A request without a response was stopped, because the endpoint was closed before the HTTP handler.
      if (response === undefined && judged.message.method !== listen) this.#stopped(judged.message.id);
      else this.#answer.respond(response === undefined ? 200 : this.#status(judged, response), response);
    } finally {
      this.stop();
    }
  }

  /** The client disconnected. */
  #left(): void {
    if (this.#answer.gone) return;
    this.#answer.closed();
    this.stop();
  }

  /**
   * Invalid parameters are a bad request when it is the `_meta` that lacks a required key, and only then. (Spec
   * 2026-07-28, Base protocol, _meta.)
   */
  #status({ meta }: ParsedRequest, response: ResponseMessage): number {
    const status = exchangeStatus(response);
    if (status !== 200 || !('error' in response) || response.error.code !== invalidParams) return status;
    return meta instanceof McpError ? 400 : 200;
  }

  async notification(judged: ParsedNotification): Promise<void> {
    const response = await this.#conversation.take(judged);
    this.stop();
    if (response === undefined) this.#call.reply.send(202);
    else this.#answer.respond(400, response);
  }

  /** Asks for the response of a request that would otherwise last for ever. */
  finish(): void {
    if (this.#conversation.end === undefined) this.stop();
    else this.#conversation.end();
  }

  /** Ends it in the middle: nothing came in time. */
  abort(): void {
    const { message } = this;
    const id = 'id' in message ? message.id : undefined;
    if (id !== undefined && message.method !== listen) this.#stopped(id);
    else if (this.#answer.streaming) this.#answer.finish(200, undefined);
    else {
      this.#answer.closed();
      refuse(this.#call.request, this.#call.reply, shuttingDown(), id);
    }
    this.stop();
  }

  #stopped(id: RequestId): void {
    const waits = this.#conversation.waits?.(id) === true;
    const response = lastResponse({ id, waits }, revisionOf(this.#call.version));
    this.#answer.respond(exchangeStatus(response), response);
  }

  /** Ends the conversation: what still runs is aborted. */
  stop(): void {
    this.#place.leave();
    this.#conversation.close();
  }
}
