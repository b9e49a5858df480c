import { isObject } from '../../jsonrpc/message.ts';
import { ConnectionError } from '../../jsonrpc/transport.ts';
import type { ClientCapabilities } from '../../protocol/capability.ts';
import { projectClientCapabilities } from '../../protocol/compile/capabilities.ts';
import { implementationShape, type Implementation } from '../../protocol/features/common.ts';
import type { LoggingLevel } from '../../protocol/features/logging-level.ts';
import { metaKey } from '../../protocol/meta.ts';
import { methodOf } from '../../protocol/catalogue.ts';
import type { Revision } from '../../protocol/revision.ts';
import { toWire } from '../../protocol/compile/to-wire.ts';
import type { Budget } from '../../peer/budget.ts';
import type { Calls } from '../../peer/calls.ts';
import { encodeHeaderValue } from '../../peer/header.ts';
import type { Progress, ProgressToken } from '../../peer/progress.ts';
import type { JsonObject } from '../../peer/waiting.ts';

/** What a client says of itself: in `initialize`, or in the `_meta` of every stateless request. */
export interface Self {
  /** Left out of stateless requests when `undefined`. */
  readonly info: Implementation;
  readonly capabilities: ClientCapabilities;
}

/** The options of one request. */
export interface RequestOptions {
  /** Gives the request up: the server is told, and the promise rejects with the reason of the signal, as that of `fetch` does. */
  readonly signal?: AbortSignal | undefined;
  /** Longest wait for the answer, in milliseconds; starts anew with each progress. 0 means no limit. */
  readonly timeoutMs?: number | undefined;
  /** Longest wait for the answer whatever the progress, in milliseconds; no limit by default. */
  readonly maxTotalTimeoutMs?: number | undefined;
  /** Hears how far the request got; asks the server for progress. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** The token to ask for progress with; one is made where `onProgress` needs it. */
  readonly progressToken?: ProgressToken | undefined;
  /**
   * The least severe log message to be sent for this request; only where each request says so.
   *
   * @deprecated Since 2026-07-28 (SEP-2577): logging still works; a revision from 2027-07-28 on may remove it.
   */
  readonly logLevel?: LoggingLevel | undefined;
  /** More keys of `_meta`; those that the protocol fills in win. */
  readonly meta?: JsonObject | undefined;
  /** More HTTP headers; those that the protocol fills in win. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Who asks, instead of the client itself; only where each request says so. */
  readonly clientInfo?: Implementation | undefined;
  /** What the asker can do, instead of the client itself; only where each request says so. */
  readonly capabilities?: ClientCapabilities | undefined;
  /** Hears that the request was given up after it was sent, whatever the promise then rejects with; must not throw. */
  readonly onGivenUp?: (() => void) | undefined;
  /**
   * Hears that the server answered after the request was given up, which a server need not do. Not called where giving
   * up closes the response stream, nor after the end of the connection.
   */
  readonly onLateAnswer?: (() => void) | undefined;
  /** Values of `resultType` that an extension adds to those of the protocol. */
  readonly resultTypes?: readonly string[] | undefined;
}

/** What holds for every request of a conversation. */
export interface CallerOptions {
  readonly revision: Revision;
  /** Asked for each request, so that it may change; what changes is another object. */
  self(): Self;
  readonly timeoutMs: number;
  readonly maxTotalTimeoutMs: number | undefined;
  /** How much may come within one request. */
  readonly budget?: Budget | undefined;
  /** Hears that a request got a result that its revision allows. */
  answered?(): void;
}

/** Sends requests at one revision, dressed as that revision wants them. */
export interface Caller {
  readonly revision: Revision;
  /** The level that requests ask for unless they say otherwise; only where each request says so. */
  logLevel: LoggingLevel | undefined;
  /**
   * Sends one request.
   *
   * @param params As they go on the wire, but for `_meta`.
   * @returns The result as it came.
   * @throws McpError that the peer answered with.
   * @throws ConnectionError when no valid answer came.
   */
  request(method: string, params: JsonObject | undefined, options?: RequestOptions): Promise<JsonObject>;
  /** Sends a notification. */
  notify(method: string, params?: JsonObject): Promise<void>;
}

