/** Tests of the keywords of JSON Schema on a value. */

import type { RunBudget } from './budget.ts';
import { hasDuplicates, textOf } from './equal.ts';
import type { Fits } from './fits.ts';
import { has, isKeywords, type Keywords } from './keywords.ts';
import { isMultipleOf } from './multiple.ts';

/** Keywords without an effect of their own. */
export const silent: ReadonlySet<string> = new Set(
  '$id $anchor $dynamicAnchor $defs definitions then else minContains maxContains additionalItems'.split(' '),
);

const typeTests: Readonly<Record<string, (value: unknown) => boolean>> = {
  array: Array.isArray,
  boolean: (value) => typeof value === 'boolean',
  integer: Number.isInteger,
  null: (value) => value === null,
  number: Number.isFinite,
  object: isKeywords,
  string: (value) => typeof value === 'string',
};

const onNumbers =
  (test: (value: number, bound: number) => boolean) =>
  (bound: number): Fits =>
  (value) =>
    typeof value !== 'number' || test(value, bound);
const onLengths =
  (test: (value: number, bound: number) => boolean) =>
  (bound: number): Fits =>
  (value, run) => {
    if (typeof value !== 'string') return true;
    // A character is one unit or two: most texts need not be counted.
    const most = test(value.length, bound);
    if (test(value.length / 2, bound) === most) return most;
    run.spend(value.length / 64);
    return test(lengthOf(value), bound);
  };
const onArrays =
  (test: (value: number, bound: number) => boolean) =>
  (bound: number): Fits =>
  (value) =>
    !Array.isArray(value) || test(value.length, bound);

const onObjects =
  (test: (value: number, bound: number) => boolean) =>
  (bound: number): Fits =>
  (value, run) => {
    if (!isKeywords(value)) return true;
    const names = Object.keys(value);
    run.spend(names.length / 8);
    return test(names.filter((name) => value[name] !== undefined).length, bound);
  };

const atLeast = (value: number, bound: number): boolean => value >= bound;
const atMost = (value: number, bound: number): boolean => value <= bound;

/** The test of `type` for values that came as JSON text: an integer beyond 2^53 may be another than was sent. */
export function receivedType(types: string | readonly string[]): Fits {
  const fits = simpleTests['type']?.(types as never);
  const isOther = [types].flat().includes('number') || ![types].flat().includes('integer');
  return (value, run) =>
    fits?.(value, run) !== false && (isOther || !Number.isInteger(value) || Number.isSafeInteger(value));
}

/** Keywords that hold no schemas; the document has found them well-formed. */
export const simpleTests: Readonly<Record<string, (keyword: never) => Fits>> = {
  type(types: string | readonly string[]) {
    const tests = [...new Set([types].flat())].map((type) => typeTests[type]);
    return (value) => tests.some((test) => test?.(value) === true);
  },
  const: (wanted: unknown) => amongst([wanted]),
  enum: (wanted: readonly unknown[]) => amongst(wanted),
  minimum: onNumbers(atLeast),
  maximum: onNumbers(atMost),
  exclusiveMinimum: onNumbers((value, bound) => value > bound),
  exclusiveMaximum: onNumbers((value, bound) => value < bound),
  minLength: onLengths(atLeast),
  maxLength: onLengths(atMost),
  multipleOf: onNumbers(isMultipleOf),
  minProperties: onObjects(atLeast),
  maxProperties: onObjects(atMost),
  minItems: onArrays(atLeast),
  maxItems: onArrays(atMost),
  uniqueItems: (wanted: boolean) => (value, run) => !wanted || !Array.isArray(value) || !hasDuplicates(value, run),
  required: (names: readonly string[]) => (value, run) => {
    if (!isKeywords(value)) return true;
    run.spend(names.length / 8);
    return names.every((name) => has(value, name));
  },
};

/** Texts, booleans, null, and numbers are equal where they are the same; arrays and objects by their text. */
function amongst(wanted: readonly unknown[]): Fits {
  const isPlain = (one: unknown): boolean => typeof one !== 'object' || one === null;
  const known = new Set(wanted.filter(isPlain));
  const texts = new Set(wanted.filter((one) => !isPlain(one)).map((one) => textOf(one)));
  return (value, run) => (isPlain(value) ? known.has(value) : texts.size > 0 && texts.has(textOf(value, run)));
}

/** The names of an object. To list them costs time, even where no more than the first is looked at. */
export function namesOf(value: Keywords, run: RunBudget): readonly string[] {
  const names = Object.keys(value);
  run.tick(names.length / 8);
  return names;
}

