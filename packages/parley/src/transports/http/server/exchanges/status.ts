import { withLargeIds } from '../../../../json/large-id.ts';
import { isObject, type ErrorMessage, type RequestId, type ResponseMessage } from '../../../../jsonrpc/message.ts';
import {
  errorToWire,
  McpError,
  retryAfterOf,
  statusOf,
  type ErrorName,
  type ErrorObject,
} from '../../../../protocol/error.ts';
import { revisionOf, type Revision } from '../../../../protocol/revision.ts';
import type { FullQuota, QuotaClient } from './quota.ts';
import type { HeaderFields, HttpReply, IncomingRequest } from './universal.ts';

/** Reason why a request is rejected before it is dispatched. */
export interface HttpProblem {
  readonly status: number;
  readonly message: string;
  /** The JSON-RPC error; an invalid request when left out. */
  readonly error?: ErrorName;
  readonly headers?: HeaderFields;
  /** Time after which it may be retried, in milliseconds. It goes into the header and the error. */
  readonly retryAfterMs?: number;
  /** The option that would let it in. */
  readonly option?: 'allowedHosts' | 'allowedOrigins';
  /** True when the whole request was read before. */
  readonly read?: boolean;
}

/** Rejects a request with the JSON-RPC error body of a problem, and its id if that could be read. */
export function refuse(request: IncomingRequest, reply: HttpReply, problem: HttpProblem, id?: RequestId): void {
  const { status, headers, retryAfterMs } = problem;
  const body = errorBody(errorOf(problem), revisionOf(request.header('mcp-protocol-version')), id);
  reply.send(status, body, retryAfterMs === undefined ? headers : { ...headers, ...retryAfter(retryAfterMs) });
}

/** The error of a problem. */
export function errorOf({
  error = 'invalidRequest',
  message,
  retryAfterMs,
}: Pick<HttpProblem, 'error' | 'message' | 'retryAfterMs'>): McpError {
  return new McpError(error, message, retryAfterMs === undefined ? {} : { data: { retryAfterMs } });
}

/** The JSON text of an error response. A missing id is left out, or null in revisions whose errors must have one. */
export function errorBody(error: McpError, revision: Revision | undefined, id?: RequestId): string {
  const withoutId = revision?.errorWithoutId === false ? { id: null } : {};
  return withLargeIds(
    JSON.stringify({
      jsonrpc: '2.0',
      ...(id === undefined ? withoutId : { id }),
      error: errorToWire(revision, error),
    }),
  );
}

/** The HTTP status of a response in a session: 200, except for errors of invalid requests. */
export function sessionStatus(response: ResponseMessage): number {
  if (!('error' in response)) return 200;
  const status = statusOfError(response.error);
  // A missing capability has no code of its own there: the request was valid, and this is its answer.
  const isAnswer = isObject(response.error.data) && 'requiredCapabilities' in response.error.data;
  return status === 404 || isAnswer ? 200 : status;
}

/** The HTTP status of a response in an exchange. */
export function exchangeStatus(response: ResponseMessage): number {
  return 'error' in response ? statusOfError(response.error) : 200;
}

/**
 * Uses 429 if one client exceeded a rate limit, as the `rate` in its data shows; 503 means that there is no room at
 * all.
 */
function statusOfError(error: ErrorObject): number {
  const status = statusOf(error);
  return status === 503 && isObject(error.data) && error.data['rate'] !== undefined ? 429 : status;
}

/** The longest `Retry-After`, in seconds. */
const maxPause = 3600;

/** The `Retry-After` header for a refusal due to a limit; none for any other response. */
export function retryHeaders(response: ResponseMessage): HeaderFields | undefined {
  const ms = 'error' in response ? retryAfterOf(response.error) : undefined;
  return ms === undefined ? undefined : retryAfter(ms);
}

function retryAfter(ms: number): HeaderFields {
  return { 'Retry-After': String(Math.min(maxPause, Math.max(1, Math.ceil(ms / 1000)))) };
}

/** The answer when a limit of the whole server is reached. */
export function busy(message: string): HttpProblem {
  return { status: 503, error: 'busy', message, retryAfterMs: 1000 };
}

/**
 * The answer when a limit is reached: 503 if it is the total, 429 if it is the owner's share.
 *
 * @param what The things that there are too many of, and what they do.
 */
export function fullProblem(full: FullQuota | undefined, what: string, { auth }: QuotaClient): HttpProblem {
  if (full !== 'own') return busy(`too many ${what}`);
  return { ...busy(`too many ${what} for one ${auth === undefined ? 'address' : 'principal'}`), status: 429 };
}

/** Time after which a client may try again where sessions or streams take all places, in milliseconds. */
const lastingMs = 10_000;

/** The answer when things take all places that last: sessions and streams, also those of calls that wait for people. */
export function lastingProblem(full: FullQuota | undefined, what: string, client: QuotaClient): HttpProblem {
  return { ...fullProblem(full, what, client), retryAfterMs: lastingMs };
}

/** The longest that clients of a server that ends are asked to wait, in seconds. */
const maxAwaySeconds = 5;

/** The answer to what would begin while the server comes to its end; all of its clients come back, and not all at once. */
export function shuttingDown(): HttpProblem {
  const retryAfterMs = 1000 * (1 + Math.floor(Math.random() * maxAwaySeconds));
  return { ...busy('the server is shutting down'), retryAfterMs, headers: { Connection: 'close' } };
}

/**
 * Reason why a request is not answered: its process stopped, or only its session ended, because the store lost it or a
 * client ended it.
 */
export type LastReason = 'stopped' | 'lost' | 'ended';

const lastWords: Readonly<Record<LastReason, string>> = {
  stopped: 'the process that ran the request was stopped',
  lost: 'the session was lost while the request ran',
  ended: 'the session was ended while the request ran',
};

/**
 * The response to a request that will not be answered. If it ran, its outcome is unknown, and the response never
 * invites a retry.
 *
 * @param waits True if it had not begun to run.
 */
export function lastResponse(
  { id, waits, why = 'stopped' }: { readonly id: RequestId; readonly waits: boolean; readonly why?: LastReason },
  revision: Revision | undefined,
): ErrorMessage {
  const error =
    waits && why === 'stopped'
      ? errorOf(shuttingDown())
      : new McpError('internalError', `${lastWords[why]}; its outcome is not known`);
  return { jsonrpc: '2.0', id, error: errorToWire(revision, error) };
}
