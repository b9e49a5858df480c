import type { ResponseMessage } from '../../jsonrpc/message.ts';
import { ConnectionError } from '../../jsonrpc/transport.ts';
import type { NotificationBudget } from '../../connection/budget.ts';
import { gate } from '../../connection/gate.ts';
import type { Asked } from '../../connection/pending.ts';
import { McpError } from '../../protocol/error.ts';
import type { JsonObject } from '../../protocol/features/common.ts';
import type { LoggingLevel } from '../../protocol/features/logging-level.ts';
import { methodOf } from '../../protocol/catalogue.ts';
import { maySend } from '../../protocol/method.ts';
import type { ClientCapabilities } from '../../protocol/capability.ts';
import type { Revision } from '../../protocol/revision.ts';
import { toWire } from '../../protocol/compile/to-wire.ts';
import { guardedListener, type Failed } from '../listeners.ts';
import type { Agreement } from './negotiate.ts';
import { hasRequestHeaders, requestHeaders, requestMeta, withMeta, type Self } from './request-meta.ts';
import type { RequestOptions } from './request-options.ts';

/** Options that hold for every request of a connection. */
export interface ServerConnectionOptions extends NotificationBudget {
  /** Asked for each request, so that it may change; what changes is another object. */
  self(): Self;
  readonly timeoutMs: number;
  readonly maxTotalTimeoutMs: number | undefined;
  /** Present where somebody hears the progress of all requests, which is asked for then. */
  readonly onProgress?: unknown;
  /** Hears what a listener of a request failed with. */
  readonly failed: Failed;
}

/** Marks of a request that has to do with a task. */
export interface TaskSending {
  /** True when nobody is told that it is given up: a task is cancelled by a request of its own. */
  readonly quiet?: boolean;
  /** Takes a result that came after the request was given up. */
  readonly late?: (result: JsonObject) => void;
  /** True when the server showed that it has the method, whatever it declared. */
  readonly offered?: boolean;
  /** Takes what ends the reports of progress, which go on after the answer. */
  readonly holdProgress?: (release: () => void) => void;
  /** Hears how long the answer took, without the time in which a person was asked, in milliseconds. */
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

/** The connection to a server whose revision is settled, from then on until it is lost: requests go out as that revision wants them. */
export class ServerConnection {
  readonly agreement: Agreement;
  /** Time at which it was settled, in milliseconds as `performance.now()` has it. */
  readonly openedAt: number = performance.now();
  /** The level that requests ask for unless they say otherwise; only where each request says so. */
  logLevel: LoggingLevel | undefined;
  /** True when the server itself said what it speaks; until then a stored finding is believed. */
  confirmed: boolean;
  /** Reason why it is over; the next request opens another one. */
  lost: ConnectionError | undefined;
  readonly #options: ServerConnectionOptions;
  readonly #describesItself: boolean;
  readonly #isHeaded: boolean;
  readonly #tellCancelled: boolean;
  /** Features that are asked for undeclared, and whether a warning has told of it. */
  readonly #undeclared = new Map<string, boolean>();
  readonly #meta: ReturnType<typeof requestMeta>;

  constructor(agreement: Agreement, options: ServerConnectionOptions) {
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

  /** Ends it: what waits in it is rejected, and what is being answered is given up. */
  end(error: ConnectionError): Promise<void> {
    return this.agreement.channel.close(error);
  }

  /**
   * Sends a request in the words of the revision, and waits for its result as it came.
   *
   * @param params In the canonical model for methods of the protocol, else as they go on the wire.
   * @throws McpError methodNotFound, before anything is sent, when the revision or the server lacks the method; and any
   *   that the server answered with.
   * @throws ConnectionError when no valid answer came.
   */
  async request(method: string, params: JsonObject | undefined, options: AttemptOptions = {}): Promise<JsonObject> {
    const result = this.#checked(method, await this.#call(method, params, options).answer, options);
    if (this.#undeclared.size > 0) this.#served(method, result);
    return result;
  }

  /** Sends `subscriptions/listen`, whose answer has no time limit, and which is known by its id until then. */
  listen(params: JsonObject, signal: AbortSignal, capabilities?: ClientCapabilities): Asked {
    const method = 'subscriptions/listen';
    const asked = this.#call(method, params, { signal, timeoutMs: 0, maxTotalTimeoutMs: 0, capabilities }, false);
    return {
      id: asked.id,
      answer: asked.answer.then((result) => this.#checked(method, result, {})),
      settle: (outcome) => asked.settle(outcome),
    };
  }

  /**
   * Sends a notification in the words of the revision.
   *
   * @throws McpError methodNotFound when it is none of a client.
   */
  async notify(method: string, params: JsonObject | undefined): Promise<void> {
    const { channel, revision } = this.agreement;
    const row = methodOf(method);
    if (row !== undefined && !maySend('client', row, revision))
      throw new McpError('methodNotFound', `${method} is no notification of a client in ${revision.date}`);
    // The row of a method says the type of its params.
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
  ): Asked {
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
      // Whoever waits for a call is told of its end, where nothing else keeps the process alive until then, as in a test in memory.
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
    channel.warn(`${channel.description} did not declare the capability ${feature}, and is asked all the same`);
  }

  readonly #asks = (feature: string): boolean => {
    if (!this.#undeclared.has(feature)) this.#undeclared.set(feature, false);
    return true;
  };

  #project(method: string, params: JsonObject | undefined, isOffered = false): JsonObject | undefined {
    const row = methodOf(method);
    if (row === undefined) return params;
    if (!isOffered) gate(method, this.revision, this.agreement.capabilities, this.#asks);
    // The row of a method says the type of its params.
    return row.params === undefined || params === undefined
      ? params
      : toWire(this.revision, row.params, params as never);
  }

  /** A result that the revision allows says that the server speaks it. */
  #checked(method: string, result: JsonObject, { resultTypes }: RequestOptions): JsonObject {
    if (this.revision.resultTypes) checkResultType(method, result, resultTypes);
    this.confirmed = true;
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

/** Listener to the progress of one request, where that of all is heard elsewhere. */
function unheard(): void {}
