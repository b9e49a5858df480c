import { isObject } from '../jsonrpc/message.ts';
import { ConnectionError, type ConnectionReason } from '../jsonrpc/transport.ts';
import { missing, type ClientCapabilities } from '../protocol/capability.ts';
import { codeOf, McpError } from '../protocol/error.ts';
import type { Revision } from '../protocol/revision.ts';
import type { ForwardedCall } from './upstream/forwarded-call.ts';

/** Circumstances of a failure upstream. */
export interface FailureContext {
  readonly call: Pick<ForwardedCall, 'method' | 'facts' | 'client' | 'ask'>;
  /** The parameters that the client sent. */
  readonly params: Readonly<Record<string, unknown>>;
  /** Revision that the upstream speaks. */
  readonly revision: Revision;
}

/**
 * Converts an upstream error into one that is true for the client downstream. An error about the client's request
 * passes unchanged. An error about the bridge's own request or its connection becomes an internal error.
 */
export function failureFor(error: unknown, context: FailureContext): unknown {
  if (error instanceof ConnectionError || isOfAuthorization(error)) return unreachable(error);
  if (!(error instanceof McpError)) return error;
  return ofTheProtocol(error, context);
}

function ofTheProtocol(error: McpError, context: FailureContext): McpError {
  // Revisions without a code for it report missing capabilities with an invalid request.
  if (error.kind === 'invalidRequest' && isOfTheClient(error.data, context.call.client.capabilities))
    return new McpError('missingRequiredClientCapability', error.message, { data: error.data, cause: error });
  if (isOfTheHop(error, context)) {
    const message = `the upstream server refused ${context.call.method}: ${error.message}`;
    return new McpError('internalError', message, { cause: error });
  }
  return isNotFound(error, context) ? notFound(error, context.params) : error;
}

/** Time after which a client that has too many open questions may try again: people answer them, in milliseconds. */
const peopleMs = 60_000;

/** Rejects a call of a client that has to answer others first. */
export function unansweredBefore(message: string): McpError {
  return new McpError('busy', message, { data: { retryAfterMs: peopleMs } });
}

/**
 * Makes the client's error when the upstream connection failed or could not be opened. The transport's message is only
 * for the operator: it may quote the path of a URL, a body or the last line of a process, and any of these may contain
 * a key.
 */
export function unreachable(error: unknown): McpError {
  if (error instanceof McpError && error.kind === 'busy') return error;
  const authorization = authorizationIn(error);
  if (authorization !== undefined)
    return new McpError('internalError', refusals[authorization.reason] ?? noAuthorization, { cause: error });
  if (error instanceof ConnectionError && error.reason === 'busy')
    return new McpError('busy', wordsFor.busy, { cause: error, data: { retryAfterMs: 1000 } });
  if (error instanceof ConnectionError && (error.status === 503 || error.status === 429))
    return new McpError('busy', 'the upstream server has no room now', {
      cause: error,
      data: { retryAfterMs: error.retryAfterMs ?? 1000 },
    });
  return new McpError('internalError', `the upstream server failed: ${harmlessWords(error)}`, { cause: error });
}

/** A failure to be authorized at the upstream, by the name of its kind. */
interface OfAuthorization extends Error {
  readonly reason: string;
}

function isOfAuthorization(error: unknown): error is OfAuthorization {
  return error instanceof Error && error.name === 'AuthorizationError' && 'reason' in error;
}

/** The failure to be authorized that another one is a consequence of. */
export function authorizationIn(error: unknown): OfAuthorization | undefined {
  let cause: unknown = error;
  for (let depth = 0; depth < 5 && cause instanceof Error; depth++, cause = cause.cause)
    if (isOfAuthorization(cause)) return cause;
  return undefined;
}

const noAuthorization = 'the bridge could not be authorized at the upstream server';

/** Messages of such failures for clients. The operator gets what the upstream and its authorization server sent. */
const refusals: Readonly<Record<string, string>> = {
  'login-required': 'the upstream server requires a sign-in, and this bridge cannot ask its user',
  denied: 'no access to the upstream server was granted',
  'insufficient-scope': 'the upstream server wants more rights for this than were granted',
  timeout: 'the user did not sign in at the upstream server in time',
};

