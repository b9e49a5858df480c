import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { fittingPrefix, maxNameLength, prefixedName, withoutPrefix } from './prefixed-name.ts';

test('a prefix is taken off where it is whole and something follows', () => {
  assert.equal(withoutPrefix('a', 'a__b'), 'b');
  assert.equal(withoutPrefix('a', 'a__'), undefined);
  assert.equal(withoutPrefix('a', 'ab__c'), undefined);
});

const names = fc.stringMatching(/^[A-Za-z0-9_.-]{1,128}$/);

test('a prefixed name is a name of a tool, and gives the name back where it was not cut', () => {
  fc.assert(
    fc.property(fc.string(), names, (text, name) => {
      const prefix = fittingPrefix(text) || 'server';
      const full = prefixedName(prefix, name);
      assert.match(full, /^[A-Za-z0-9_.-]{1,128}$/);
      if (prefix.length + 2 + name.length <= maxNameLength) assert.equal(withoutPrefix(prefix, full), name);
    }),
  );
});

test('two names of one server are never the same behind a prefix', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(names, { minLength: 2, maxLength: 30 }),
      fc.integer({ min: 1, max: 48 }),
      (all, length) => {
        assert.equal(new Set(all.map((name) => prefixedName('p'.repeat(length), name))).size, all.length);
      },
    ),
  );
});

test('names that are cut keep their prefix', () => {
  const long = 'n'.repeat(128);
  assert.match(prefixedName('git', long), /^git__n+_[0-9a-f]{8}$/);
});
