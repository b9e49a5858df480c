import type { ResponseMessage } from '../../jsonrpc/message.ts';
import { ConnectionError } from '../../jsonrpc/transport.ts';
import type { NotificationBudget } from '../../connection/budget.ts';
import { gate } from '../../connection/gate.ts';
import type { SentRequest } from '../../connection/pending.ts';
import { McpError } from '../../protocol/error.ts';
import type { JsonObject } from '../../protocol/features/common.ts';
import type { LoggingLevel } from '../../protocol/features/logging-level.ts';
import { methodOf } from '../../protocol/catalogue.ts';
import { maySend } from '../../protocol/method.ts';
import type { ClientCapabilities } from '../../protocol/capability.ts';
import type { Revision } from '../../protocol/revision.ts';
import { toWire } from '../../protocol/compile/to-wire.ts';
import { guardedListener, type Failed } from '../api/listeners.ts';
import type { NegotiatedConnection } from './negotiate.ts';
import { hasRequestHeaders, requestHeaders, requestMeta, withMeta, type Self } from './request-meta.ts';
import type { RequestOptions } from '../api/request-options.ts';

/** Options that hold for every request of a connection. */
export interface ServerConnectionOptions extends NotificationBudget {
  /** Asked for each request, so that it may change; what changes is another object. */
  self(): Self;
  readonly timeoutMs: number;
  readonly maxTotalTimeoutMs: number | undefined;
  /** Set if a listener receives the progress of all requests. The request then asks for progress. */
  readonly onProgress?: unknown;
  /** Reports the error of a request's listener. */
  readonly failed: Failed;
}

/** Marks of a request that has to do with a task. */
export interface TaskSending {
  /** True if the server gets no cancellation: a task has its own cancel request. */
  readonly quiet?: boolean;
  /** Receives a result that came after the request was cancelled. */
  readonly late?: (result: JsonObject) => void;
  /** True when the server showed that it has the method, whatever it declared. */
  readonly offered?: boolean;
  /** Takes what ends the reports of progress, which go on after the answer. */
  readonly holdProgress?: (release: () => void) => void;
  /** Receives the time until the answer, without the time for questions to the user, in milliseconds. */
  readonly took?: (ms: number) => void;
}

/** The options of one attempt of a request. */
export interface AttemptOptions extends RequestOptions {
  readonly task?: TaskSending | undefined;
  /** Is added the time in which a person was asked, in milliseconds. */
  readonly still?: { ms: number } | undefined;
  /** Choice that the process lives until it is answered; true by default. */
  readonly keepsAlive?: boolean | undefined;
}

/**
 * The connection to a server with a negotiated revision, until it is lost. It sends requests in the form of that
 * revision.
 */
export class ServerConnection {
  readonly agreement: NegotiatedConnection;
  /** Time at which it was settled, in milliseconds as `performance.now()` has it. */
  readonly openedAt: number = performance.now();
  /** The default log level of requests; only in revisions where each request carries it. */
  logLevel: LoggingLevel | undefined;
  /** True if the server itself confirmed its revision. Until then a stored finding is used. */
  confirmed: boolean;
  /** Reason why it is over; the next request opens another one. */
  lost: ConnectionError | undefined;
  /** True once the server answered a request with a result. */
  hasServed = false;
  readonly #options: ServerConnectionOptions;
  readonly #describesItself: boolean;
  readonly #isHeaded: boolean;
  readonly #tellCancelled: boolean;
  /** Undeclared features that were requested, and whether a warning reported them. */
  readonly #undeclared = new Map<string, boolean>();
  readonly #meta: ReturnType<typeof requestMeta>;

  constructor(agreement: NegotiatedConnection, options: ServerConnectionOptions) {
    const { revision, channel, confirmed } = agreement;
    this.agreement = agreement;
    this.confirmed = confirmed;
    this.lost = channel.ended;
    this.#options = options;
    this.#describesItself = revision.clientDescribed === 'each-request';
    this.#isHeaded = channel.facts.carriesHeaders && hasRequestHeaders(revision);
    // Spec 2026-07-28, Cancellation: over HTTP closing the response stream is the cancellation.
    this.#tellCancelled = !(channel.facts.cancelsByClosing && revision.httpCancellation === 'close-stream');
    this.#meta = requestMeta(revision, options.self);
  }

  get revision(): Revision {
    return this.agreement.revision;
  }

  /** Tells whether any request waits for its answer. */
  get busy(): boolean {
    return this.agreement.channel.connection.waiting > 0;
  }

  /** Ends it: pending requests reject, and running answers are aborted. */
  end(error: ConnectionError): Promise<void> {
    return this.agreement.channel.close(error);
  }

