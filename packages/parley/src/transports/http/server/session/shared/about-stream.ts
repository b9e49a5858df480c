import { isObject, isRequestId, type RequestId } from '../../../../../jsonrpc/message.ts';

/** The longest id that the text about a stream names. */
const maxIdLength = 60_000;

/** Text that the store has about the stream for what belongs to no request. */
export const aboutSession: string = JSON.stringify({ session: true });

/**
 * Text that the store has about the stream of an answer. It names the request, so that another process can report that
 * its outcome is unknown. The stream of a batch names none, nor does that of a very long id.
 */
export function aboutAnswer(requests: readonly RequestId[]): string {
  const [id, ...others] = requests;
  const isNamed = id !== undefined && others.length === 0 && JSON.stringify(id).length <= maxIdLength;
  return JSON.stringify(isNamed ? { answers: id } : {});
}

/** The request that a stream answers; `undefined` if the text names none. */
export function requestAnswered(about: string): RequestId | undefined {
  const value: unknown = JSON.parse(about);
  const id = isObject(value) ? value['answers'] : undefined;
  return isRequestId(id) ? id : undefined;
}
