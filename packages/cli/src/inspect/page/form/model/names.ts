/** Schemas of properties that are not named. */

import type { ObjectKind } from './shape.ts';
import type { Schema } from './schema-document.ts';

/** Lengths beyond which no name is compared with a pattern. */
const maxNameLength = 200;
const maxPatternLength = 200;

/** The schema of a property by its name. Where a pattern cannot be tried, anything goes: the server judges. */
export function schemaForName(others: ObjectKind['others'], name: string): Schema {
  const patterned = others.filter(({ pattern }) => pattern !== undefined);
  const matches = patterned.map(({ pattern }) => matchesPattern(pattern ?? '', name));
  const fitting = patterned.filter((_, index) => matches[index] === true).map(({ schema }) => schema);
  if (fitting.length === 1) return fitting[0] ?? true;
  if (fitting.length > 1) return joined(fitting);
  if (matches.includes(undefined)) return patterned.length === 1 ? (patterned[0]?.schema ?? true) : true;
  return others.find(({ pattern }) => pattern === undefined)?.schema ?? true;
}

const together = new WeakMap<object, Schema>();

/** One schema for several; the same one for the same first of them. */
function joined(schemas: readonly Schema[]): Schema {
  const [first] = schemas;
  if (typeof first !== 'object') return { allOf: schemas };
  let one = together.get(first);
  if (one === undefined) together.set(first, (one = { allOf: schemas }));
  return one;
}

/** Says whether a name matches a pattern of a stranger; nothing where to try it could take long. */
export function matchesPattern(pattern: string, name: string): boolean | undefined {
  if (pattern.length > maxPatternLength || name.length > maxNameLength) return undefined;
  // Groups nest repetitions, and several repetitions multiply: only what takes no time is tried.
  const bare = pattern.replaceAll(/\\./g, 'a').replaceAll(/\[[^[\]]*\]/g, 'a');
  if (/[()]/.test(bare) || /\\\d/.test(pattern) || (bare.match(/[*+{]/g) ?? []).length > 2) return undefined;
  try {
    return new RegExp(pattern, 'u').test(name);
  } catch {
    return undefined;
  }
}
