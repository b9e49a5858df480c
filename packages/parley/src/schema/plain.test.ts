import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { compileSchema } from './json-schema.ts';
import { plainTestOf } from './plain.ts';

const bound = fc.integer({ min: 0, max: 4 });
const scalar = fc.constantFrom('', 'a', 'ab', '🙂🙂', 0, 1, 1.5, 4, 2 ** 60, true, false, null);
const leaf = fc.record(
  {
    type: fc.constantFrom('string', 'number', 'integer', 'boolean', 'null', ['string', 'null'], ['integer', 'number']),
    enum: fc.array(scalar),
    const: scalar,
    minLength: bound,
    maxLength: bound,
    minimum: bound,
    maximum: bound,
    exclusiveMinimum: bound,
    exclusiveMaximum: bound,
    title: fc.constant('t'),
  },
  { requiredKeys: [] },
);
const name = fc.constantFrom('a', 'b', 'constructor', '__proto__', 'toJSON');
const { schema } = fc.letrec((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3 },
    leaf,
    fc.record(
      { type: fc.constant('array'), items: tie('schema'), minItems: bound, maxItems: bound },
      { requiredKeys: [] },
    ),
    fc.record(
      {
        type: fc.constant('object'),
        properties: fc.dictionary(name, tie('schema')),
        required: fc.uniqueArray(name),
        additionalProperties: fc.boolean(),
      },
      { requiredKeys: [] },
    ),
  ),
}));
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    scalar,
    fc.constantFrom(undefined, Number.NaN, () => 'a', new Date(0)),
    fc.array(tie('value')),
    fc.dictionary(name, tie('value')),
  ),
}));

test('a value that passes the plain test fits the schema', async () => {
  let passed = 0;
  await fc.assert(
    fc.asyncProperty(schema, fc.array(value, { minLength: 10 }), fc.boolean(), async (one, values, received) => {
      const isPlain = plainTestOf(one, received);
      const { check } = await compileSchema(one, { origin: 'own', received });
      for (const given of values) {
        if (isPlain?.(given) !== true) continue;
        passed++;
        assert.deepEqual(check(given), []);
      }
    }),
    { numRuns: 400, seed: 36 },
  );
  assert.ok(passed > 100, `only ${passed} values passed`);
});

test('values that fit a schema of a form pass the plain test', () => {
  const properties = {
    name: { type: 'string', minLength: 1, maxLength: 10, format: 'email', title: 'Name' },
    count: { type: 'integer', minimum: 1, maximum: 9, default: 2 },
    size: { enum: ['s', 'm'] },
    tags: { type: 'array', items: { type: 'string' }, maxItems: 2 },
    place: { type: 'object', properties: { x: { type: 'number' } } },
  };
  const isPlain = plainTestOf({ type: 'object', properties, required: ['name'], additionalProperties: false }, false);
  assert.equal(isPlain?.({ name: 'A' }), true);
  assert.equal(isPlain?.({ name: 'Ada', count: 9, size: 'm', tags: ['a', 'b'], place: { x: 1.5 } }), true);
  for (const wrong of [
    {},
    { name: '' },
    { name: 'A', count: 1.5 },
    { name: 'A', more: 1 },
    { name: 'A', place: { y: 1 } },
  ])
    assert.equal(isPlain?.(wrong), false);
});

test('a schema with other keywords has no plain test', () => {
  for (const more of [
    { pattern: 'a' },
    { anyOf: [] },
    { $ref: '#' },
    { multipleOf: 2 },
    { items: true },
    { constructor: 1 },
  ])
    assert.equal(plainTestOf({ type: 'object', properties: { a: more } }, true), undefined);
  assert.equal(plainTestOf({ enum: [{}] }, true), undefined);
});
