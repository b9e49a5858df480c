import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lettersOf, problems, tooMany } from '../../../../test/support/schema-fits.ts';
import { SchemaDocument, SchemaError } from './document.ts';
import { compileSchema } from './json-schema.ts';

/** Keywords by which a schema depends on those around it. */
const dynamic = { $dynamicRef: '#any', $defs: { any: { $dynamicAnchor: 'any' } } };

test('a schema that nests too deep, or has too many parts, is refused [schema-012]', async () => {
  let deep: unknown = { type: 'string' };
  for (let level = 0; level < 65; level++) deep = { items: deep };
  assert.throws(() => new SchemaDocument(deep), /nests deeper than the limit of 64 levels; move parts to \$defs$/);
  const wide = { anyOf: Array.from({ length: 20_000 }, () => ({ type: 'string' })) };
  assert.throws(() => new SchemaDocument(wide), /more than the limit of 10000 subschemas; describe what repeats once/);
  const chain = Object.fromEntries(Array.from({ length: 9000 }, (_, at) => [`a${at}`, { $ref: `#/$defs/a${at + 1}` }]));
  await assert.rejects(compileSchema({ $ref: '#/$defs/a0', $defs: { ...chain, a9000: true } }), SchemaError);
  const ids = Array.from({ length: 12 }, (_, at) => `r${at}`);
  const resources = ids.map(($id) => ({ $id, $dynamicAnchor: $id, anyOf: ids.map(($ref) => ({ $ref })) }));
  const scopes = { $ref: 'r0', $defs: Object.fromEntries(resources.map((item) => [item.$id, item])) };
  await assert.rejects(compileSchema({ ...scopes, not: { $dynamicRef: 'r0#r0' } }), /too many dynamic scopes/);
  const cyclic: Record<string, unknown> = {};
  cyclic['not'] = { not: cyclic };
  await assert.rejects(compileSchema(cyclic), SchemaError);
});

test('a schema that recurs without end cannot hang or crash a check [schema-012]', async () => {
  const cases: unknown[] = [
    { $ref: '#' },
    { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: { allOf: [{ $ref: '#/$defs/a' }] } } },
    { not: { $ref: '#' } },
    { $dynamicRef: '#x', $dynamicAnchor: 'x' },
  ];
  for (const schema of cases) {
    for (const origin of ['own', 'peer'] as const)
      assert.deepEqual(await problems(schema, 1, { origin }), [{ path: '', message: tooMany, tooMuch: true }]);
  }
});

test('a schema that doubles its work at every step runs out of budget [schema-012]', async () => {
  const $defs: Record<string, unknown> = { a0: { type: 'string' } };
  for (let level = 1; level <= 60; level++)
    $defs[`a${level}`] = { allOf: [{ $ref: `#/$defs/a${level - 1}` }, { $ref: `#/$defs/a${level - 1}` }] };
  assert.equal((await problems({ $ref: '#/$defs/a60', $defs }, 'x'))[0]?.message, tooMany);

  let contains: unknown = { type: 'number' };
  let nested: unknown = 1;
  for (let level = 0; level < 60; level++) {
    contains = { contains, minContains: 1, maxContains: 2 };
    nested = [nested];
  }
  assert.deepEqual(await problems(contains, nested), []);
  assert.deepEqual(await problems(Object.assign({}, contains, dynamic), nested), []);
});

test('a value that makes a recursive schema costly runs out of budget, even if it is our own [schema-012]', async () => {
  const byInstance = { properties: { n: { anyOf: [{ $ref: '#' }, { $ref: '#' }] } }, required: ['x'] };
  let value: unknown = {};
  for (let level = 0; level < 100; level++) value = { n: value, x: 1 };
  for (const origin of ['own', 'peer'] as const)
    assert.equal((await problems(byInstance, value, { origin }))[0]?.message, tooMany);
});

test('the budget is spent by the size of schema and value, and can be set', async () => {
  const items = Array.from({ length: 1000 }, (_, index) => ({ index }));
  assert.deepEqual(await problems({ uniqueItems: true }, items), []);
  assert.equal((await problems({ uniqueItems: true }, items, { limits: { steps: 100 } }))[0]?.message, tooMany);
  const long = Array.from({ length: 10 }, (_, index) => `${index}`.repeat(10_000));
  assert.equal((await problems({ uniqueItems: true }, long, { limits: { steps: 1000 } }))[0]?.message, tooMany);

  const often = (schema: object): object => ({ allOf: Array.from({ length: 9000 }, () => schema) });
  const wide = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`k${index}`, 1]));
  const costly: [unknown, unknown][] = [
    [{ ...often({ minLength: 300_000 }), unevaluatedProperties: false }, 'x'.repeat(400_000)],
    [often({ minProperties: 1 }), wide],
    [often({ patternProperties: { k: true }, additionalProperties: false }), wide],
    [{ items: { pattern: '[ab]*a[ab]{900}c' } }, Array.from({ length: 100 }, (_, at) => lettersOf(at, 10_000))],
  ];
  for (const [schema, value] of costly)
    assert.ok([tooMany, 'does not fit the schema'].includes((await problems(schema, value))[0]?.message ?? ''));
  assert.deepEqual(await problems({ items: { properties: { a: { type: 'number' } } } }, items), []);
  const names = Array.from({ length: 20_000 }, () => 'k19999');
  assert.deepEqual(await problems({ items: { enum: [...Object.keys(wide), {}] }, ...dynamic }, names), []);
});

test('a problem is told even where there is no time to say more', async () => {
  const schema = { allOf: [{ uniqueItems: true }, { items: { pattern: 'a' } }] };
  const told = await problems(schema, ['b', 'b'], { limits: { steps: 6 } });
  assert.equal(told.length, 1);
});

test('many repeated items cost no more than few', async () => {
  const items = Array.from({ length: 200_000 }, () => 1);
  assert.deepEqual(await problems({ uniqueItems: true }, items), [
    { path: '', message: 'must not have duplicate items' },
  ]);
});

test('a value that is deep or cyclic is a problem, not a crash', async () => {
  const cyclic: unknown[] = [];
  cyclic.push(cyclic);
  assert.equal((await problems({ items: true }, cyclic, { origin: 'own' }))[0]?.message, tooMany);
  for (const origin of ['own', 'peer'] as const)
    assert.equal((await problems({ items: { $ref: '#' } }, cyclic, { origin }))[0]?.message, tooMany);
});
