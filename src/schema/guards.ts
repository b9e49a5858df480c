/** What keeps typebox within bounds, and to the specification where it strays from it. */

import type { Budget } from './budget.ts';
import { isKeywords, mapSchemas, type Keywords } from './keywords.ts';
import type { Purse } from './linear/scan.ts';
import type { Pattern } from './pattern.ts';

/** What a check has left, and the names of the properties in the value. */
export type Run = Pick<Budget, 'names' | 'spend' | 'tick'>;

/** A function among the keywords of typebox; it runs after them. */
export interface Refinement {
  check(value: unknown): boolean;
  error(): string;
}

const unbounded: Purse = { spend: () => {} };

/** Looks for a pattern, at the expense of a check. */
export function matches(pattern: Pattern, text: string, run: Run | undefined): boolean {
  run?.spend(1);
  return pattern.test(text, run ?? unbounded);
}

/** `pattern`, with the engine that is right for who wrote it. */
export function matching(pattern: Pattern, source: string, run: Run | undefined): Refinement {
  return {
    check: (value) => typeof value !== 'string' || matches(pattern, value, run),
    error: () => `must match the pattern ${source.slice(0, 200)}`,
  };
}

/** `uniqueItems`. Typebox compares hashes, which are the same for `[[1], 2]` and `[[1, 2]]`. */
export function unique(run: Run | undefined): Refinement {
  return {
    check: (value) => !Array.isArray(value) || !hasDuplicates(value, run),
    error: () => 'must not have duplicate items',
  };
}

/** Whether an item occurs twice. */
export function hasDuplicates(items: readonly unknown[], run: Run | undefined): boolean {
  const plain = new Set<unknown>();
  const written = new Set<string>();
  return items.some((item) => {
    const isPlain = typeof item !== 'object' || item === null;
    const [seen, key]: [Set<unknown>, unknown] = isPlain ? [plain, item] : [written, textOf(item, run)];
    run?.spend(1 + (typeof key === 'string' ? key.length / 64 : 0));
    const isNew = !seen.has(key);
    seen.add(key);
    return !isNew;
  });
}

/** A value as text, whatever the order of its properties; what is undefined is not sent. */
export function textOf(value: unknown, run: Run | undefined): string {
  run?.tick(typeof value === 'string' ? 1 + value.length / 64 : 1);
  if (Array.isArray(value)) return `[${value.map((item) => textOf(item, run)).join()}]`;
  if (!isKeywords(value)) return JSON.stringify(value);
  const names = Object.keys(value).filter((name) => value[name] !== undefined);
  if (names.length > 1) names.sort();
  return `{${names.map((name) => `${JSON.stringify(name)}:${textOf(value[name], run)}`).join()}}`;
}

/** Keywords that cost the same for every value; a small schema of them is charged to the schema around it. */
const cheap = new Set('type const enum minimum maximum exclusiveMinimum exclusiveMaximum multipleOf'.split(' '));

/**
 * Charges every application of a schema, before it begins, by the size of the schema and of the value. Within `allOf`,
 * what a subschema that fails has looked at is forgotten, as it must be.
 */
export function charged(schema: Keywords, names: boolean, run: Run): object {
  const own = Object.entries(schema).map(([name, value]) => mapSchemas(name, value, () => 'a subschema') ?? value);
  const weight = 1 + JSON.stringify(own).length / 32;
  const isCheap = weight < 4 && Object.keys(schema).every((name) => cheap.has(name));
  const charge: Refinement = {
    check(value) {
      if (isCheap) run.tick();
      else run.spend((weight + (names ? run.names.size / 32 : 0)) * (1 + sizeOf(value)));
      return true;
    },
    error: () => '',
  };
  return { allOf: [{ '~refine': [charge] }, exceptArrays(schema)] };
}

function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length / 256;
  return (Array.isArray(value) ? value.length : isKeywords(value) ? Object.keys(value).length : 0) / 8;
}

/** `patternProperties` as `properties`, by the names in the value: typebox has only the platform's engine for them. */
export function settleNames(
  schema: Record<string, unknown>,
  patterns: readonly (readonly [Pattern, unknown])[],
  run: Run,
): void {
  const fixed = Object.entries(Object(schema['properties']));
  let names: Run['names'] | undefined;
  let settled: Keywords = {};
  const settle = (): Keywords => {
    const merged = new Map<string, unknown>(fixed);
    for (const name of run.names) {
      const schemas = patterns.filter(([pattern]) => matches(pattern, name, run)).map(([, item]) => item);
      if (schemas.length > 0) merged.set(name, { allOf: [...schemas, merged.get(name) ?? true] });
    }
    return Object.fromEntries(merged);
  };
  Object.defineProperty(schema, 'properties', {
    enumerable: true,
    get() {
      if (names !== run.names) settled = settle();
      names = run.names;
      return settled;
    },
  });
}

/** Typebox takes the items of an array for properties that `unevaluatedProperties` must look at. */
export function exceptArrays(schema: object): object {
  if (!('unevaluatedProperties' in schema)) return schema;
  const { unevaluatedProperties: _, ...others } = Object.getOwnPropertyDescriptors(schema);
  const isArray = { type: 'array' };
  return {
    allOf: [
      { if: isArray, else: schema },
      { if: { not: isArray }, else: Object.defineProperties({}, others) },
    ],
  };
}

/**
 * What a keyword's subschema looked at in an item or property must not count for the array or object around it, as it
 * does in typebox. Doubly negated, a schema says the same and notes nothing.
 */
export function isolated(name: string, value: unknown): unknown {
  const leaks = ['contains', 'unevaluatedItems', 'unevaluatedProperties'].includes(name) && isKeywords(value);
  return leaks ? { not: { not: value } } : value;
}
