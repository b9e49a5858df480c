import type { RequestId, ResponseMessage } from '../../../jsonrpc/message.ts';
import { Connection } from '../../../connection/connection.ts';
import type { Running } from '../../../connection/running.ts';
import { McpError } from '../../../protocol/error.ts';
import type { JsonObject } from '../../../protocol/features/common.ts';
import type { Revision } from '../../../protocol/revision.ts';
import type { Call } from '../call.ts';
import type { Link } from '../endpoint.ts';
import type { ServerSession } from '../host.ts';
import { LinkEnd, unanswered } from '../link-end.ts';
import type { PassingPlace } from '../middleware/passing.ts';

/** Origin of a question: a call, or the conversation as a whole. */
export interface QuestionOrigin {
  readonly facts: Revision;
  /** Gives the question up. */
  readonly signal: AbortSignal;
  /** The request whose stream carries the question; left out for the conversation as a whole. */
  readonly requestId?: RequestId | undefined;
  /** True when nobody waits for the answer any more, though nobody gave it up. */
  readonly over?: boolean | undefined;
  /** The handshake conversation. */
  readonly session?: ServerSession | undefined;
}

/** The way to ask one handshake client. */
export interface QuestionWay {
  readonly connection: Connection<Call>;
  /** Tells whether the client said that it is ready; before, nothing may be asked. */
  isReady(): boolean;
  /** Time that the client may take to answer, or to report progress; 0 and Infinity mean no limit. */
  readonly timeoutMs: number;
  /** Listeners to what the client tells of tasks of its own, by their ids. */
  readonly told?: Map<string, () => void>;
  /** The middleware that questions pass, where there is some. */
  readonly passed?: PassingPlace | undefined;
  /** Hears the id under which a question is sent. */
  readonly onSent?: ((id: RequestId) => void) | undefined;
  /** Takes an answer that comes when nobody waits any more. Who is heard like this is not told that the question is given up. */
  readonly late?: ((result: JsonObject) => void) | undefined;
}

/**
 * The connection of a conversation whose client is asked: the requests of the client that run, and from now on ours.
 *
 * @param running The requests of the client that run.
 */
export function connectionOf(link: Link, running: Running<Call>): Connection<Call> {
  return new Connection(new LinkEnd(link), running);
}

/**
 * Sends a request on the stream of a call, or of the conversation, and waits for the answer; it is cancelled when its
 * signal says so or the time is up.
 *
 * @throws McpError the client's own error, or an internal error that says why no answer came.
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
