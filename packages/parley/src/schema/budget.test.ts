import assert from 'node:assert/strict';
import process, { cpuUsage } from 'node:process';
import { test } from 'node:test';
import { lettersOf } from '../../../../test/support/schema-fits.ts';
import { compileSchema } from './json-schema.ts';

/** Milliseconds of processor that something took, the best of three. */
async function cost(run: () => unknown): Promise<number> {
  const costs: number[] = [];
  for (let round = 0; round < 3; round++) {
    const before = cpuUsage();
    // oxlint-disable-next-line no-await-in-loop -- one after the other, so that each is measured alone
    await run();
    const { user, system } = cpuUsage(before);
    costs.push((user + system) / 1000);
  }
  return Math.min(...costs);
}

/** What 50 ms are here and now: a processor that is shared does less in them than one that is free, by a loop of 65 ms. */
async function allowed(): Promise<number> {
  const loop = await cost(() => {
    let value = 0;
    for (let at = 0; at < 50_000_000; at++) value = (value * 31 + at) | 0;
    return value;
  });
  return Math.max(50, (50 / 65) * loop);
}

const many = <T>(length: number, make: (index: number) => T): readonly T[] =>
  Array.from({ length }, (_, at) => make(at));
const named = (length: number, make: (index: number) => unknown): object =>
  Object.fromEntries(many(length, (at) => [`k${at}`, make(at)]));
const objects = many(100_000, (at) => ({ at, name: `n${at}` }));
const doubled = named(61, (at) => ({ allOf: at === 60 ? [true] : many(2, () => ({ $ref: `#/$defs/k${at + 1}` })) }));
const wide = named(20_000, () => 1);
const letters = many(2000, (at) => ((at * at) & 4 ? 'a' : 'b')).join('');

const dynamicAnchors = named(5000, (at) => ({ $dynamicAnchor: `p${at}` }));
const longName = 'a'.repeat(1_000_000);
const levels = (value: unknown): unknown => many(60, (at) => at).reduce<unknown>((inner, at) => [inner, at], value);

const hostile: Readonly<Record<string, readonly [schema: object, value: unknown]>> = {
  'references that double': [{ $ref: '#/$defs/k0', $defs: doubled }, 1],
  'references that double, and more': [{ $ref: '#/$defs/k0', $defs: doubled, unevaluatedProperties: false }, 1],
  'many references': [{ allOf: many(9000, () => ({ $ref: '#/$defs/x' })), $defs: { x: { type: 'string' } } }, 'a'],
  'references for each of many items': [
    { items: { allOf: many(900, () => ({ $ref: '#/$defs/x' })) }, $defs: { x: { type: 'string' } }, contains: true },
    many(10_000, () => 'a'),
  ],
  'uniqueItems on 100,000 objects': [{ uniqueItems: true }, objects],
  'uniqueItems on one large item': [{ uniqueItems: true }, [objects]],
  'a large value': [{ items: { type: ['string', 'null', 'object'] }, contains: true }, objects],
  'a large value that does not fit': [{ items: { properties: { name: { type: 'number' } } } }, objects],
  'the first pattern': [{ pattern: '^[a-z]+$' }, 'abc'],
  'a pattern and a long text': [{ pattern: '^(a|b)+c$' }, 'ab'.repeat(2_000_000)],
  'a pattern with many states': [{ items: { pattern: '[ab]*a[ab]{60}c' } }, many(100, () => letters)],
  'patterns of all letters': [{ anyOf: many(100, (at) => ({ pattern: `${'[\\pL]'.repeat(190)}${at}` })) }, 'é'],
  'a pattern of a hundred thousand classes': [{ pattern: '\\p{L}'.repeat(100_000) }, 'é'],
  'a pattern of nothing, again and again': [{ pattern: `(?:${'()'.repeat(480)}a){9000}` }, 'a'],
  'a pattern of what may not be there': [{ pattern: `(?:${'b{0}'.repeat(240)}a){9000}` }, 'a'],
  'patterns that fold large classes': [{ pattern: `(?i:${'[a-\\uffff]'.repeat(80)})` }, 'é'],
  'patterns of names': [{ patternProperties: { '(?:[ab]|k)*k[ab\\d]{5}x': true }, additionalProperties: false }, wide],
  'names without end': [{ items: { required: Object.keys(wide) } }, many(100, () => wide)],
  'names that may be anything': [{ allOf: many(9000, () => ({ propertyNames: true })) }, wide],
  'items that may be anything': [{ allOf: many(9000, () => ({ items: true })) }, objects],
  'items that are looked at in vain': [
    { unevaluatedItems: false, allOf: many(1000, () => ({ contains: true })) },
    objects,
  ],
  'what nobody looks at, in references that double': [
    {
      $ref: '#/$defs/k0',
      $defs: named(61, (at) => ({
        unevaluatedProperties: true,
        anyOf: at === 60 ? [true] : many(2, () => ({ $ref: `#/$defs/k${at + 1}` })),
      })),
    },
    wide,
  ],
  'a large value and a dynamic reference': [
    { items: { type: 'object' }, $dynamicRef: '#any', $defs: { any: { $dynamicAnchor: 'any' } } },
    objects,
  ],
  'an enum for each of many items that fit': [
    { items: { enum: many(300_000, (at) => at) } },
    [...many(1000, () => 1), -1],
  ],
  'schemas that say nothing, for each of many items': [{ items: { allOf: many(100_000, () => true) } }, objects],
  'types named again and again': [{ items: { type: [...many(100_000, () => 'null'), 'object'] } }, objects],
  'types named again and again, in vain': [{ items: { type: many(100_000, () => 'null') } }, objects],
  'names that are listed in vain': [{ anyOf: many(1000, () => ({ propertyNames: { maxLength: 0 } })) }, wide],
  'a large text at each of many levels': [{ uniqueItems: true }, levels('x'.repeat(1_000_000))],
  'dynamic anchors': [
    { $dynamicRef: '#k0', $defs: named(5000, (at) => ({ $dynamicAnchor: `k${at}` })), properties: dynamicAnchors },
    { k1: 1 },
  ],
  'identifiers below a long one': [
    { $id: `http://localhost/${'a'.repeat(100_000)}/`, $defs: named(500, (at) => ({ $id: `k${at}` })) },
    1,
  ],
  'a long reference': [
    { $defs: { [longName]: { type: 'number' } }, items: { $ref: `#/$defs/${longName}` } },
    [...many(1000, () => 1), 'a'],
  ],
  'a large value among those wanted': [{ items: { enum: ['x'.repeat(4_000_000)] } }, objects],
  'what nobody looked at': [
    { unevaluatedProperties: false, allOf: many(100, (at) => ({ properties: { [at]: true } })) },
    wide,
  ],
};

