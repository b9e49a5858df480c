import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { exposedNames, labelsOf } from './names.ts';

function shown(lists: Readonly<Record<string, readonly string[]>>, mode: 'collisions' | 'always' = 'collisions') {
  const given = Object.entries(lists).map(([label, names]) => ({ owner: label, label, names }));
  return [...exposedNames(given, mode)].map(([name, { owner, name: own }]) => `${name} = ${owner}/${own}`).toSorted();
}

test('a name that one server has stays as it is', () => {
  assert.deepEqual(shown({ a: ['read'], b: ['write'] }), ['read = a/read', 'write = b/write']);
});

test('a name that two servers have is prefixed for both', () => {
  assert.deepEqual(shown({ a: ['read', 'one'], b: ['read'] }), ['a__read = a/read', 'b__read = b/read', 'one = a/one']);
});

test('every name is prefixed when that is asked for', () => {
  assert.deepEqual(shown({ a: ['read'], b: ['write'] }, 'always'), ['a__read = a/read', 'b__write = b/write']);
});

test('a name that looks like the prefixed one of another server is prefixed too', () => {
  assert.deepEqual(shown({ a: ['b__read'], b: ['read'] }), ['a__b__read = a/b__read', 'read = b/read']);
});

test('names that are equal after prefixing are told apart', () => {
  const names = shown({ a: ['b__c', 'x'], a__b: ['c', 'x'] }, 'always');
  assert.equal(names.length, 4);
  assert.ok(names.includes('a__b__c = a/b__c'));
  assert.ok(names.some((name) => /^a__b__c_[0-9a-f]{8} = a__b\/c$/.test(name)));
});

test('a prefixed name that would be too long is cut and stays unique', () => {
  const long = 'n'.repeat(127);
  const names = [...exposedNames([{ owner: 1, label: 'label', names: [`${long}1`, `${long}2`] }], 'always').keys()];
  assert.equal(new Set(names).size, 2);
  assert.ok(names.every((name) => /^[A-Za-z0-9_.-]{1,128}$/.test(name)));
});

test('labels fit into names of tools, and are unique', () => {
  assert.deepEqual(labelsOf(['my files', 'my/files', '', 'x'.repeat(90), 'ok.1']), [
    'my-files',
    'my-files-2',
    'server',
    'x'.repeat(48),
    'ok.1',
  ]);
});

test('whatever servers call their tools, each is shown once and under its own name', () => {
  const name = fc.stringMatching(/^[ab_]{1,6}$/);
  const lists = fc.array(fc.tuple(name, fc.uniqueArray(name, { maxLength: 5 })), { maxLength: 4 });
  fc.assert(
    fc.property(lists, fc.constantFrom('collisions' as const, 'always' as const), (servers, mode) => {
      const labels = labelsOf(servers.map(([label]) => label));
      const given = servers.map(([, names], owner) => ({ owner, label: labels[owner] ?? '', names }));
      const exposed = exposedNames(given, mode);
      const back = [...exposed.values()].map(({ owner, name: own }) => `${owner} ${own}`);
      assert.deepEqual(
        back.toSorted(),
        given.flatMap(({ owner, names }) => names.map((own) => `${owner} ${own}`)).toSorted(),
      );
    }),
  );
});
