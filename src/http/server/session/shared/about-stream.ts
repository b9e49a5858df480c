import { isObject, isRequestId, type RequestId } from '../../../../jsonrpc/message.ts';

/** The longest text about a stream. */
const longest = 65_536;

/** Text that the store has about the stream for what belongs to no request. */
export const aboutSession: string = JSON.stringify({ session: true });

/**
 * Text that the store has about the stream of an answer.
 *
 * @param repeatable Those of the requests that may be sent again without harm.
 */
export function aboutAnswer(requests: readonly RequestId[], repeatable: readonly RequestId[]): string {
  const text = JSON.stringify({ answers: requests, ...(repeatable.length > 0 && { repeatable }) });
  return text.length <= longest ? text : JSON.stringify({ answers: [] });
}

/** Requests that a stream answers; `undefined` for the one that answers none. */
export function requestsAnswered(about: string): readonly RequestId[] | undefined {
  return idsIn(about, 'answers');
}

/** Those requests that a stream answers which may be sent again without harm. */
export function repeatableOf(about: string): readonly RequestId[] {
  return idsIn(about, 'repeatable') ?? [];
}

function idsIn(about: string, name: 'answers' | 'repeatable'): readonly RequestId[] | undefined {
  const value: unknown = JSON.parse(about);
  const ids = isObject(value) ? value[name] : undefined;
  return Array.isArray(ids) ? ids.filter((id) => isRequestId(id)) : undefined;
}

/** Tells whether the text of an event is the response to a request. */
export function isResponseTo(data: string, id: RequestId): boolean {
  if (data === '') return false;
  const value: unknown = JSON.parse(data);
  return isObject(value) && value['id'] === id && ('result' in value || 'error' in value);
}
