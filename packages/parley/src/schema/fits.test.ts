import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CheckBudget } from './budget.ts';
import { SchemaDocument } from './document.ts';
import type { Patterns } from './pattern.ts';
import { SchemaTests, type Fits } from './fits.ts';

const patterns: Patterns = (source) => ({ test: (text) => new RegExp(source, 'u').test(text) });

const testOf = (schema: object): Fits => new SchemaTests(new SchemaDocument(schema), patterns).root;

const name = fc.constantFrom('a', 'b', 'c');
const leaf = fc.oneof(
  fc.constantFrom(null, true, false, 0, 1, 2, 1.5, -1, 'a', 'b', 'abc', '', '🙂', 'é🙂'),
  fc.integer(),
);
const value = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    leaf,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(name, tie('value'), { maxKeys: 3, noNullPrototype: true }),
  ),
})).value;

const types = fc.constantFrom('array', 'boolean', 'integer', 'null', 'number', 'object', 'string');
const small = fc.integer({ min: 0, max: 2 });
const schema = fc.letrec((tie) => {
  const several = fc.array(tie('schema'), { minLength: 1, maxLength: 2 });
  const keywords = {
    type: fc.oneof(types, fc.uniqueArray(types, { minLength: 1, maxLength: 3 })),
    const: fc.oneof(leaf, value),
    enum: fc.uniqueArray(fc.oneof(leaf, value), { minLength: 1, maxLength: 4 }),
    minimum: small,
    maximum: small,
    exclusiveMinimum: small,
    exclusiveMaximum: small,
    minLength: small,
    maxLength: small,
    multipleOf: fc.constantFrom(1, 2),
    minProperties: small,
    maxProperties: small,
    propertyNames: tie('schema'),
    patternProperties: fc.dictionary(fc.constantFrom('^a', 'b', '[bc]'), tie('schema'), { maxKeys: 2 }),
    minItems: small,
    maxItems: small,
    uniqueItems: fc.boolean(),
    required: fc.uniqueArray(name, { maxLength: 2 }),
    pattern: fc.constantFrom('^a', 'b'),
    properties: fc.dictionary(name, tie('schema'), { maxKeys: 2 }),
    additionalProperties: tie('schema'),
    items: tie('schema'),
    prefixItems: several,
    allOf: several,
    anyOf: several,
    oneOf: several,
    not: tie('schema'),
    if: tie('schema'),
    then: tie('schema'),
    else: tie('schema'),
    contains: tie('schema'),
    minContains: small,
    maxContains: small,
    dependentRequired: fc.dictionary(name, fc.uniqueArray(name, { maxLength: 2 }), { maxKeys: 2 }),
    dependentSchemas: fc.dictionary(name, tie('schema'), { maxKeys: 2 }),
    unevaluatedProperties: tie('schema'),
    unevaluatedItems: tie('schema'),
    $ref: fc.constantFrom('#/$defs/x', '#/$defs/y'),
  };
  const one = fc.oneof(
    ...Object.entries(keywords).map(([word, given]) => given.map((is: unknown) => [word, is] as const)),
  );
  const few = fc.array(one, { minLength: 1, maxLength: 4 }).map((all) => Object.fromEntries(all) as object);
  return { schema: fc.oneof({ depthSize: 'small' }, fc.boolean(), few, few, few) };
}).schema;

const $defs = { x: { type: 'string' }, y: { items: { $ref: '#/$defs/x' } } };

/** Schemas of which the other library says what is wrong. */
function isLost(text: string): boolean {
  const has = (...words: readonly string[]): boolean => words.some((word) => text.includes(`"${word}"`));
  // It does not look at `if` where `then` and `else` say nothing, whose properties and items are evaluated all the same. (JSON Schema 2020-12, Core, 10.2.2.1.)
  if (has('if') && has('unevaluatedItems', 'unevaluatedProperties')) return true;
  // Beside these it looks at every item.
  if (has('contains') && has('unevaluatedItems', 'prefixItems')) return true;
  // Items that a branch looked at are evaluated for it also where the branch does not fit.
  return (
    has('unevaluatedItems') && has('prefixItems', 'items', '#/$defs/y') && has('anyOf', 'oneOf', 'dependentSchemas')
  );
}

