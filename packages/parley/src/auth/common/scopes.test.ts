import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isScope, missingOf, scopesOf, unionOf } from './scopes.ts';

test('scopes are read from a list with spaces and from an array, each once, in their order', () => {
  assert.deepEqual(scopesOf('b a  b c'), ['b', 'a', 'c']);
  assert.deepEqual(scopesOf(['a', 'b c', 7, null, 'a']), ['a', 'b', 'c']);
  for (const other of [undefined, null, 7, {}, '', ' ', 'a"b', 'é']) assert.deepEqual(scopesOf(other), []);
});

test('of a list without end no more is read than can be used', () => {
  assert.equal(scopesOf(Array.from({ length: 10_000 }, (_, at) => `s${at}`)).length, 256);
  assert.equal(scopesOf('x '.repeat(100_000)).length, 1);
  assert.deepEqual(scopesOf('x'.repeat(300)), []);
});

test('a union has every scope once, and nothing of it is missing [auth-055]', () => {
  const scope = fc.stringMatching(/^[!#-[\]-~]{1,10}$/);
  fc.assert(
    fc.property(fc.array(scope), fc.array(scope), (one, other) => {
      const union = unionOf(one, other);
      assert.equal(new Set(union).size, union.length);
      assert.deepEqual(missingOf([...one, ...other], union), []);
      assert.ok(union.every((name) => isScope(name) && (one.includes(name) || other.includes(name))));
      assert.deepEqual(scopesOf(union.join(' ')), union);
    }),
  );
});
