import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { placeIn } from '../../../../../parley/src/json/place.ts';
import { differingPlaces } from './differences.ts';

test('values differ at the places inside them, and nowhere else', () => {
  const one = { name: 'forecast', inputSchema: { properties: { days: { maximum: 7 }, city: {} }, required: ['city'] } };
  const other = {
    name: 'forecast',
    inputSchema: { properties: { days: { maximum: 14 } }, required: ['city', 'days'] },
  };
  assert.deepEqual(differingPlaces(one, other), [
    { path: '.inputSchema.properties.days.maximum', one: 7, other: 14 },
    { path: '.inputSchema.properties.city', one: {} },
    { path: '.inputSchema.required[1]', other: 'days' },
  ]);
  assert.deepEqual(differingPlaces([1], { 0: 1 }), [{ path: '', one: [1], other: { 0: 1 } }]);
  assert.deepEqual(differingPlaces({ a: null }, {}), [{ path: '.a', one: null }]);
});

test('places are told apart whatever the names of their members are', () => {
  const one = { a: { b: 1 }, 'a.b': 2, list: [0], 'list[0]': 1, '': { c: 1 }, '["x"]': 1 };
  const other = { a: { b: 2 }, 'a.b': 3, list: [1], 'list[0]': 2, '': { c: 2 }, '["x"]': 2 };
  assert.deepEqual(
    differingPlaces(one, other).map(({ path }) => path),
    ['.a.b', '["a.b"]', '.list[0]', '["list[0]"]', '[""].c', '["[\\"x\\"]"]'],
  );
  const name = fc.constantFrom('a', 'b', 'a.b', '.a', '[0]', '["a"]', '"', '', ' ');
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.array(name, { minLength: 1, maxLength: 3 }), { selector: (path) => JSON.stringify(path) }),
      (paths) => {
        const written = paths.map((path) => path.reduce<string>((before, part) => placeIn(before, part), ''));
        assert.equal(new Set(written).size, paths.length);
      },
    ),
  );
});

test('a value does not differ from its copy, and differs from every other', () => {
  fc.assert(
    fc.property(fc.jsonValue({ noUnicodeString: false }), fc.jsonValue(), (one, other) => {
      const copy: unknown = JSON.parse(JSON.stringify(one));
      assert.deepEqual(differingPlaces(JSON.parse(JSON.stringify(one)), copy), []);
      const isSame = sorted(one) === sorted(other);
      assert.equal(
        differingPlaces(JSON.parse(JSON.stringify(one)), JSON.parse(JSON.stringify(other))).length === 0,
        isSame,
      );
    }),
  );
});

test('as many places are found as a person reads, however deep the values are', () => {
  const wide = Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`key ${at}`, at]));
  assert.equal(differingPlaces(wide, {}).length, 100);
  const deep = (end: number): unknown => {
    let value: unknown = end;
    for (let depth = 0; depth < 1_000; depth += 1) value = [value];
    return value;
  };
  assert.equal(differingPlaces(deep(1), deep(2)).length, 1);
  assert.equal(differingPlaces(deep(1), deep(1)).length, 0);
});

function sorted(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}
