import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RowView } from '../../view.ts';
import { HeldRows, indexOfRow } from './rows.ts';

function rowOf(n: number, what: string = 'ping'): RowView {
  return { n, t: n, s: 'A', c: 1, from: 'client', lane: 'message', what, bytes: 1 };
}

const numbers = (held: HeldRows): readonly number[] => held.all.map(({ n }) => n);

test('rows stand in the order of their numbers, whenever they are told', () => {
  const held = new HeldRows();
  held.take([rowOf(1), rowOf(4)]);
  // The second changed before it was told, so that the third came first.
  held.take([rowOf(3), rowOf(2)]);
  assert.deepEqual(numbers(held), [1, 2, 3, 4]);
});

test('a row that changes, also between two frames, is held as it is now', () => {
  const held = new HeldRows();
  held.take([rowOf(1), rowOf(2, 'old'), rowOf(2, 'older than it is'), rowOf(2, 'new')]);
  assert.deepEqual([numbers(held), held.at(2)?.what], [[1, 2], 'new']);
  held.take([rowOf(1, 'changed')]);
  assert.deepEqual([numbers(held), held.at(1)?.what], [[1, 2], 'changed']);
});

test('no more than 40,000 rows are held, and the oldest leave', () => {
  const held = new HeldRows();
  for (let n = 0; n < 40_010; n += 10) held.take(Array.from({ length: 10 }, (_, at) => rowOf(n + at)));
  assert.deepEqual([held.all.length, held.all[0]?.n, held.at(9), held.at(10)?.n], [40_000, 10, undefined, 10]);
});

test('rows are found by their numbers, and what is forgotten is not', () => {
  const held = new HeldRows();
  held.take([rowOf(2), rowOf(5), rowOf(9)]);
  held.forget(({ n }) => n === 5);
  assert.deepEqual(
    [1, 2, 5, 9, 10].map((n) => indexOfRow(held.all, n)),
    [-1, 0, -1, 1, -1],
  );
});
