import { JsonError, parseJson } from '../../../parley/src/json/parse.ts';
import { peekText } from '../../../parley/src/jsonrpc/message-peek.ts';
import { isObject, type RequestId } from '../../../parley/src/jsonrpc/message.ts';
import { metaKey } from '../../../parley/src/protocol/meta-key.ts';

/** Facts of a message that a recording has beside its text. */
export interface MessageFacts {
  readonly id?: RequestId | null;
  readonly method?: string;
  /** Requests in it: several in a batch. */
  readonly requests: readonly { readonly id: RequestId; readonly method: string }[];
  /** Ids of the responses in it. */
  readonly responses: readonly RequestId[];
  /** Ids of requests that it cancels. */
  readonly cancelled: readonly RequestId[];
  /** Revision that it claims (`_meta`), and that it settles (`initialize`). */
  readonly claimed?: string;
  readonly settled?: string;
  /** Reason why it is no message. */
  readonly problem?: string;
}

const none: MessageFacts = { requests: [], responses: [], cancelled: [] };

/** Most messages of a batch that are looked at. */
const maxParts = 1_000;

/** Reads what a text says of itself; whatever it is, this returns. */
export function messageFacts(text: string): MessageFacts {
  let value: unknown;
  try {
    value = parseJson(text);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    const seen = peekText(text);
    // The caller of an unreadable answer waits in vain.
    const answer = seen?.kind === 'answer' && seen.id !== undefined ? factsOfAnswerTo(seen.id) : none;
    return { ...answer, problem: error.message };
  }
  const parts = Array.isArray(value) ? value.slice(0, maxParts) : [value];
  const objects = parts.filter(isObject);
  if (objects.length === 0) return { ...none, problem: 'no JSON-RPC message' };
  const [first] = objects;
  const single = Array.isArray(value) || first === undefined ? {} : first;
  const id = single['id'];
  const method = single['method'];
  return {
    ...(isId(id) || id === null ? { id } : {}),
    ...(typeof method === 'string' ? { method } : {}),
    requests: objects.flatMap((part) =>
      isId(part['id']) && typeof part['method'] === 'string' ? [{ id: part['id'], method: part['method'] }] : [],
    ),
    responses: objects.flatMap((part) => (isId(part['id']) && part['method'] === undefined ? [part['id']] : [])),
    cancelled: objects.flatMap(cancelledIn),
    ...revisionsIn(single),
  };
}

function cancelledIn({ method, params }: Readonly<Record<string, unknown>>): readonly RequestId[] {
  const id = method === 'notifications/cancelled' && isObject(params) ? params['requestId'] : undefined;
  return isId(id) ? [id] : [];
}

/** Facts of a message of which nothing is known but which request it answers. */
export function factsOfAnswerTo(id: RequestId): MessageFacts {
  return { ...none, id, responses: [id] };
}

/** Reads what the ends of a text that is too long to be read say of it: which request it answers. */
export function factsOfLong(text: string): MessageFacts {
  const seen = peekText(text);
  if (seen?.id === undefined) return none;
  return { ...none, id: seen.id, responses: seen.kind === 'answer' ? [seen.id] : [] };
}

function revisionsIn(message: Readonly<Record<string, unknown>>): Pick<MessageFacts, 'claimed' | 'settled'> {
  const { params, result } = message;
  const meta = isObject(params) ? params['_meta'] : undefined;
  const claimed = isObject(meta) ? meta[metaKey.protocolVersion] : undefined;
  const settled = isObject(result) ? result['protocolVersion'] : undefined;
  return { ...(isName(claimed) ? { claimed } : {}), ...(isName(settled) ? { settled } : {}) };
}

function isId(value: unknown): value is RequestId {
  return typeof value === 'number' || (typeof value === 'string' && value.length <= 1_000);
}

/** Revision names are dates. A longer text is not one. */
function isName(value: unknown): value is string {
  return typeof value === 'string' && value.length <= 40;
}