  /**
   * Sends a request in the form of the revision, and waits for its result.
   *
   * @param params In the canonical model for methods of the protocol, otherwise in wire form.
   * @throws McpError methodNotFound, before anything is sent, if the revision or the server lacks the method; and any
   * error
   * that the server answered with.
   * @throws ConnectionError if no valid answer came.
   */
  async request(method: string, params: JsonObject | undefined, options: AttemptOptions = {}): Promise<JsonObject> {
    const result = this.#checked(method, await this.#call(method, params, options).answer, options);
    if (this.#undeclared.size > 0) this.#served(method, result);
    return result;
  }

  /**
   * Sends `subscriptions/listen`. Its answer has no time limit. Until the answer comes, its id identifies the
   * subscription.
   */
  listen(params: JsonObject, signal: AbortSignal, capabilities?: ClientCapabilities): SentRequest {
    const method = 'subscriptions/listen';
    const asked = this.#call(method, params, { signal, timeoutMs: 0, maxTotalTimeoutMs: 0, capabilities }, false);
    return {
      id: asked.id,
      answer: asked.answer.then((result) => this.#checked(method, result, {})),
      settle: (outcome) => asked.settle(outcome),
    };
  }

  /**
   * Sends a notification in the form of the revision.
   *
   * @throws McpError methodNotFound if a client cannot send it.
   */
  async notify(method: string, params: JsonObject | undefined): Promise<void> {
    const { channel, revision } = this.agreement;
    const row = methodOf(method);
    if (row !== undefined && !maySend('client', row, revision))
      throw new McpError('methodNotFound', `${method} is no notification of a client in ${revision.date}`);
    // The row of a method gives the type of its params.
    const wire =
      row?.params === undefined || params === undefined ? params : toWire(revision, row.params, params as never);
    const headers = this.#isHeaded ? requestHeaders(revision, method, wire) : undefined;
    await channel.notify(method, wire, { revision, headers, timeoutMs: this.#options.timeoutMs });
  }

  #call(
    method: string,
    params: JsonObject | undefined,
    options: AttemptOptions,
    mayProgress = this.#options.onProgress !== undefined,
  ): SentRequest {
    const { revision, channel } = this.agreement;
    const { timeoutMs, maxTotalTimeoutMs, maxNotifications, maxNotificationBytes, failed } = this.#options;
    const { onSent, onGivenUp, onLateAnswer, task } = options;
    const onProgress = options.onProgress ?? (mayProgress ? unheard : undefined);
    const projected = this.#project(method, params, task?.offered);
    const dressed = this.#describesItself
      ? withMeta(projected, this.#meta(options, this.logLevel), options.meta)
      : options.meta === undefined
        ? projected
        : withMeta(projected, {}, options.meta);
    const asked = channel.connection.call(method, dressed, {
      revision,
      signal: options.signal,
      timeoutMs: options.timeoutMs ?? timeoutMs,
      maxTotalTimeoutMs: options.maxTotalTimeoutMs ?? maxTotalTimeoutMs,
      still: options.still,
      // The wait keeps the process alive, so that the caller learns the outcome even in memory, without open sockets.
      keepsAlive: options.keepsAlive ?? true,
      maxNotifications,
      maxNotificationBytes,
      headers: this.#isHeaded
        ? { ...options.headers, ...requestHeaders(revision, method, projected) }
        : options.headers,
      tellCancelled: this.#tellCancelled && task?.quiet !== true,
      holdProgress: task?.holdProgress,
      progressToken: options.progressToken,
      caller: options.caller,
      onProgress: onProgress && guardedListener('onProgress', onProgress, failed),
      onGivenUp: onGivenUp && guardedListener('onGivenUp', onGivenUp, failed),
      onLateAnswer: lateListener(onLateAnswer && guardedListener('onLateAnswer', onLateAnswer, failed), task?.late),
    });
    if (onSent !== undefined) guardedListener('onSent', onSent, failed)(asked.id);
    return asked;
  }

  /** Some servers declare nothing and serve it all the same: their answer counts, unless it is an empty list. */
  #served(method: string, result: JsonObject): void {
    const { needs: feature = '', list } = methodOf(method) ?? {};
    if (this.#undeclared.get(feature) !== false) return;
    const entries = list === undefined ? undefined : result[list.items];
    if (Array.isArray(entries) && entries.length === 0) return;
    this.#undeclared.set(feature, true);
    const { channel } = this.agreement;
    channel.warn(`${channel.description} did not declare the capability ${feature}; the request is sent all the same`);
  }

  readonly #asks = (feature: string): boolean => {
    if (!this.#undeclared.has(feature)) this.#undeclared.set(feature, false);
    return true;
  };

  #project(method: string, params: JsonObject | undefined, isOffered = false): JsonObject | undefined {
    const row = methodOf(method);
    if (row === undefined) return params;
    if (!isOffered) gate(method, this.revision, this.agreement.capabilities, this.#asks);
    // The row of a method gives the type of its params.
    return row.params === undefined || params === undefined
      ? params
      : toWire(this.revision, row.params, params as never);
  }

  /** A result that the revision allows confirms that the server speaks it. */
  #checked(method: string, result: JsonObject, { resultTypes }: RequestOptions): JsonObject {
    if (this.revision.resultTypes) checkResultType(method, result, resultTypes);
    this.confirmed = true;
    this.hasServed = true;
    return result;
  }
}

function lateListener(
  heard: (() => void) | undefined,
  take: TaskSending['late'],
): ((answer: ResponseMessage) => void) | undefined {
  if (take === undefined) return heard;
  return (answer) => {
    heard?.();
    if ('result' in answer) take(answer.result);
  };
}

/** Spec 2026-07-28, Base protocol, ResultType: absent means complete, unknown makes the response invalid. */
function checkResultType(method: string, result: JsonObject, more: readonly string[] | 'any' = []): void {
  const { resultType } = result;
  if (resultType === undefined || resultType === 'complete') return;
  const inputRequired = resultType === 'input_required' && methodOf(method)?.inputRequired !== undefined;
  if (inputRequired || (typeof resultType === 'string' && (more === 'any' || more.includes(resultType)))) return;
  const shown = JSON.stringify(resultType)?.slice(0, 100);
  throw new ConnectionError('invalid-message', `the result of ${method} has the unknown resultType ${shown}`);
}

/** Listener for the progress of one request, if a listener for all requests handles it. */
function unheard(): void {}
