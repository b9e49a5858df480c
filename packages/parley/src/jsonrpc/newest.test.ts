import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addNewest, setNewest } from './newest.ts';

test('a map keeps so many entries, and the one that was put there first goes', () => {
  const map = new Map<string, number>();
  for (const [at, key] of ['a', 'b', 'a', 'c'].entries()) setNewest(map, 2, [key, at]);
  assert.deepEqual(
    [...map],
    [
      ['a', 2],
      ['c', 3],
    ],
  );
});

test('a set keeps so many values, and the one that was put there first goes', () => {
  const set = new Set<string>();
  for (const value of ['a', 'b', 'a', 'c']) addNewest(set, 2, value);
  assert.deepEqual([...set], ['a', 'c']);
});