/** Makes the caller of an open conversation. */
export function createCaller(calls: Calls, options: CallerOptions): Caller {
  const { revision } = options;
  const stateless = revision.era === 'stateless';
  const headed = stateless && calls.facts.carriesHeaders;
  // Spec 2026-07-28, Cancellation: over HTTP closing the response stream is the cancellation.
  const tellCancelled = !(calls.facts.cancelsByClosing && revision.httpCancellation === 'close-stream');
  const preamble = preambles(options);
  const caller: Caller = {
    revision,
    logLevel: undefined,
    async request(method, params, request = {}) {
      const dressed = stateless
        ? withPreamble(params, preamble(request, caller.logLevel), request.meta)
        : withMeta(params, request.meta);
      const headers = headed ? { ...request.headers, ...requestHeaders(revision, method, params) } : request.headers;
      const result = await calls.call(method, dressed, {
        revision,
        signal: request.signal,
        timeoutMs: request.timeoutMs ?? options.timeoutMs,
        maxTotalTimeoutMs: request.maxTotalTimeoutMs ?? options.maxTotalTimeoutMs,
        maxNotifications: options.budget?.maxNotifications,
        maxNotificationBytes: options.budget?.maxNotificationBytes,
        headers,
        tellCancelled,
        progressToken: request.progressToken,
        onProgress: request.onProgress,
        onGivenUp: request.onGivenUp,
        onLateAnswer: request.onLateAnswer,
      });
      if (stateless) checkResultType(method, result, request.resultTypes);
      options.answered?.();
      return result;
    },
    async notify(method, params) {
      const headers = headed ? requestHeaders(revision, method, params) : undefined;
      await calls.notify(method, params, { revision, headers, timeoutMs: options.timeoutMs });
    },
  };
  return caller;
}

/** The `_meta` keys that describe the client in a stateless request. (Spec 2026-07-28, Base protocol, _meta.) */
export function preambleOf(revision: Revision, self: Self): JsonObject {
  return {
    [metaKey.protocolVersion]: revision.date,
    [metaKey.clientInfo]: toWire(revision, implementationShape, self.info),
    [metaKey.clientCapabilities]: projectClientCapabilities(revision, self.capabilities),
  };
}

/** The headers that mirror a stateless request over HTTP. (Spec 2026-07-28, Streamable HTTP: Request metadata.) */
export function requestHeaders(
  revision: Revision,
  method: string,
  params: JsonObject | undefined,
): Readonly<Record<string, string>> {
  const key = methodOf(method)?.nameParam;
  const name = key === undefined ? undefined : params?.[key];
  return {
    'MCP-Protocol-Version': revision.date,
    'Mcp-Method': encodeHeaderValue(method),
    ...(typeof name === 'string' ? { 'Mcp-Name': encodeHeaderValue(name) } : {}),
  };
}

/** Lays `_meta` keys over those of the params. */
export function withPreamble(params: JsonObject | undefined, preamble: JsonObject, meta?: JsonObject): JsonObject {
  const own = params?.['_meta'];
  const alone = meta === undefined && !isObject(own);
  return { ...params, _meta: alone ? preamble : { ...(isObject(own) ? own : {}), ...meta, ...preamble } };
}

function withMeta(params: JsonObject | undefined, meta: JsonObject | undefined): JsonObject | undefined {
  return meta === undefined ? params : withPreamble(params, {}, meta);
}

/** Makes the `_meta` keys of requests; those of who asks mostly are those of the request before. */
function preambles({
  revision,
  self,
}: CallerOptions): (request: RequestOptions, sticky: LoggingLevel | undefined) => JsonObject {
  let last: { readonly of: Self; readonly described: JsonObject } | undefined;
  return (request, sticky) => {
    const own = self();
    const info = request.clientInfo ?? own.info;
    const capabilities = request.capabilities ?? own.capabilities;
    if (last === undefined || last.of.info !== info || last.of.capabilities !== capabilities) {
      const of = { info, capabilities };
      last = { of, described: preambleOf(revision, of) };
    }
    const logLevel = request.logLevel ?? sticky;
    return logLevel === undefined ? last.described : { ...last.described, [metaKey.logLevel]: logLevel };
  };
}

/** Spec 2026-07-28, Base protocol, ResultType: absent means complete, unknown makes the response invalid. */
function checkResultType(method: string, result: JsonObject, more: readonly string[] = []): void {
  const { resultType } = result;
  if (resultType === undefined || resultType === 'complete') return;
  const inputRequired = resultType === 'input_required' && methodOf(method)?.inputRequired !== undefined;
  if (inputRequired || (typeof resultType === 'string' && more.includes(resultType))) return;
  const shown = JSON.stringify(resultType)?.slice(0, 100);
  throw new ConnectionError('invalid-message', `the result of ${method} has the unknown resultType ${shown}`);
}
