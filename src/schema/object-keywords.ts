/** Keywords about the properties of objects. */

import { isJsonObject, propertiesOf, propertyOf } from './json-value.ts';
import { countOf, entriesOf, isMatch, textsOf, type Keyword } from './keyword.ts';
import { below, evaluate, fail, spend, type Part, type Path, type Run, type Seen } from './run.ts';

type ObjectPart = (value: object, at: Path | undefined, run: Run, seen: Seen | undefined) => boolean;

/** The keywords by name. */
export const objectKeywords: Readonly<Record<string, Keyword>> = {
  required(value, schema) {
    return everyName(textsOf(value, schema), 'is required');
  },
  minProperties: size('at least', (count, bound) => count >= bound),
  maxProperties: size('at most', (count, bound) => count <= bound),
  dependentRequired(value, schema) {
    const rules = entriesOf(value, schema).map(([key, names]) =>
      dependency(key, everyName(textsOf(names, schema), `is required beside ${key}`)),
    );
    return inTurn(rules);
  },
  dependentSchemas(value, schema) {
    return inTurn(entriesOf(value, schema).map(([key, raw]) => dependency(key, applied(schema.node(raw)))));
  },
  dependencies(value, schema) {
    const rules = entriesOf(value, schema).map(([key, rule]) =>
      dependency(
        key,
        Array.isArray(rule)
          ? everyName(textsOf(rule, schema), `is required beside ${key}`)
          : applied(schema.node(rule)),
      ),
    );
    return inTurn(rules);
  },
  propertyNames(value, schema) {
    const node = schema.node(value);
    return onObject((object, at, run) =>
      every(propertiesOf(object), run, (key) => evaluate(node, key, below(run, at, key), run)),
    );
  },
  properties(value, schema) {
    const nodes = entriesOf(value, schema).map(([key, raw]) => [key, schema.node(raw)] as const);
    return onObject((object, at, run, seen) =>
      every(nodes, run, ([key, node]) => {
        const property = propertyOf(object, key);
        if (property === undefined) return true;
        seen?.keys.add(key);
        return evaluate(node, property, below(run, at, key), run);
      }),
    );
  },
  patternProperties(value, schema) {
    const rules = entriesOf(value, schema).map(([source, raw]) => [schema.pattern(source), schema.node(raw)] as const);
    return onObject((object, at, run, seen) =>
      every(propertiesOf(object), run, (key) =>
        every(rules, run, ([matches, node]) => {
          spend(run, 1);
          if (!isMatch(matches, key, run)) return true;
          seen?.keys.add(key);
          return evaluate(node, propertyOf(object, key), below(run, at, key), run);
        }),
      ),
    );
  },
  additionalProperties(value, schema) {
    const node = schema.node(value);
    const { properties, patternProperties } = schema.keywords;
    const known = new Set(properties === undefined ? [] : entriesOf(properties, schema).map(([key]) => key));
    const patterns =
      patternProperties === undefined
        ? []
        : entriesOf(patternProperties, schema).map(([source]) => schema.pattern(source));
    return onObject((object, at, run, seen) =>
      every(propertiesOf(object), run, (key) => {
        spend(run, patterns.length);
        if (known.has(key) || patterns.some((matches) => isMatch(matches, key, run))) return true;
        seen?.keys.add(key);
        return evaluate(node, propertyOf(object, key), below(run, at, key), run);
      }),
    );
  },
  unevaluatedProperties(value, schema) {
    const node = schema.node(value);
    return onObject((object, at, run, seen) =>
      every(propertiesOf(object), run, (key) => {
        if (seen?.keys.has(key) === true) return true;
        seen?.keys.add(key);
        return evaluate(node, propertyOf(object, key), below(run, at, key), run);
      }),
    );
  },
};

/** A part that asks nothing of what is not an object. */
function onObject(part: ObjectPart): Part {
  return (value, at, run, seen) => !isJsonObject(value) || part(value, at, run, seen);
}

/** Checks each of some things; goes on after a failure while problems are collected. */
function every<Item>(items: readonly Item[], run: Run, check: (item: Item) => boolean): boolean {
  spend(run, items.length >> 3);
  if (run.problems === undefined) return items.every(check);
  let fits = true;
  for (const item of items) fits = check(item) && fits;
  return fits;
}

function everyName(names: readonly string[], message: string): Part {
  return onObject((object, at, run) =>
    every(names, run, (name) => propertyOf(object, name) !== undefined || fail(run, below(run, at, name), message)),
  );
}

function applied(node: Parameters<typeof evaluate>[0]): Part {
  return (value, at, run, seen) => evaluate(node, value, at, run, seen);
}

function dependency(key: string, part: Part): Part {
  return (value, at, run, seen) =>
    !isJsonObject(value) || propertyOf(value, key) === undefined || part(value, at, run, seen);
}

function inTurn(parts: readonly Part[]): Part {
  return (value, at, run, seen) => every(parts, run, (part) => part(value, at, run, seen));
}

function size(words: string, fits: (count: number, bound: number) => boolean): Keyword {
  return (value, schema) => {
    const bound = countOf(value, schema);
    const message = `must have ${words} ${bound} ${bound === 1 ? 'property' : 'properties'}`;
    return onObject((object, at, run) => fits(propertiesOf(object).length, bound) || fail(run, at, message));
  };
}
