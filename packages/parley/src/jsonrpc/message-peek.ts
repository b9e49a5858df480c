/** Glimpse of a message that cannot be read as a whole, from its two ends: it is too long, or no JSON in between. */

import { isRequestId, type RequestId } from './message.ts';

/** Kind of a message, and its id where one end shows it. */
export interface MessagePeek {
  readonly kind: 'request' | 'answer';
  readonly id: RequestId | undefined;
}

/** Length of each end that is looked at, in bytes or characters. */
export const glimpsed = 512;

/** The members of a message that are objects, and what a message with one is. */
const kinds: ReadonlyMap<string, MessagePeek['kind']> = new Map([
  ['params', 'request'],
  ['result', 'answer'],
  ['error', 'answer'],
]);

/**
 * Looks at a message from its ends; undefined for what does not begin like one, and where the ends contradict each other.
 *
 * @param end The end of the same text; it may overlap the beginning.
 */
export function peekMessage(beginning: string, end: string): MessagePeek | undefined {
  const { members, then } = opening(beginning);
  const kind = kinds.get(then);
  if (kind === undefined) return undefined;
  for (const [name, value] of closing(end)) {
    if (members.has(name) && members.get(name) !== value) return undefined;
    members.set(name, value);
  }
  if (kind === 'answer' && members.has('method')) return undefined;
  const id = members.get('id');
  return { kind, id: isRequestId(id) ? id : undefined };
}

/** Glimpse of the message that a text was to be that is none. */
export function peekText(text: string): MessagePeek | undefined {
  return peekMessage(text.slice(0, glimpsed), text.slice(-glimpsed));
}

/** The id of the request that a message was to answer; null for none, undefined where that cannot be told. */
export function answeredBy(seen: MessagePeek | undefined): RequestId | null | undefined {
  return seen?.kind === 'request' ? null : seen?.id;
}

/** The members that a message begins with, and the name of the first that is neither a text nor a whole number. */
function opening(text: string): { readonly members: Map<string, unknown>; readonly then: string } {
  const members = new Map<string, unknown>();
  let rest = text.replace(/^\s*\{/, '');
  if (rest === text) return { members, then: '' };
  for (;;) {
    const [name, key = ''] = /^\s*"(\w{1,20})"\s*:/.exec(rest) ?? [''];
    rest = rest.slice(name.length);
    const [value] = /^\s*(?:"[^"\\]{0,200}"|-?\d{1,16})\s*,/.exec(rest) ?? [];
    if (name === '' || value === undefined) return { members, then: key };
    members.set(key, scalar(value.slice(0, -1)));
    rest = rest.slice(value.length);
  }
}

/**
 * The members that a message ends with. The last brace ends the message, so that what stands right before it is a member
 * of the message itself, however deep the rest nests; a quote within a text that reads like one has a backslash before it.
 */
function closing(text: string): ReadonlyMap<string, unknown> {
  const members = new Map<string, unknown>();
  const trimmed = text.trimEnd();
  if (!trimmed.endsWith('}')) return members;
  let rest = trimmed.slice(0, -1);
  for (;;) {
    const comma = rest.lastIndexOf(',');
    const [, name, value] =
      /^\s*"(id|jsonrpc|method)"\s*:\s*("[^"\\]{0,200}"|-?\d{1,16})\s*$/.exec(rest.slice(comma + 1)) ?? [];
    if (comma < 0 || name === undefined || value === undefined) return members;
    if (!members.has(name)) members.set(name, scalar(value));
    rest = rest.slice(0, comma);
  }
}

/** A text without escapes, or a whole number; undefined for another (a number that JSON does not have). */
function scalar(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
