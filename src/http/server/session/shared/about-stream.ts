import { isObject, isRequestId, type RequestId, isResponse } from '../../../../jsonrpc/message.ts';

/** The longest text about a stream. */
const longest = 65_536;

/** Text that the store has about the stream for what belongs to no request. */
export const aboutSession: string = JSON.stringify({ session: true });

/**
 * Text that the store has about the stream of an answer. Where it would be too long it says of none that it may be sent again, and leaves out ids that take more
 * than their share of it: those are answered by the process that has them alone.
 *
 * @param repeatable Those of the requests that may be sent again without harm.
 */
export function aboutAnswer(requests: readonly RequestId[], repeatable: readonly RequestId[]): string {
  const text = JSON.stringify({ answers: requests, ...(repeatable.length > 0 && { repeatable }) });
  if (text.length <= longest) return text;
  const share = (longest - '{"answers":[]}'.length) / requests.length;
  return JSON.stringify({ answers: requests.filter((id) => JSON.stringify(id).length < share) });
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

/** The requests that are answered by the texts of events. */
export function answeredIn(texts: readonly string[]): ReadonlySet<unknown> {
  const values = texts.filter((text) => text !== '').map((text): unknown => JSON.parse(text));
  return new Set(values.flatMap((value) => (isResponse(value) ? [value['id']] : [])));
}