/** Code points (validation 6.3 of 2020-12: characters as RFC 8259 has them). */
function lengthOf(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

type Test = (raw: unknown) => Fits;

/** Keywords that hold schemas, given with those beside them. */
export const combined: Readonly<Record<string, (value: unknown, beside: Keywords, test: Test) => Fits>> = {
  allOf: (schemas, _, test) => {
    const fits = listed(schemas, test);
    return (value, run) => {
      run.spend(fits.length / 8);
      return fits.every((one) => one(value, run));
    };
  },
  anyOf: (schemas, _, test) => {
    const fits = listed(schemas, test);
    return (value, run) => {
      run.spend(fits.length / 8);
      return fits.some((one) => one(value, run));
    };
  },
  oneOf: (schemas, _, test) => {
    const fits = listed(schemas, test);
    return (value, run) => {
      run.spend(fits.length / 8);
      return fits.filter((one) => one(value, run)).length === 1;
    };
  },
  not: (schema, _, test) => {
    const fits = test(schema);
    return (value, run) => !fits(value, run);
  },
  if: (schema, beside, test) => {
    const fits = test(schema);
    const [yes, no] = [test(beside['then'] ?? true), test(beside['else'] ?? true)];
    return (value, run) => (fits(value, run) ? yes : no)(value, run);
  },
  items: (schema, { prefixItems, additionalItems = true }, test) => {
    // Draft-07 has lists here, which `additionalItems` goes with.
    const isList = Array.isArray(schema);
    const rest = test(isList ? additionalItems : schema);
    const first = listed(isList ? schema : prefixItems, test);
    return (value, run) => {
      if (!Array.isArray(value)) return true;
      run.spend(value.length / 8);
      return value.every((item, index) => (first[index] ?? rest)(item === undefined ? null : item, run));
    };
  },
  // Beside `items`, that one sees to them.
  prefixItems: (schemas, { items }, test) => {
    const fits = items === undefined ? listed(schemas, test) : [];
    return (value, run) => {
      if (!Array.isArray(value)) return true;
      run.spend(fits.length / 8);
      return fits.every((one, index) => index >= value.length || one(value[index] ?? null, run));
    };
  },
  contains: (schema, { minContains = 1, maxContains = Number.POSITIVE_INFINITY }, test) => {
    const fits = test(schema);
    // The document found both to be numbers.
    const [least, most] = [Number(minContains), Number(maxContains)];
    return (value, run) => {
      if (!Array.isArray(value)) return true;
      let count = 0;
      run.spend(value.length / 8);
      for (const item of value) {
        if (count > most || (count >= least && most === Number.POSITIVE_INFINITY)) break;
        if (fits(item === undefined ? null : item, run)) count++;
      }
      return count >= least && count <= most;
    };
  },
  dependentRequired: dependent,
  dependentSchemas: dependent,
  dependencies: dependent,
  properties: (schemas, _, test) => {
    const fits = Object.entries(Object(schemas)).map(([name, schema]) => [name, test(schema)] as const);
    return (value, run) => {
      if (!isKeywords(value)) return true;
      run.spend(fits.length / 8);
      return fits.every(([name, one]) => !has(value, name) || one(value[name], run));
    };
  },
  propertyNames: (schema, _, test) => {
    const fits = test(schema);
    return (value, run) =>
      !isKeywords(value) ||
      namesOf(value, run).every((name) => {
        run.spend(1 / 8);
        return value[name] === undefined || fits(name, run);
      });
  },
  additionalProperties: (schema, { properties }, test) => {
    const fits = test(schema);
    const known = new Set(Object.keys(Object(properties ?? {})));
    return (value, run) =>
      !isKeywords(value) ||
      namesOf(value, run).every((name) => {
        run.spend(1 / 8);
        return known.has(name) || value[name] === undefined || fits(value[name], run);
      });
  },
};

/** Test of a property for the object around it: a schema, or other properties. */
function dependent(wishes: unknown, _: Keywords, test: Test): Fits {
  const fits = Object.entries(Object(wishes)).map(([name, wish]) => {
    if (!Array.isArray(wish)) return [name, test(wish)] as const;
    const all: Fits = (value, run) => {
      run.spend(wish.length / 8);
      return isKeywords(value) && wish.every((other) => has(value, other));
    };
    return [name, all] as const;
  });
  return (value, run) => {
    if (!isKeywords(value)) return true;
    run.spend(fits.length / 8);
    return fits.every(([name, one]) => !has(value, name) || one(value, run));
  };
}

function listed(schemas: unknown, test: Test): readonly Fits[] {
  return Array.isArray(schemas) ? schemas.map(test) : [];
}
