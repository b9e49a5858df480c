import type { RequestId, ResponseMessage } from '../../../jsonrpc/message.ts';
import { Connection } from '../../../connection/connection.ts';
import type { InFlightRequests } from '../../../connection/in-flight-requests.ts';
import { McpError } from '../../../protocol/error.ts';
import type { JsonObject } from '../../../protocol/features/common.ts';
import type { Revision } from '../../../protocol/revision.ts';
import type { Call } from '../call.ts';
import type { ReplyChannel } from '../request-handler.ts';
import type { ServerSession } from '../server-core.ts';
import { LinkEnd, unanswered } from '../link-end.ts';
import type { PassingPlace } from '../middleware/passing.ts';

/** Origin of a question: a call, or the conversation as a whole. */
export interface QuestionOrigin {
  readonly facts: Revision;
  /** Cancels the question. */
  readonly signal: AbortSignal;
  /** The request whose stream carries the question; left out for the conversation as a whole. */
  readonly requestId?: RequestId | undefined;
  /** True if the answer is no longer awaited, though the question was not cancelled. */
  readonly over?: boolean | undefined;
  /** The session. */
  readonly session?: ServerSession | undefined;
}

/** The way to ask the client of one session. */
export interface QuestionWay {
  readonly connection: Connection<Call>;
  /** Tells whether the client sent `notifications/initialized`. Before that, no request may be sent. */
  isReady(): boolean;
  /** Time limit for the client to answer or to report progress; 0 and Infinity mean no limit. */
  readonly timeoutMs: number;
  /** Listeners to the client's notifications about its tasks, by task id. */
  readonly told?: Map<string, () => void>;
  /** The middleware that questions pass through, if there is any. */
  readonly passed?: PassingPlace | undefined;
  /** Receives the id under which a question is sent. */
  readonly onSent?: ((id: RequestId) => void) | undefined;
  /** Receives an answer that comes when it is no longer awaited. If this is set, the client gets no cancellation. */
  readonly late?: ((result: JsonObject) => void) | undefined;
}

/**
 * The connection to the client of a conversation: its running requests, and from now on ours.
 *
 * @param running The running requests of the client.
 */
export function connectionOf(link: ReplyChannel, running: InFlightRequests<Call>): Connection<Call> {
  return new Connection(new LinkEnd(link), running);
}

/**
 * Sends a request on the stream of a call, or of the conversation, and waits for the answer. The signal or the time
 * limit cancels it.
 *
 * @throws McpError the client's own error, or an internal error with the reason why no answer came.
 */
export async function question(
  method: string,
  params: JsonObject,
  { facts, signal, requestId }: QuestionOrigin,
  { connection, isReady, timeoutMs, late, onSent }: QuestionWay,
): Promise<JsonObject> {
  // Spec 2025-11-25, Lifecycle, Initialization: no requests before `notifications/initialized`.
  if (connection.ended === undefined && !isReady())
    throw new McpError('invalidRequest', `${method} cannot be asked before notifications/initialized`);
  const given = Object.keys(params).length === 0 ? undefined : params;
  const options = {
    revision: facts,
    signal,
    related: requestId,
    timeoutMs,
    tellCancelled: late === undefined,
    onLateAnswer: late && ((answer: ResponseMessage) => 'result' in answer && late(answer.result)),
  };
  try {
    const asked = connection.call(method, given, options);
    onSent?.(asked.id);
    return await asked.answer;
  } catch (error) {
    throw unanswered(error, { method, options });
  }
}
