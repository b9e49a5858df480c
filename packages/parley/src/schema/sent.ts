/** Values as they are when they are sent: without what JSON leaves out, and with dates as their text. */

import { isKeywords } from './keywords.ts';

/** A value, and how many values there are in it, itself included. */
export interface SentValue {
  readonly value: unknown;
  readonly parts: number;
}

/** A value as it is sent: the same one where nothing in it says otherwise. What is undefined in an object stays there. */
export function asSent(given: unknown): SentValue {
  const parts = partsOf(given);
  if (parts !== undefined) return { value: given, parts };
  const value = copied(given);
  return { value, parts: partsOf(value) ?? 1 };
}

/** Number of values; undefined where one of them is sent in another form. */
function partsOf(value: unknown): number | undefined {
  if (typeof value !== 'object' || value === null)
    return typeof value === 'function' || typeof value === 'symbol' ? undefined : 1;
  if ('toJSON' in value && typeof value.toJSON === 'function') return undefined;
  let sum = 1;
  const members = value as Readonly<Record<string, unknown>>;
  // Of an object with very many members, `Object.values` takes longer than to parse it took.
  for (const key of Object.keys(members)) {
    const parts = partsOf(members[key]);
    if (parts === undefined) return undefined;
    sum += parts;
  }
  return sum;
}

function copied(given: unknown): unknown {
  const value = said(given);
  if (Array.isArray(value)) return Array.from(value, (item) => copied(item) ?? null);
  if (!isKeywords(value)) return value;
  const copy: Record<string, unknown> = Object.create(null);
  for (const key of Object.keys(value)) {
    const field = copied(value[key]);
    if (field !== undefined) copy[key] = field;
  }
  return copy;
}

/** Value as JSON has it, of one that says so itself, such as a date; what JSON leaves out is nothing. */
function said(value: unknown): unknown {
  if (typeof value === 'function' || typeof value === 'symbol') return undefined;
  if (typeof value !== 'object' || value === null || !('toJSON' in value)) return value;
  return typeof value.toJSON === 'function' ? value.toJSON() : value;
}
