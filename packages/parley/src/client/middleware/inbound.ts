import type { MiddlewareStack } from '../../connection/middleware/middleware-stack.ts';
import {
  isObject,
  type NotificationMessage,
  type RequestId,
  type RequestMessage,
  type ResponseMessage,
} from '../../jsonrpc/message.ts';
import { shownParams } from '../../connection/middleware/shown-ids.ts';
import type { ConnectionError } from '../../jsonrpc/transport.ts';
import type { RunningRequest } from '../../connection/in-flight-requests.ts';
import type { JsonObject } from '../../protocol/features/common.ts';
import { errorToWire, McpError } from '../../protocol/error.ts';
import { answerType } from '../../protocol/task-answer.ts';
import { fromWire } from '../../protocol/compile/from-wire.ts';
import {
  loggingMessageNotificationParamsShape,
  type LoggingMessageNotificationParams,
} from '../../protocol/features/logging.ts';
import { metaKey } from '../../protocol/meta.ts';
import { methodOf } from '../../protocol/catalogue.ts';
import { maySend } from '../../protocol/method.ts';
import { newestRevision, type Revision } from '../../protocol/revision.ts';
import { toWire } from '../../protocol/compile/to-wire.ts';
import { throughClientMiddleware } from './late-passing.ts';
import type { CarrierSource } from './passing.ts';
import type { Inbound, Questioned } from '../connection/open-channel.ts';
import type { ConnectOptions, NotificationContext } from '../api/options.ts';
import { AnsweredQuestions } from './answered-questions.ts';

/** The settings of a client that concern messages of its server. */
export interface InboundSettings extends Pick<
  ConnectOptions,
  'onRequest' | 'onLog' | 'onProgress' | 'onNotification' | 'onWarning'
> {
  readonly exactNumbers: boolean;
  readonly chain: MiddlewareStack;
  readonly inputs: { readonly stopped: AbortSignal; complete(params: JsonObject, revision: Revision): void };
  /** Reports the error of a user's handler or listener. */
  failed(message: string, cause?: unknown): void;
}

/** Circumstances of a server's request that a handler may know. */
export interface InboundContext {
  readonly revision: Revision;
  /** Aborted when the server cancels its request or the connection ends. */
  readonly signal: AbortSignal;
  /** Our request in whose exchange it came, if that is known. */
  readonly request?: number | undefined;
}

/** Answers one method that a session's server may call. Its errors are sent as error responses. */
export type InboundHandler = (params: JsonObject, context: InboundContext) => JsonObject | Promise<JsonObject>;

/** Parts of its connection that the inbound side needs. */
export interface InboundOptions {
  /** Settled by the negotiation; `undefined` while that runs. */
  revision(): Revision | undefined;
  ended(error: ConnectionError): void;
  /** Source of what middleware knows of its carrier. */
  readonly source: CarrierSource;
  readonly settings: InboundSettings;
  /** Handlers by method. Any other method, except `ping`, is answered with "method not found". */
  readonly handlers: ReadonlyMap<string, InboundHandler>;
}

/** Makes the part of a client that takes messages which answer nothing. */
export function createInbound(options: InboundOptions): Inbound {
  const { settings } = options;
  const answered = new AnsweredQuestions();
  const warn = (message: string, cause?: unknown): void => settings.onWarning?.(message, cause);
  return {
    exactNumbers: settings.exactNumbers,
    warning: warn,
    request(message, by) {
      const revision = options.revision();
      // Spec 2026-07-28: servers send no requests and clients no responses.
      if (revision !== undefined && !revision.serverRequests)
        return warn(`a request of the server was ignored: ${shown(message.method)}`);
      const obstacle = by.connection.running.obstacle(message.id);
      // Spec, Base protocol, Requests: an id is used once. A resumed stream may repeat a request.
      if (obstacle === 'duplicate')
        return warn(`a request of the server came again while it is answered: ${shown(message.method)}`);
      const known = answered.find(message, by.request);
      if (known !== undefined) {
        warn(`a request of the server came again after it was answered: ${shown(message.method)}`);
        if (known.answer !== undefined) void by.respond(known.answer, revision);
        return;
      }
      const { handlers, source } = options;
      const isTooMuch = obstacle === 'busy';
      void answer(message, by, { settings, handlers, source, settled: revision, isTooMuch, answered });
    },
    malformed(id, reason, { connection, respond }) {
      const revision = options.revision();
      // A request that is answered already gets no second answer.
      if (revision?.serverRequests === false || connection.running.get(id) !== undefined) return;
      const error = errorToWire(revision, new McpError('invalidRequest', reason));
      void respond({ jsonrpc: '2.0', id, error }, revision);
    },
    misplaced(_, { within, about }) {
      // Spec 2026-07-28, Streamable HTTP, Receiving Messages: a message on the stream of a request concerns that
      // request. In earlier revisions this is only a SHOULD.
      const isElsewhere = within !== undefined && about !== undefined && within !== about;
      if (!isElsewhere || options.revision()?.http !== 'exchange') return false;
      warn('progress was ignored, since it came on the stream of another request');
      return true;
    },
    notification(message, within) {
      if (message.method === 'notifications/cancelled') return;
      const { chain } = settings;
      const { source } = options;
      // No notification is expected before the revision is negotiated.
      if (!chain.used || options.revision() === undefined) return hear(message, within, options);
      const failed = (error: unknown): void => settings.failed(`middleware failed for ${shown(message.method)}`, error);
      const pass = (params: JsonObject): void => hear({ ...message, params }, within, options);
      const way = { chain, source, hear: pass, failed };
      Promise.resolve(throughClientMiddleware((late) => late.heardThrough(message, way))).catch(failed);
    },
    closed: (error) => options.ended(error),
  };
}

