import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Shares } from './shares.ts';

test('all places can be taken, and half of them by one owner', () => {
  const cases: readonly (readonly [string, number, string | undefined, number | undefined])[] = [
    ['all places without an owner', 8, undefined, undefined],
    ['one place too many', 9, undefined, 8],
    ['half of the places by one owner', 4, 'a', undefined],
    ['more than half by one owner', 5, 'a', 4],
    ['more than all by one owner', 9, 'a', 8],
  ];
  for (const [title, count, owner, limit] of cases) assert.equal(new Shares(8).exceeded(count, owner), limit, title);
});

test('places that are given back can be taken again, each by its owner', () => {
  const shares = new Shares(8);
  shares.add(4, 'a');
  shares.add(3, undefined);
  assert.deepEqual([shares.exceeded(1, 'a'), shares.exceeded(1, 'b'), shares.exceeded(2, 'b')], [4, undefined, 8]);
  shares.add(-1, 'a');
  assert.deepEqual([shares.exceeded(1, 'a'), shares.exceeded(2, 'a')], [undefined, 4]);
  shares.add(-3, 'a');
  shares.add(-3, undefined);
  assert.deepEqual([shares.exceeded(4, 'a'), shares.exceeded(8, undefined)], [undefined, undefined]);
});
