/** What is read in the text of messages, without parsing it. */

/** Tells whether a message is no request, nor several together. */
import type { FetchRequest } from '../../../packages/parley/src/jsonrpc/fetch.ts';
export function asksNothing({ body }: FetchRequest): boolean {
  return body !== undefined && !/"id":.*"method"|"method":.*"id":/.test(body) && !body.startsWith('[');
}

/** The ids of questions in events, where they are those of one of several processes. */
export function questionsIn(text: string): readonly string[] {
  if (!text.includes('"method":')) return [];
  return [...text.matchAll(/"id":"([0-9a-f]{18}-\d+-\d+)","method"/g)].map(([, id = '']) => id);
}

/** The method of a message, with a space after it; an answer has none. */
export function methodIn(body: string | undefined): string {
  return body === undefined ? '' : `${/"method":"([^"]*)"/.exec(body)?.[1] ?? 'answer'} `;
}
