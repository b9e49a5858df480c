import type { AuthInfo } from '../../../../server/runtime/request-handler.ts';
import { parsedMessageOf, type ParsedMessage, type ParsedRequest } from '../../../../server/runtime/parsed-message.ts';
import { revisionOf, type Revision } from '../../../../protocol/revision.ts';
import type { HttpCall } from '../exchanges/call.ts';
import type { HttpContext } from '../exchanges/context.ts';
import type { HttpSettings } from '../exchanges/options.ts';
import type { FullQuota, QuotaClient } from '../exchanges/quota.ts';
import { fullProblem, lastingProblem, shuttingDown, type HttpProblem } from '../exchanges/status.ts';
import { tolerated } from '../exchanges/tolerated.ts';

/** Tells whether two requests come from the same principal, or both have none. */
export function samePrincipal(a: AuthInfo | undefined, b: AuthInfo | undefined): boolean {
  return a?.principal === b?.principal;
}

/**
 * Spec 2025-11-25, Transports, Protocol version header: an invalid or unsupported version is a bad request. Sending the
 * version of `initialize` is a SHOULD for clients. Some open their stream with their newest version, and the session
 * knows its own.
 */
export function versionProblem(header: string | undefined): HttpProblem | undefined {
  if (header === undefined || revisionOf(header) !== undefined) return undefined;
  return { status: 400, message: 'MCP-Protocol-Version is not supported' };
}

/** Parses the messages of a batch; if it is too long, only enough to show that. */
export function judgedBatch(
  values: readonly unknown[],
  { endpoint, settings }: Pick<HttpContext, 'endpoint' | 'settings'>,
): readonly ParsedMessage[] {
  return values.slice(0, settings.maxBatch + 1).map((value) => parsedMessageOf(value, endpoint.revisions));
}

/** Tells whether a message begins something: answers and notifications do not. */
export function isRequest(judged: ParsedMessage): judged is ParsedRequest {
  return judged.kind === 'request';
}

/** Reason why a message or a batch is not taken now: it would begin something. */
export function beginProblem(
  { course }: HttpContext,
  call: Pick<HttpCall, 'beyond' | 'auth'>,
  begins: boolean,
): HttpProblem | undefined {
  if (!begins || (course.stage === 'open' && call.beyond === undefined)) return undefined;
  return course.stage === 'open' ? tooManyRequests(call.beyond, call) : shuttingDown();
}

/** The answer to a request for which there is no place. */
export function tooManyRequests(full: FullQuota | undefined, client: QuotaClient = {}): HttpProblem {
  return fullProblem(full, 'requests are being answered', client);
}

/** Reason why a batch over HTTP+SSE is not taken. */
export function batchProblem(
  revision: Revision | undefined,
  messages: readonly ParsedMessage[],
  limit: number,
): HttpProblem | undefined {
  if (revision?.batches !== true) return { status: 400, message: 'this revision has no batches' };
  return sizeProblem(messages, limit);
}

/**
 * Reason why a batch over Streamable HTTP is not taken. The official servers take one in every version with
 * `initialize`, so it is only reported there.
 */
export function toleratedBatchProblem(
  revision: Revision | undefined,
  messages: readonly ParsedMessage[],
  settings: HttpSettings,
): HttpProblem | undefined {
  const problem = sizeProblem(messages, settings.maxBatch);
  if (problem === undefined && revision?.batches !== true)
    tolerated(settings, 'a batch in a protocol version without batches');
  return problem;
}

function sizeProblem(messages: readonly ParsedMessage[], limit: number): HttpProblem | undefined {
  if (messages.length === 0) return { status: 400, message: 'a batch must hold at least one message' };
  if (messages.length > limit) return { status: 400, message: `a batch must hold at most ${limit} messages` };
  return undefined;
}

/** Reason why no further event stream may be opened for a request. */
export function streamProblem(context: HttpContext, call: HttpCall): HttpProblem | undefined {
  const full = context.streams.full(call);
  return full && lastingProblem(full, 'event streams are open', call);
}

/** Reason why no further session may be opened for a request; an idle one makes way before. */
export function sessionProblem({ sessionQuota }: HttpContext, call: HttpCall): HttpProblem | undefined {
  const full = sessionQuota.full(call);
  if (full === undefined || sessionQuota.makeRoom?.(call) === true) return undefined;
  return lastingProblem(full, 'sessions are open', call);
}

/** Tells whether a text may be the id of a session, whichever version of this gave it out: visible ASCII, and not long. */
export function isSessionId(id: string): boolean {
  return /^[\x21-\x7e]{32,128}$/.test(id);
}

/** Random bytes in visible ASCII: 192 bits by default, which cannot be guessed. */
export function randomText(bytes = 24): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(bytes)), (byte) => byte.toString(16).padStart(2, '0')).join(
    '',
  );
}
