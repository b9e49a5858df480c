/** Schemas of dialects that are not supported, as those of the nearest one that is. */

import { dialectOf } from '../document.ts';
import { isKeywords, mapSchemas, type Keywords } from '../keywords.ts';

/** Reading of a schema whose dialect is not supported. */
export interface NearestReading {
  /** The dialect as the schema names it; left out where it names none and has what only draft-07 has. */
  readonly declared?: string;
  /** The schema in the nearest dialect; `undefined` where none is near. */
  readonly read?: { readonly schema: unknown; readonly dialect: string };
}

/** Depth to which schemas are rewritten; those that nest deeper are used in no case. */
const deepest = 64;

/** Reads a schema in the nearest dialect; `undefined` where its own is supported. */
export function nearestOf(schema: unknown): NearestReading | undefined {
  if (!isKeywords(schema)) return undefined;
  const older = asDraft07(schema);
  if (older !== undefined) return { read: { schema: older, dialect: 'draft-07' } };
  if (dialectOf(schema) !== undefined) return undefined;
  const { $schema, ...rest } = schema;
  const declared = String($schema).slice(0, 200);
  if (/^https?:\/\/json-schema\.org\/draft\/2019-09\/(?:hyper-)?schema#?$/.test(declared))
    return { declared, read: { schema: rewritten(rest, from2019), dialect: '2020-12' } };
  if (/^https?:\/\/json-schema\.org\/draft-0[346]\/(?:hyper-)?schema#?$/.test(declared)) {
    const $draft07 = 'http://json-schema.org/draft-07/schema#';
    return { declared, read: { schema: { ...rewritten(rest, fromDraft04), $schema: $draft07 }, dialect: 'draft-07' } };
  }
  if (/^https?:\/\/json-schema\.org\/schema#?$/.test(declared))
    return { declared, read: { schema: rest, dialect: '2020-12' } };
  return { declared };
}

/**
 * A schema that names no dialect and has a list of schemas in `items`, which only draft-07 has, as one of draft-07; `undefined`
 * for any other.
 */
function asDraft07(schema: unknown): Keywords | undefined {
  if (!isKeywords(schema) || schema['$schema'] !== undefined || !hasTuple(schema, new Set())) return undefined;
  return { ...schema, $schema: 'http://json-schema.org/draft-07/schema#' };
}

function hasTuple(schema: unknown, seen: Set<unknown>, depth = 0): boolean {
  if (!isKeywords(schema) || seen.has(schema) || seen.size > maxSearched || depth > deepestSearched) return false;
  seen.add(schema);
  let found = Array.isArray(schema['items']);
  for (const [name, value] of Object.entries(schema))
    mapSchemas(name, value, (one) => (found ||= hasTuple(one, seen, depth + 1)));
  return found;
}

/** Subschemas among which a list is looked for, and their depth; no larger schema is used. */
const [maxSearched, deepestSearched] = [10_000, 64];

function rewritten(schema: Keywords, rewrite: (keywords: Keywords) => Keywords, depth = 0): Keywords {
  if (depth > deepest) return schema;
  const within = (one: unknown): unknown => (isKeywords(one) ? rewritten(one, rewrite, depth + 1) : one);
  return Object.fromEntries(
    Object.entries(rewrite(schema)).map(([name, value]) => [name, mapSchemas(name, value, within) ?? value]),
  );
}

/** In 2019-09, a list in `items` is what is called `prefixItems` since, and `additionalItems` is about the others. */
function from2019(keywords: Keywords): Keywords {
  const { items, additionalItems, ...rest } = keywords;
  if (!Array.isArray(items)) return keywords;
  return { ...rest, prefixItems: items, ...(additionalItems === undefined ? {} : { items: additionalItems }) };
}

/** In draft-04, `id` is what is called `$id` since, and exclusive bounds say so of the bound beside them. */
function fromDraft04(keywords: Keywords): Keywords {
  const { id, ...rest } = keywords;
  const bounds = [
    ['minimum', 'exclusiveMinimum'],
    ['maximum', 'exclusiveMaximum'],
  ] as const;
  let made: Keywords = typeof id === 'string' && rest['$id'] === undefined ? { ...rest, $id: id } : keywords;
  for (const [bound, exclusive] of bounds) {
    const { [bound]: value, [exclusive]: isExclusive, ...others } = made;
    if (typeof isExclusive !== 'boolean') continue;
    made = value === undefined ? others : { ...others, [isExclusive ? exclusive : bound]: value };
  }
  return made;
}
