import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { differences } from './differences.ts';

test('values differ at the places inside them, and nowhere else', () => {
  const one = { name: 'forecast', inputSchema: { properties: { days: { maximum: 7 }, city: {} }, required: ['city'] } };
  const other = {
    name: 'forecast',
    inputSchema: { properties: { days: { maximum: 14 } }, required: ['city', 'days'] },
  };
  assert.deepEqual(differences(one, other), [
    { path: '.inputSchema.properties.days.maximum', one: 7, other: 14 },
    { path: '.inputSchema.properties.city', one: {} },
    { path: '.inputSchema.required[1]', other: 'days' },
  ]);
  assert.deepEqual(differences([1], { 0: 1 }), [{ path: '', one: [1], other: { 0: 1 } }]);
  assert.deepEqual(differences({ a: null }, {}), [{ path: '.a', one: null }]);
});

test('a value does not differ from its copy, and differs from every other', () => {
  fc.assert(
    fc.property(fc.jsonValue({ noUnicodeString: false }), fc.jsonValue(), (one, other) => {
      const copy: unknown = JSON.parse(JSON.stringify(one));
      assert.deepEqual(differences(JSON.parse(JSON.stringify(one)), copy), []);
      const isSame = sorted(one) === sorted(other);
      assert.equal(
        differences(JSON.parse(JSON.stringify(one)), JSON.parse(JSON.stringify(other))).length === 0,
        isSame,
      );
    }),
  );
});

test('as many places are found as a person reads, however deep the values are', () => {
  const wide = Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`key ${at}`, at]));
  assert.equal(differences(wide, {}).length, 100);
  const deep = (end: number): unknown => {
    let value: unknown = end;
    for (let depth = 0; depth < 1_000; depth += 1) value = [value];
    return value;
  };
  assert.equal(differences(deep(1), deep(2)).length, 1);
  assert.equal(differences(deep(1), deep(1)).length, 0);
});

function sorted(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}
