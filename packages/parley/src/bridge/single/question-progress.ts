import { settledId } from '../../json/large-id.ts';
import { isObject, isRequestId } from '../../jsonrpc/message.ts';
import type { ServerSession } from '../../server/runtime/server-core.ts';
import { withDeclaredContext } from '../upstream/sampling-context.ts';
import type { JsonObject, ProgressToken } from '../../protocol/features/common.ts';

/** Question that waits for the client of a session. */
interface Waiting {
  /** The server that asked, or an object that stands for it. */
  readonly by: object;
  /** Token that the server gave it. */
  readonly token: ProgressToken;
}

/** Question as the client of a session is asked it. */
export interface RelayedQuestion {
  readonly params: JsonObject;
  /** Called when the question was answered or cancelled. */
  done(): void;
}

const ofSession = Symbol('progress of questions');

/**
 * Gives a question a progress token that no other open question to the client has, from this or another server: its own
 * token if that is free. (Spec, Progress: tokens are unique among the active requests.) The client gets no context that
 * it did not declare.
 */
export function relayedQuestion(
  session: ServerSession,
  { method, params: sent }: { readonly method: string; readonly params: JsonObject },
  by: object,
): RelayedQuestion {
  const params = withDeclaredContext(method, sent, session.revision, session.client);
  const { _meta: meta } = params;
  const given = isObject(meta) ? meta['progressToken'] : undefined;
  const token = settledId(given);
  if (!isObject(meta) || !isRequestId(token)) return { params, done: () => undefined };
  const waiting = waitingFor(session);
  const progressToken = waiting.has(token) ? freeToken(waiting) : token;
  waiting.set(progressToken, { by, token });
  return {
    params: progressToken === given ? params : { ...params, _meta: { ...meta, progressToken } },
    done: () => void waiting.delete(progressToken),
  };
}

/**
 * Converts progress of a question for the server that asked it; `undefined` if the token belongs to no question of that
 * server.
 */
export function progressFor(session: ServerSession, params: JsonObject, by: object): JsonObject | undefined {
  const { progressToken } = params;
  const question = isRequestId(progressToken) ? waitingFor(session).get(progressToken) : undefined;
  return question?.by === by ? { ...params, progressToken: question.token } : undefined;
}

function waitingFor({ state }: ServerSession): Map<ProgressToken, Waiting> {
  // Only this map is stored under the symbol.
  const known = state.get(ofSession) as Map<ProgressToken, Waiting> | undefined;
  if (known !== undefined) return known;
  const waiting = new Map<ProgressToken, Waiting>();
  state.set(ofSession, waiting);
  return waiting;
}

/** Counts up from how many there are: of so many and one tokens one is free. */
function freeToken(waiting: ReadonlyMap<ProgressToken, unknown>): ProgressToken {
  let token = waiting.size;
  while (waiting.has(token)) token++;
  return token;
}
