import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { compileSchema } from './json-schema.ts';
import { linearPatterns, trustedPatterns } from './pattern.ts';

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
  'a{,2}',
];

test('a pattern of a peer finds what the engine of the platform finds', async () => {
  const patterns = await linearPatterns();
  for (const source of sources) {
    const [peers, native] = [patterns(source), trustedPatterns(source)];
    fc.assert(
      fc.property(
        fc.string({
          unit: fc.constantFrom('a', 'b', 'c', 'd', 'x', '1', '.', '@', '-', ' ', '\n', 'é', '😀'),
          maxLength: 8,
        }),
        (text) => assert.equal(peers.test(text), native.test(text), JSON.stringify({ source, text })),
      ),
    );
  }
});

// On an engine that backtracks, each of these takes longer than anyone waits.
test('a pattern made to backtrack does not', async () => {
  const text = `${'a'.repeat(10_000)}!`;
  for (const pattern of ['^(a+)+$', '^(a|a)*$', '^(a|aa)+$', '^(.*a){12}$'])
    assert.equal((await compileSchema({ pattern })).check(text).length, 1);
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
    ['(?<=a)b', /is not supported/],
    ['(?=a)b', /is not supported/],
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
