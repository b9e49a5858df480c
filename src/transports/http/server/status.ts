import { isObject, type ErrorMessage, type RequestId, type ResponseMessage } from '../../../jsonrpc/message.ts';
import {
  errorToWire,
  McpError,
  retryAfterOf,
  statusOf,
  type ErrorName,
  type ErrorObject,
} from '../../../protocol/error.ts';
import { revisionOf, type Revision } from '../../../protocol/revision.ts';
import type { FullQuota, QuotaClient } from './quota.ts';
import type { HeaderFields, HttpReply, IncomingRequest } from './universal.ts';

/** Reason why a request is turned away before it is dispatched. */
export interface HttpProblem {
  readonly status: number;
  readonly message: string;
  /** The JSON-RPC error; an invalid request when left out. */
  readonly error?: ErrorName;
  readonly headers?: HeaderFields;
  /** Time after which it may be tried again, in milliseconds: said by the header and by the error. */
  readonly retryAfterMs?: number;
  /** The option that would let it in. */
  readonly option?: 'allowedHosts' | 'allowedOrigins';
  /** True when the whole request was read before. */
  readonly read?: boolean;
}

/** Turns a request away with the JSON-RPC error body of a problem, and its id where that could be read. */
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

/**
 * The JSON text of an error response. Without an id it is left out, but for a revision whose errors must have one:
 * there it is null.
 */
export function errorBody(error: McpError, revision: Revision | undefined, id?: RequestId): string {
  const withoutId = revision?.errorWithoutId === false ? { id: null } : {};
  return JSON.stringify({
    jsonrpc: '2.0',
    ...(id === undefined ? withoutId : { id }),
    error: errorToWire(revision, error),
  });
}

/**
 * The HTTP status of a response in a session: those of the handshake revisions travel with 200, but for what was no
 * valid request at all.
 */
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

/** Refuses by 429 what one client asked too often, as the `rate` in its data says; 503 is for what has no room at all. */
function statusOfError(error: ErrorObject): number {
  const status = statusOf(error);
  return status === 503 && isObject(error.data) && error.data['rate'] !== undefined ? 429 : status;
}

/** The longest that anybody is asked to stay away, in seconds. */
const longestPause = 3600;

/** The header fields that say when to try again what was refused for lack of room; none for any other response. */
export function retryHeaders(response: ResponseMessage): HeaderFields | undefined {
  const ms = 'error' in response ? retryAfterOf(response.error) : undefined;
  return ms === undefined ? undefined : retryAfter(ms);
}

function retryAfter(ms: number): HeaderFields {
  return { 'Retry-After': String(Math.min(longestPause, Math.max(1, Math.ceil(ms / 1000)))) };
}

/** The answer when a limit of the whole server is reached. */
export function busy(message: string): HttpProblem {
  return { status: 503, error: 'busy', message, retryAfterMs: 1000 };
}

/**
 * The answer when a limit is reached: 503 when it is that of the whole server, 429 when one owner has its share.
 *
 * @param what What there are too many of, and what they do.
 */
export function fullProblem(full: FullQuota | undefined, what: string, { auth }: QuotaClient): HttpProblem {
  if (full !== 'own') return busy(`too many ${what}`);
  return { ...busy(`too many ${what} for one ${auth === undefined ? 'address' : 'principal'}`), status: 429 };
}

/** The longest that clients of a server that ends are asked to wait, in seconds. */
const longestAway = 5;

/** The answer to what would begin while the server comes to its end; all of its clients come back, and not all at once. */
export function shuttingDown(): HttpProblem {
  const retryAfterMs = 1000 * (1 + Math.floor(Math.random() * longestAway));
  return { ...busy('the server is shutting down'), retryAfterMs, headers: { Connection: 'close' } };
}

/** Reason why a request is not answered: its process came to its end, or its session alone, which the store has lost or somebody ended. */
export type LastReason = 'stopped' | 'lost' | 'ended';

const lastWords: Readonly<Record<LastReason, string>> = {
  stopped: 'the process that ran the request was stopped',
  lost: 'the session was lost while the request ran',
  ended: 'the session was ended while the request ran',
};

/**
 * The response to a request that is not answered any more. Whether one that ran did what it was to do nobody knows, and it is never told what invites
 * to send it again.
 *
 * @param waits True where it had not begun to run.
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
