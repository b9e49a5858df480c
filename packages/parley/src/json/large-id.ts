/**
 * Ids and progress tokens that are whole numbers beyond 2^53. JavaScript has no number for them. They are kept as a text
 * with a mark before the digits, so that they compare and travel like every other id, and are written as the digits that came.
 */

import { ExactNumber, plainNumber } from './exact-number.ts';

/** A noncharacter of Unicode, which no id of a peer may begin with. */
const mark = '\uFDD0';

/** The text of messages, with the digits of large ids in it. */
export function withLargeIds(text: string): string {
  // Nearly all texts have no such character, which the runtime mostly sees without a search.
  if (!text.includes(mark)) return text;
  return text.replaceAll(
    /"(id|requestId|progressToken|io\.modelcontextprotocol\/subscriptionId)":"\uFDD0(-?\d+)"/g,
    '"$1":$2',
  );
}

/** Tells whether a value in the place of an id needs the text that it came in, or may not be one. */
export function isDoubtfulId(value: unknown): boolean {
  if (typeof value === 'number') return Number.isInteger(value) && !Number.isSafeInteger(value);
  return typeof value === 'string' && value.startsWith(mark);
}

/**
 * An id that was read with its spelling, as it is kept: a large number as marked text, any other as a plain one. A text with
 * the mark is none.
 */
export function settledId(value: unknown): unknown {
  if (!isDoubtfulId(plainNumber(value))) return plainNumber(value);
  if (typeof value === 'string') return null;
  // A number that is a plain one is spelled as JavaScript spells it.
  const text = String(value);
  return /^-?\d+$/.test(text) ? mark + text : plainNumber(value);
}

/** A large id as a number with its spelling, for software that passes it on; any other id as it is. */
export function exactId<Id extends string | number>(id: Id): Id | ExactNumber {
  return typeof id === 'string' && id.startsWith(mark) ? new ExactNumber(id.slice(mark.length)) : id;
}

/** The digits of a large id; any other id as it is. */
export function digitsOf<Id extends string | number>(id: Id): Id | string {
  return typeof id === 'string' && id.startsWith(mark) ? id.slice(mark.length) : id;
}