/** The reason why the upstream was not reached, in a form that is safe for its clients. */
export function harmlessWords(error: unknown): string {
  const authorization = authorizationIn(error);
  if (authorization !== undefined) return refusals[authorization.reason] ?? noAuthorization;
  if (error instanceof McpError)
    return error.cause instanceof ConnectionError ? harmlessWords(error.cause) : error.message;
  if (!(error instanceof ConnectionError)) return 'it could not be reached';
  const { reason, status, cause } = error;
  // Either a malformed message of the server, or a response that is not a message at all, which has other causes.
  const isMessage = status === undefined && (cause === undefined || cause instanceof McpError);
  if (reason === 'invalid-message' && isMessage) return withoutOption(error.message);
  return `${wordsFor[reason]}${status === undefined ? '' : ` (HTTP ${status})`}`;
}

const wordsFor: Readonly<Record<ConnectionReason, string>> = {
  refused: 'the server cannot be reached',
  closed: 'the connection was closed',
  exited: 'the server exited',
  'session-lost': 'the server no longer knows the session',
  timeout: 'the server did not answer in time',
  aborted: 'the request was cancelled',
  http: 'the server answered with a failure',
  unauthorized: 'the server refused the bridge',
  'too-large': 'the server sent too much',
  'invalid-message': 'the server sent what cannot be read',
  busy: 'the bridge has too much under way with the server',
  incompatible: 'the server and the bridge have no revision in common',
};

/** The message of an error, for warnings. */
export function wordsOf(error: unknown): string {
  const authorization = authorizationIn(error);
  if (authorization !== undefined) return authorization.message;
  if (error instanceof McpError && error.cause instanceof ConnectionError) return wordsOf(error.cause);
  return error instanceof Error ? withoutOption(error.message) : 'unknown failure';
}

/** A bridge has no option for what a client limits by itself. */
function withoutOption(message: string): string {
  return message.replace(/ \(option max\w+\)$/, '');
}

/** Codes that speak of versions and capabilities, should they come without the data that names them. */
const hopCodes: ReadonlySet<number> = new Set([-32021, -32022]);

function isOfTheHop({ kind, code, data }: McpError, { call }: FailureContext): boolean {
  switch (kind) {
    case 'missingRequiredClientCapability':
      return !isOfTheClient(data, call.client.capabilities);
    case 'headerMismatch':
    case 'unsupportedProtocolVersion':
    case 'parseError':
    case 'invalidRequest':
      return true;
    case undefined:
      return hopCodes.has(code) || (code === visitFirst && !maySendToVisit(call));
    case 'urlElicitationRequired':
      return !maySendToVisit(call);
    default:
      return false;
  }
}

/**
 * Tells whether the client lacks the capability that the upstream misses. If the client has it and the bridge holds it
 * back, the bridge is at fault.
 */
function isOfTheClient(data: unknown, declared: ClientCapabilities): boolean {
  const required = isObject(data) ? data['requiredCapabilities'] : undefined;
  // Capabilities are objects of objects, and `missing` reads them as such.
  return isObject(required) && missing(required as ClientCapabilities, declared) !== undefined;
}

/** The code of `urlElicitationRequired`. A client knows it only in revisions that define this error. */
const visitFirst = -32042;

/**
 * Tells whether a client may be sent to a page by an error. If its revision has no such error, a call that can ask asks
 * for the visit.
 */
function maySendToVisit({ facts, client, ask }: FailureContext['call']): boolean {
  return ask === undefined
    ? facts.elicitation === 'form-and-url' && facts.serverRequests
    : client.supports('elicitation.url');
}

/** Spec 2026-07-28, Resources, Error handling: a resource that is not found is invalid params with its URI. */
function isNotFound({ kind, data }: McpError, { call, revision }: FailureContext): boolean {
  if (call.method !== 'resources/read') return false;
  const named = isObject(data) && typeof data['uri'] === 'string';
  return kind === 'resourceNotFound' || (kind === 'invalidParams' && named && isInvalidParams(revision));
}

/** Tells whether a revision has no separate error for a missing item. */
function isInvalidParams(revision: Revision): boolean {
  return codeOf('resourceNotFound', revision) === codeOf('invalidParams', revision);
}

function notFound(error: McpError, { uri }: FailureContext['params']): McpError {
  return new McpError('resourceNotFound', error.message, { data: error.data ?? { uri }, cause: error });
}
