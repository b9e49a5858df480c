import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compileSchema } from '../json-schema.ts';
import { compileUsable } from './usable.ts';

const unreadable = { pattern: '(?P<x>a)' };
const text = { type: 'string', ...unreadable };

/** Schemas with a place for a pattern, a value that fits with any pattern, and one that fits with none. */
const places: readonly (readonly [string, (part: object) => object, unknown, unknown])[] = [
  ['a property', (part) => ({ properties: { a: part, b: { type: 'number' } } }), { a: 'x', b: 1 }, { a: 'x', b: 'y' }],
  ['items', (part) => ({ items: part, minItems: 2 }), ['x', 'y'], ['x']],
  ['a definition', (part) => ({ $ref: '#/$defs/A', $defs: { A: part } }), 'x', 1],
  [
    'an older definition',
    (part) => ({
      $schema: 'http://json-schema.org/draft-07/schema#',
      $ref: '#/definitions/A',
      definitions: { A: part },
    }),
    'x',
    1,
  ],
  ['each of allOf', (part) => ({ allOf: [part, { maxLength: 3 }] }), 'x', 'long'],
  ['one of anyOf', (part) => ({ anyOf: [part, { type: 'number' }] }), 'x', true],
  ['names', (part) => ({ propertyNames: part, maxProperties: 1 }), { x: 1 }, { x: 1, y: 2 }],
  [
    'a property beside oneOf',
    (part) => ({ properties: { a: part }, oneOf: [part, {}], required: ['a'] }),
    { a: 'x' },
    {},
  ],
];

describe('a schema with a pattern that cannot be read', () => {
  for (const [where, make, fits, misfits] of places) {
    it(`in ${where} counts without it`, async () => {
      const { check, unused = '' } = await compileUsable(make(text));
      assert.match(unused, /the rest of it: .*pattern/);
      assert.deepEqual(check(fits), []);
      assert.notDeepEqual(check(misfits), []);
      // The judge of the cases: with a pattern that fits, they are what they are said to be.
      const whole = await compileSchema(make({ type: 'string', pattern: 'x|y' }));
      assert.deepEqual(whole.check(fits), []);
      assert.notDeepEqual(whole.check(misfits), []);
    });
  }

  const allowed: readonly (readonly [string, object, unknown])[] = [
    ['not', { not: unreadable }, 'x'],
    ['not of a reference', { $defs: { A: unreadable }, not: { $ref: '#/$defs/A' } }, 'x'],
    ['oneOf', { oneOf: [text, { type: 'string', maxLength: 3 }] }, 'x'],
    ['if', { if: unreadable, then: { type: 'number' } }, 'x'],
    ['contains', { contains: text, maxContains: 1 }, ['x', 'y']],
    ['patternProperties', { patternProperties: { '(?P<x>a)': {} }, additionalProperties: false }, { a: 1 }],
    [
      'a branch that others look at',
      { anyOf: [{ oneOf: [text, { properties: { a: true } }] }], unevaluatedProperties: false },
      { a: 1 },
    ],
    [
      'what only references find',
      { properties: { a: text, b: { $ref: '#/x-parts/B' } }, 'x-parts': { B: { not: { $ref: '#/properties/a' } } } },
      { b: 'x' },
    ],
  ];
  for (const [where, schema, value] of allowed) {
    it(`in ${where} refuses nothing that it may allow`, async () => {
      const { check, unused } = await compileUsable(schema);
      assert.ok(unused !== undefined);
      assert.deepEqual(check(value), []);
    });
  }

  const draft04 = 'http://json-schema.org/draft-04/schema#';
  const draft2019 = 'https://json-schema.org/draft/2019-09/schema';
  for (const [what, schema, good, bad] of [
    ['exclusive bounds', { $schema: draft04, minimum: 1, exclusiveMinimum: true }, 2, 1],
    ['bounds that are not exclusive', { $schema: draft04, maximum: 1, exclusiveMaximum: false }, 1, 2],
    [
      'ids',
      {
        $schema: draft04,
        id: 'http://a.b/c',
        items: { $ref: 'c#/definitions/a' },
        definitions: { a: { type: 'null' } },
      },
      [null],
      [1],
    ],
    ['nested bounds', { $schema: draft04, items: { maximum: 1, exclusiveMaximum: true } }, [0], [1]],
    ['older dialects', { $schema: 'http://json-schema.org/draft-06/schema', const: 1 }, 1, 2],
    ['lists of items', { $schema: draft2019, items: [{ type: 'null' }], additionalItems: false }, [null], [null, 1]],
    ['dependent schemas', { $schema: draft2019, dependentRequired: { a: ['b'] } }, { a: 1, b: 1 }, { a: 1 }],
    ['the latest', { $schema: 'http://json-schema.org/schema#', type: 'null' }, null, 1],
  ] as const)
    it(`of a dialect that is not supported is read in the nearest: ${what}`, async () => {
      const { check, unused } = await compileUsable(schema);
      assert.match(unused ?? '', /which is not supported: it is read as (?:draft-07|2020-12)$/);
      assert.deepEqual([check(good).length, check(bad).length > 0], [0, true]);
    });

  it('without a dialect that has a list in items is read as draft-07', async () => {
    const tuple = { type: 'array', items: [{ type: 'string' }], additionalItems: false };
    const { check, unused } = await compileUsable({ properties: { a: { anyOf: [tuple] } } });
    assert.equal(unused, 'has a list in "items" and no "$schema": it is read as draft-07');
    assert.deepEqual([check({ a: ['x'] }).length, check({ a: [1] }).length > 0], [0, true]);
    const named = { $schema: 'https://json-schema.org/draft/2020-12/schema', ...tuple };
    assert.match((await compileUsable(named)).unused ?? '', /cannot be used/);
  });

  it('of a dialect that nothing is near refuses nothing, and says so [schema-004]', async () => {
    const { check, unused } = await compileUsable({ $schema: 'https://example.com/mine', ...text });
    assert.equal(
      unused,
      'is of the dialect "https://example.com/mine", which is not supported: nothing is validated against it',
    );
    assert.deepEqual(check(7), []);
  });

  it('that is malformed in the nearest dialect is read as far as it can be', async () => {
    const { check, unused } = await compileUsable({ $schema: draft04, properties: { a: { type: 'any' } } });
    assert.match(unused ?? '', /it is read as draft-07, and cannot be used/);
    assert.deepEqual(check({ a: 1 }), []);
  });

  it('has nothing unused where all of it can be used', async () => {
    assert.equal((await compileUsable({ type: 'string', pattern: '^a' })).unused, undefined);
  });
});