test("a client's check of any schema and value takes no more than 50 ms", async () => {
  const limit = await allowed();
  const slow: string[] = [];
  for (const [name, [schema, value]] of Object.entries(hostile)) {
    // oxlint-disable-next-line no-await-in-loop -- as above
    const compiled = await compileSchema(schema).catch(() => undefined);
    const costs = {
      // oxlint-disable-next-line no-await-in-loop -- as above
      'to compile': await cost(() => compileSchema(schema).catch(() => undefined)),
      // oxlint-disable-next-line no-await-in-loop -- as above
      'to check': await cost(() => compiled?.check(value)),
    };
    for (const [what, ms] of Object.entries(costs)) if (ms > limit) slow.push(`${name}: ${ms} ms ${what}`);
  }
  assert.deepEqual(slow, [], `more than ${limit} ms`);
});

test("a server's check by a pattern that meets ever new cases is given up within half a second", async () => {
  const limit = 10 * (await allowed());
  for (const pattern of ['a.{1000}b$', 'a.{5000}b$', '[ab]*a[ab]{300}c']) {
    // oxlint-disable-next-line no-await-in-loop -- as above
    const { check } = await compileSchema({ pattern }, { origin: 'own' });
    const text = lettersOf(1, 50_000);
    assert.equal(check(text)[0]?.tooMuch, true);
    // oxlint-disable-next-line no-await-in-loop -- as above
    const ms = await cost(() => check(text));
    assert.ok(ms < limit, `${pattern}: ${ms} of ${limit} ms`);
  }
});

const row = (at: number): object => ({
  at,
  name: `Köln ${at}`,
  price: at / 2,
  tags: ['a', 'b'],
  about: { zip: '50667' },
});
const rowWith = (words: object, of: object = {}): object => ({
  type: 'object',
  properties: {
    at: { type: 'integer' },
    name: { type: 'string', minLength: 1, maxLength: 200 },
    price: { type: 'number', multipleOf: 0.5 },
    tags: { type: 'array', items: { type: 'string' }, uniqueItems: true },
    about: { type: 'object', propertyNames: { maxLength: 20 }, additionalProperties: { type: 'string' }, ...of },
  },
  required: ['at', 'name'],
  ...words,
});

// "a false 'too much to check' for an ordinary result under load would be a fault"
for (const [title, items] of [
  ['bounds of texts and numbers', rowWith({})],
  ['bounds of objects', rowWith({ minProperties: 1, maxProperties: 20, additionalProperties: false })],
  [
    'what nobody looked at',
    {
      ...rowWith({ unevaluatedProperties: false }, { dependentRequired: { zip: ['zip'] } }),
      allOf: [{ properties: { tags: { contains: { const: 'b' }, maxContains: 1, unevaluatedItems: { const: 'a' } } } }],
    },
  ],
  [
    'patterns of names',
    rowWith({ patternProperties: { '^x-': true } }, { patternProperties: { '^z': { type: 'string' } } }),
  ],
] as const)
  test(`1,000 rows with ${title} are not too much for the first check`, async () => {
    const { check } = await compileSchema({ type: 'array', items });
    assert.deepEqual(check(many(1000, row)), []);
  });

test('time that others had the processor does not count', { skip: process.threadCpuUsage === undefined }, async (t) => {
  let now = 0;
  // Each look at the clock finds that the thread has waited for its turn.
  t.mock.method(performance, 'now', () => (now += 5));
  const { check } = await compileSchema({ type: 'array', items: { type: 'integer' } });
  assert.deepEqual(check(many(2000, (at) => at)), []);
});

test('large and ordinary values are not too much', async () => {
  const rows = objects.slice(0, 20_000);
  const { check } = await compileSchema({
    type: 'array',
    items: {
      type: 'object',
      properties: { at: { type: 'integer' }, name: { type: 'string' } },
      required: ['at', 'name'],
    },
  });
  assert.deepEqual(check(rows), []);
  assert.deepEqual(check([...rows.slice(0, 5), { at: '1', name: '' }]), [
    { path: '/5/at', message: 'must be integer' },
  ]);
});