/** Gives what the other library says; of some schemas it makes a program that names what is not there. */
function said(say: () => unknown): unknown {
  try {
    return say();
  } catch (error) {
    if (error instanceof ReferenceError || error instanceof TypeError) return undefined;
    throw error;
  }
}

test('what fits is what fits for others', () => {
  const ajv = new Ajv2020({ strict: false, logger: false });
  fc.assert(
    fc.property(schema, fc.array(value, { minLength: 3, maxLength: 8 }), (root, values) => {
      const json = { allOf: [root], $defs };
      fc.pre(!isLost(JSON.stringify(root)));
      const fits = testOf(json);
      const validate = ajv.compile(json);
      const run = new CheckBudget({ timed: false });
      run.begin();
      for (const one of values) {
        // For it an empty array may have an item that fits, beside some words.
        fc.pre(!(JSON.stringify(root).includes('"contains"') && JSON.stringify(one).includes('[]')));
        const others = said(() => validate(one));
        fc.pre(others !== undefined);
        assert.equal(fits(one, run), others, JSON.stringify({ json, one }));
      }
    }),
    { numRuns: 200 },
  );
});

test('what `if` looked at is evaluated, also without `then` and `else`', () => {
  const run = new CheckBudget({ timed: false });
  run.begin();
  const fits = testOf({ unevaluatedProperties: false, if: { patternProperties: { '[bc]': true } } });
  assert.deepEqual([fits({ c: {} }, run), fits({ a: {} }, run)], [true, false]);
});

test('what a branch looked at that does not fit is not evaluated', () => {
  const first = { prefixItems: [{ type: 'array' }] };
  for (const [branches, isRight] of [
    [{ if: first, then: false }, false],
    [{ if: first, then: { minItems: 9 } }, false],
    [{ anyOf: [first, true] }, false],
    [{ oneOf: [first, true] }, false],
    [{ dependentSchemas: { a: first } }, false],
    [{ if: first, else: { prefixItems: [true] } }, true],
    [{ anyOf: [first, { prefixItems: [{ type: 'object' }] }] }, true],
  ] as const) {
    const run = new CheckBudget({ timed: false });
    run.begin();
    assert.equal(testOf({ ...branches, unevaluatedItems: false })([{ a: 0 }], run), isRight, JSON.stringify(branches));
  }
});

test('`contains` looks at the items that fit, and an empty array has none', () => {
  const fits = (schema: object, value: unknown): boolean => {
    const run = new CheckBudget({ timed: false });
    run.begin();
    return testOf(schema)(value, run);
  };
  assert.equal(fits({ contains: true, prefixItems: [false] }, []), false);
  const looks = { prefixItems: [true], contains: { type: 'string' }, unevaluatedItems: { type: 'null' } };
  assert.equal(fits(looks, [1, 'a', null, 'b']), true);
  assert.equal(fits(looks, [1, 'a', 2]), false);
  assert.equal(fits({ oneOf: [{ contains: false }, true], unevaluatedItems: { type: 'array' } }, [0]), false);
  assert.equal(fits({ minContains: 0, contains: { type: 'null' }, unevaluatedItems: false }, [null]), true);
});

test('a property that is undefined counts as absent, as when it is sent', () => {
  const fits = testOf({ required: ['a'], properties: { b: false }, additionalProperties: false });
  const run = new CheckBudget({ timed: false });
  run.begin();
  assert.equal(fits({ a: undefined }, run), false);
  assert.equal(fits({ b: undefined, c: undefined }, run), false);
  assert.equal(testOf({ properties: { b: false } })({ b: undefined }, run), true);
});

test('a dynamic reference looks at what the schema looks at that it leads to', () => {
  const looks = (properties: object): object => ({
    $ref: 'https://example.com/open',
    unevaluatedProperties: false,
    $defs: {
      open: { $id: 'https://example.com/open', $dynamicRef: '#more', $defs: { none: { $dynamicAnchor: 'more' } } },
      more: { $dynamicAnchor: 'more', properties },
    },
  });
  const run = new CheckBudget({ timed: false });
  run.begin();
  assert.equal(testOf(looks({ a: true }))({ a: 1 }, run), true);
  assert.equal(testOf(looks({ b: true }))({ a: 1 }, run), false);
});
