/** JSON values as the compilers of the tables look at them. */

import { ExactNumber } from '../../json/exact-number.ts';

/** An object of JSON, with keys that a peer may have chosen. */
export type ObjectFields = Readonly<Record<string, unknown>>;

/** Tells whether a value is a JSON object: not null, not an array. */
export function isFields(value: unknown): value is ObjectFields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber);
}

/** Tells whether a value is a number, in whatever spelling. */
export function isNumber(value: unknown): boolean {
  return typeof value === 'number' || value instanceof ExactNumber;
}

/** Applies a function to every item; the same array when no item changed. */
export function mapItems(
  items: readonly unknown[],
  each: (item: unknown, index: number) => unknown,
): readonly unknown[] {
  let out: unknown[] | undefined;
  for (let index = 0; index < items.length; index++) {
    const before = items[index];
    const after = each(before, index);
    if (after === before) continue;
    out ??= items.slice();
    out[index] = after;
  }
  return out ?? items;
}

/** Applies a function to every value of an object; the same object when none changed, and `undefined` takes the key away. */
export function mapFields(fields: ObjectFields, each: (value: unknown, key: string) => unknown): ObjectFields {
  let changed = false;
  const entries: [string, unknown][] = [];
  for (const [key, before] of Object.entries(fields)) {
    const after = each(before, key);
    if (after !== before) changed = true;
    if (after !== undefined) entries.push([key, after]);
  }
  return changed ? Object.fromEntries(entries) : fields;
}
