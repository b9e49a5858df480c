import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { lettersOf, tooMany } from '../../../../test/support/schema-fits.ts';
import { compileSchema } from './json-schema.ts';
import { toRegExp } from './keywords.ts';
import { ownPatterns, peersPatterns } from './pattern.ts';

const sources = [
  '^a+b?$',
  '(a|b)*abb',
  'a{2,3}$',
  '^a{2}$',
  '^a{0}$',
  '^(?:a|ab)(?:c|bcd)$',
  '[^a-c]x',
  '\\bab\\b',
  'a\\Bb',
  '^\\d+(?:\\.\\d+)?$',
  '^[\\w.]+@[\\w]+\\.a+$',
  '\\u0061\\x62',
  '^(?<name>a)+?b',
  '',
  '^$|c',
  'a||b',
  '(?:)*a',
  '(a*)*$',
  '^\\p{L}+$',
  '\\-a|\\@b',
  'é+',
  '^.$',
  '^\\s+$',
  '[^\\s]',
  '^[\\S\\-]+$',
  '[\\w-.]',
  '^[^]$',
  '[]',
  'x[\\b]?1$',
  '^\\p{Letter}\\P{Lu}?',
  '[\\u{1F600}-\\u{1F64F}]',
  '\\ud83d\\ude00',
  'a{,2}',
];

const ahead = [
  '^(?=.*[a-b])(?=.*\\d).{2,}$',
  '^(?!\\s*$).+',
  '^(?!a|b)\\w',
  '^(?=a)(?!ab)',
  '^(?=a)b|c',
  '(?=a)(a|b)+$',
  'a(?!b)',
  '(a|b)\\1',
  '^(?!\\()[^)]*$',
  '^(?=[)(]*a)a',
];

const text = fc.string({
  unit: fc.constantFrom(...'abcdx1.@- \n\t\r()]'.split(''), 'é', '😀', '\u00a0', '\u2028', '\ufeff'),
  maxLength: 8,
});

test('a pattern finds what the engine of the platform finds, whoever wrote it', async () => {
  const [peers, { patterns: own }] = [peersPatterns(), ownPatterns()];
  for (const source of [...sources, ...ahead]) {
    const native = toRegExp(source);
    const made = source.includes('\\1') ? [own(source)] : [own(source), peers(source)];
    fc.assert(
      fc.property(text, (one) => {
        for (const pattern of made)
          assert.equal(pattern.test(one, { spend: () => {} }), native?.test(one), JSON.stringify({ source, one }));
      }),
    );
  }
});

// On an engine that backtracks, each of these takes longer than anyone waits.
test("a pattern made to backtrack does not, in a peer's schema and in one of our own", async () => {
  const long = `${'a'.repeat(10_000)}!`;
  for (const pattern of ['^(a+)+$', '^(a|a)*$', '^(a|aa)+$', '^(.*a){12}$']) {
    for (const origin of ['own', 'peer'] as const)
      assert.equal((await compileSchema({ pattern }, { origin })).check(long).length, 1);
  }
});

test('nor does it behind what it looks ahead for, in a schema that recurs, or for names', async () => {
  const long = `${'a'.repeat(40)}!`;
  const recurring = { properties: { n: { $ref: '#' } }, patternProperties: { '^(a+)+$': true } };
  for (const [schema, value] of [
    [{ pattern: '^(?=a)(?!b)(a+)+$' }, long],
    [{ items: { $ref: '#' }, pattern: '^(a+)+$' }, [long]],
    [{ ...recurring, additionalProperties: false }, { n: { [long]: 1 } }],
    [{ propertyNames: { pattern: '^(a+)+$' } }, { [long]: 1 }],
  ])
    assert.notDeepEqual((await compileSchema(schema, { origin: 'own' })).check(value), []);
});

test("the platform's engine looks at no text of more than 500 characters", async () => {
  const { check } = await compileSchema({ pattern: '(x)(a+)+$|\\1y' }, { origin: 'own' });
  assert.deepEqual(check(`x${'a'.repeat(499)}`), []);
  assert.deepEqual(check(`x${'a'.repeat(500)}`), [{ path: '', message: tooMany, tooMuch: true }]);
});

test('searches that cost too much together are given up, and the next check begins anew', async () => {
  const { check } = await compileSchema({ items: { not: { pattern: '[ab]*a[ab]{900}c' } } }, { origin: 'own' });
  assert.equal(check(Array.from({ length: 1000 }, (_, at) => lettersOf(at, 2000)))[0]?.message, tooMany);
  assert.deepEqual(check(['a']), []);
});

test('nor does it for the names of properties, whatever stands beside it', async () => {
  const value = { [`${'a'.repeat(100)}!`]: 1, aa: 1 };
  const patternProperties = { '^(a+)+$': { type: 'string' } };
  for (const beside of [
    {},
    { additionalProperties: true },
    { unevaluatedProperties: true },
    { properties: { aa: true } },
  ]) {
    const { check } = await compileSchema({ patternProperties, ...beside });
    assert.deepEqual(check(value), [{ path: '/aa', message: 'must be string' }]);
  }
});

test('names that fit a pattern are known to the keywords beside it', async () => {
  const schema = {
    properties: { a: true, ab: { minimum: 5 } },
    patternProperties: { '^a': { type: 'number' }, b$: { maximum: 9 } },
  };
  const { check } = await compileSchema({ ...schema, additionalProperties: false });
  assert.deepEqual(check({ a: 1, ab: 7, xb: 8 }), []);
  assert.deepEqual(
    check({ a: 'x', ab: 12, c: 1 }).map(({ path }) => path),
    ['/c', '/a', '/ab'],
  );
  assert.deepEqual(check({ ab: 7 }), []);
  const unevaluated = await compileSchema({ ...schema, unevaluatedProperties: false });
  assert.deepEqual(unevaluated.check({ ab: 7, xb: 8 }), []);
  assert.deepEqual(unevaluated.check({ c: 8 }), [{ path: '/c', message: 'is not allowed' }]);
});

test('what cannot run in linear time is refused', async () => {
  const refused: [string, RegExp][] = [
    ['(a)\\1', /is not supported in a peer's schema/],
    ['(?<x>a)\\k<x>', /is not supported/],
    ['(?i:a)b', /is not supported/],
    ['\\pL{800}'.repeat(30), /is too large/],
    ['a'.repeat(1001), /is too large/],
  ];
  for (const [pattern, message] of refused) {
    await assert.rejects(compileSchema({ pattern }), { name: 'SchemaError', message });
    await assert.rejects(compileSchema({ patternProperties: { [pattern]: true } }), { name: 'SchemaError', message });
  }
  const many = Array.from({ length: 5000 }, (_, index) => ({ pattern: `a${index}b*` }));
  await assert.rejects(compileSchema({ allOf: many }), /is too large/);
});

test('patterns of our own may use all that the platform has', async () => {
  const { check } = await compileSchema({ pattern: '(?<=a)b' }, { origin: 'own' });
  assert.deepEqual(check('ab'), []);
  assert.equal(check('b').length, 1);
});

test('patterns in the older syntax are understood', async () => {
  for (const origin of ['own', 'peer'] as const) {
    const { check } = await compileSchema({ patternProperties: { '^\\@': { pattern: '\\-' } } }, { origin });
    assert.deepEqual(check({ '@a': '-', b: '' }), []);
    assert.equal(check({ '@a': '' })[0]?.path, '/@a');
  }
});
