/** Schemas of others that hold what cannot be read here, such as a pattern of another language: the rest still counts. */

import { SchemaError } from '../document.ts';
import { compileSchema, type CompiledSchema, type CompileOptions } from '../json-schema.ts';
import { isKeywords, keywordsThatCount, mapSchemas, patternsOf } from '../keywords.ts';
import { nearestOf } from './nearest.ts';
import { peersAllowance, peersPatterns } from '../pattern.ts';

/** Part of a peer's schema that can be used, ready to check values: it refuses none that the schema allows. */
export interface UsableSchema extends CompiledSchema {
  /** Words for what cannot be used, and why; left out where all of it can. */
  readonly unused?: string;
  /** True if nothing of it can be used. */
  readonly ignored?: boolean;
}

/**
 * Makes what can be used of a schema ready to check values. One whose dialect is not supported is read in the nearest that
 * is, or not at all.
 */
export async function compileUsable(schema: unknown, options: CompileOptions = {}): Promise<UsableSchema> {
  const nearest = nearestOf(schema);
  if (nearest !== undefined) {
    const { declared, read } = nearest;
    const dialect =
      declared === undefined
        ? 'has a list in "items" and no "$schema"'
        : `is of the dialect ${JSON.stringify(declared)}, which is not supported`;
    if (read === undefined)
      return { check: () => [], ignored: true, unused: `${dialect}: nothing is validated against it` };
    const { unused, check, ignored } = await compileUsable(read.schema, options);
    return {
      check,
      ...(ignored === true && { ignored }),
      unused: `${dialect}: it is read as ${read.dialect}${unused === undefined ? '' : `, and ${unused}`}`,
    };
  }
  try {
    return await compileSchema(schema, options);
  } catch (error) {
    if (!(error instanceof SchemaError)) throw error;
    const rest = await compileSchema(loosened(schema), options).catch(() => undefined);
    return rest === undefined
      ? {
          check: () => [],
          ignored: true,
          unused: `cannot be used, so it checks no result: ${error.message}`,
        }
      : {
          check: (value) => rest.check(value),
          unused: `cannot be used as a whole; results are validated against the rest of it: ${error.message}`,
        };
  }
}

/** Depth to which schemas are loosened; those that nest deeper are used in no case. */
const deepest = 64;

/**
 * Keywords that may allow less where a subschema allows more, or that count what others allowed: they cannot stay where
 * something is left out.
 */
const turning =
  'not oneOf if then else contains minContains maxContains unevaluatedItems unevaluatedProperties additionalItems'.split(
    ' ',
  );

/** A schema without its unreadable patterns, and what would mean something else without them: it allows what the given one does. */
function loosened(schema: unknown): unknown {
  const isReadable = readability();
  const loose = (raw: unknown, depth: number): unknown => {
    if (!isKeywords(raw) || depth > deepest) return raw;
    const isUnreadable = (name: string): boolean => !patternsOf(name, raw[name]).every(isReadable);
    const gone = new Set(turning);
    if (isUnreadable('pattern')) gone.add('pattern');
    // Which properties such a pattern is about is not known, nor which are left to `additionalProperties`.
    if (isUnreadable('patternProperties')) gone.add('patternProperties').add('additionalProperties');
    // What counts in neither dialect could only be the target of references, which would find it as it was.
    const kept = Object.entries(keywordsThatCount(raw, 'draft-2020-12')).filter(([name]) => !gone.has(name));
    const { $schema } = raw;
    return Object.fromEntries([
      ...($schema === undefined ? [] : [['$schema', $schema] as const]),
      ...kept.map(([name, value]) => [name, mapSchemas(name, value, (one) => loose(one, depth + 1)) ?? value] as const),
    ]);
  };
  return loose(schema, 0);
}

/** Makes the test whether a pattern can be used beside those before it. */
function readability(): (pattern: string) => boolean {
  const admit = peersAllowance();
  const read = peersPatterns();
  return (pattern) => {
    try {
      admit(pattern);
      read(pattern);
      return true;
    } catch {
      return false;
    }
  };
}