interface Answering extends Pick<InboundOptions, 'settings' | 'handlers' | 'source'> {
  readonly settled: Revision | undefined;
  /** True when so many are answered that this one is refused. */
  readonly isTooMuch: boolean;
  readonly answered: AnsweredQuestions;
}

/** One request of the server that is answered; it holds its id until the server has the answer. */
class AnsweredRequest implements RunningRequest {
  readonly requestId: RequestId;
  /** True once there is an answer, which is on its way to the server. */
  isAnswered = false;
  readonly #controller = new AbortController();

  constructor(requestId: RequestId) {
    this.requestId = requestId;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  abort(reason?: unknown): void {
    this.#controller.abort(reason);
  }
}

async function answer(
  message: RequestMessage,
  { connection, respond, request }: Questioned,
  { settings, handlers, source, settled, isTooMuch, answered }: Answering,
): Promise<void> {
  const { id, method, params = {} } = message;
  const { onRequest } = settings;
  const passedOn = onRequest === undefined ? undefined : handingOn(method, onRequest);
  const handler = method === 'ping' ? pong : (passedOn ?? handlers.get(method));
  // Before the revision is negotiated, a server may only ping. Ping is the same in every revision.
  const revision = settled ?? newestRevision;
  const running = new AnsweredRequest(id);
  const signal = AbortSignal.any([running.signal, settings.inputs.stopped]);
  connection.running.add(running);
  // As between the rounds of a request, the time for answering here does not count as the server's.
  const goOn = methodOf(method)?.embedded === undefined ? nothing : connection.questioned(request);
  signal.addEventListener('abort', goOn, { once: true });
  endWithRequest(running, { connection, respond, request }, settled);
  try {
    if (isTooMuch && handler !== pong) throw new McpError('internalError', 'too many requests wait for an answer here');
    if (handler === undefined) throw new McpError('methodNotFound', `this client does not answer ${shown(method)}`);
    const context = { revision, signal, request };
    const { chain } = settings;
    // Software that passes requests on needs their tokens as they are sent.
    const isExact = passedOn !== undefined && settings.exactNumbers;
    const run = (given: JsonObject) => handler(shownParams(method, given, isExact), context);
    const work =
      chain.used && settled !== undefined
        ? throughClientMiddleware((late) =>
            late.answerThrough({ method, id }, params, { chain, source, context, answer: run }),
          )
        : run(params);
    const given = await work;
    goOn();
    // A question about a task names the task in its params, and so should its answer.
    const result = method.startsWith('tasks/') ? given : related(settled, params, given);
    if (signal.aborted) return answered.keep(message, request, undefined);
    const response: ResponseMessage = { jsonrpc: '2.0', id, result };
    answered.keep(message, request, response);
    running.isAnswered = true;
    // It counts among those at once, and can be cancelled, until the server has it.
    await respond(response, settled, { signal });
  } catch (error) {
    goOn();
    if (signal.aborted) return answered.keep(message, request, undefined);
    const known = error instanceof McpError ? error : new McpError('internalError', 'internal error');
    // The server cannot see this error, and may not report its own failure. So the caller must be able to find it.
    if (known !== error) settings.failed(`the handler of ${shown(method)} failed`, error);
    const response: ResponseMessage = { jsonrpc: '2.0', id, error: errorToWire(settled, known) };
    // A question that was rejected for the limit may be asked again later.
    if (!isTooMuch) answered.keep(message, request, response);
    running.isAnswered = true;
    await respond(response, settled, { signal, cause: error, request });
  } finally {
    signal.removeEventListener('abort', goOn);
    connection.running.forget(running);
  }
}

/** An answer that names the task of its request. (Spec 2025-11-25, Tasks, Associating Task-Related Messages.) */
function related(settled: Revision | undefined, params: JsonObject, result: JsonObject): JsonObject {
  const { _meta: asked } = params;
  const task = settled?.tasks === 'core' && isObject(asked) ? asked[metaKey.relatedTask] : undefined;
  if (task === undefined) return result;
  const { _meta: own } = result;
  return { ...result, _meta: { ...(isObject(own) ? own : {}), [metaKey.relatedTask]: task } };
}

/**
 * Ends the answering of a question with our request to which it belongs. The exchange of a request that was given up is
 * closed, so that no cancellation of its questions can come by it.
 */
function endWithRequest(
  running: AnsweredRequest,
  { connection, respond, request }: Questioned,
  settled: Revision | undefined,
): void {
  connection.onUnanswered(request, (reason) => {
    if (running.isAnswered || running.signal.aborted) return;
    running.abort(reason);
    // The server waits for an answer.
    const error = new McpError('internalError', 'the request that it belongs to was given up');
    void respond({ jsonrpc: '2.0', id: running.requestId, error: errorToWire(settled, error) }, settled);
  });
}

const nothing = (): void => undefined;

const pong: InboundHandler = () => ({});

/** Passes a request on in the newest form, if the revision lets a server send it. */
function handingOn(method: string, onRequest: NonNullable<ConnectOptions['onRequest']>): InboundHandler {
  return async (params, { revision, signal, request }) => {
    const row = methodOf(method);
    if (row !== undefined && !maySend('server', row, revision))
      throw new McpError('methodNotFound', `${shown(method)} is no request of a server in ${revision.date}`);
    // The rows of a method name the types of its params and its result, which are JSON objects.
    const read = row?.params === undefined ? params : (fromWire(revision, row.params, params) as unknown as JsonObject);
    const result = await onRequest(method, read, { revision: revision.date, signal, request });
    if (row?.result === undefined) return result;
    return toWire(revision, answerType(row.result, revision, read, result), result as never) as JsonObject;
  };
}

function hear(
  { method, params: sent = {} }: NotificationMessage,
  within: number | undefined,
  { settings, revision }: InboundOptions,
): void {
  const params = shownParams(method, sent, settings.exactNumbers);
  const context = within === undefined ? {} : { request: within };
  const settled = revision();
  if (method === 'notifications/progress') {
    // Calls lets only well-formed progress of requests in flight through.
    settings.onProgress?.(params as unknown as Parameters<NonNullable<typeof settings.onProgress>>[0]);
  } else if (method === 'notifications/message' && settled !== undefined) {
    if (settings.onLog !== undefined && !hearLog(settings.onLog, params, { settled, settings, context })) return;
  } else if (method === 'notifications/elicitation/complete' && settled !== undefined) {
    settings.inputs.complete(params, settled);
  } else if (settled?.serverRequests === false && !isSubscribed(params)) {
    // Spec 2026-07-28: changes are sent on a listen stream that requested them. The news is still useful.
    settings.onWarning?.(`an unsolicited notification came: ${shown(method)}`);
  }
  settings.onNotification?.(method, params, context);
}

/**
 * Passes a log message on. A malformed one is dropped, and does not count as an error of the listener: returns false
 * for it.
 */
function hearLog(
  onLog: NonNullable<ConnectOptions['onLog']>,
  params: JsonObject,
  {
    settled,
    settings,
    context,
  }: { readonly settled: Revision; readonly settings: InboundSettings; readonly context: NotificationContext },
): boolean {
  let message: LoggingMessageNotificationParams;
  try {
    message = fromWire(settled, loggingMessageNotificationParamsShape, params);
  } catch (error) {
    settings.onWarning?.('a log message of the server was ignored, since it is malformed', error);
    return false;
  }
  onLog(message, context);
  return true;
}

function isSubscribed(params: JsonObject): boolean {
  const meta = params['_meta'];
  return isObject(meta) && meta[metaKey.subscriptionId] !== undefined;
}

function shown(method: string): string {
  return JSON.stringify(method.length > 100 ? `${method.slice(0, 100)}…` : method);
}
