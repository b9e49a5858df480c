import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RowView } from '../../view.ts';
import { foldRows, type FoldedRows } from './fold.ts';

function rowOf(n: number, what: string, more: Partial<RowView> = {}): RowView {
  return { n, t: n, s: 'A', c: 1, from: 'client', lane: 'message', what, bytes: 1, ...more };
}

const polled: readonly RowView[] = [
  rowOf(1, 'tools/call', { kind: 'request', about: 'report', pair: 2 }),
  rowOf(2, 'tools/call', { kind: 'result', from: 'server', pair: 1 }),
  rowOf(3, 'tasks/get', { kind: 'request', about: 't-1', pair: 4 }),
  rowOf(4, 'tasks/get', { kind: 'result', from: 'server', about: 'working', pair: 3 }),
  rowOf(5, 'subscriptions/listen', { kind: 'request', about: 'task t-1' }),
  rowOf(6, 'tasks/get', { kind: 'request', about: 't-2', pair: 8 }),
  rowOf(7, 'notifications/tasks', { kind: 'notice', from: 'server', about: 't-1 working half done' }),
  rowOf(8, 'tasks/get', { kind: 'result', from: 'server', about: 'completed', pair: 6 }),
  rowOf(9, 'tasks/get', { kind: 'request', about: 't-1', pair: 10 }),
  rowOf(10, 'tasks/get', { kind: 'error', from: 'server', about: 'no such task', pair: 9 }),
  rowOf(11, 'tasks/cancel', { kind: 'request', about: 't-1' }),
];

function folded(rows: readonly RowView[], open: readonly string[] = [], chosen?: number): FoldedRows {
  const rowAt = (n: number | undefined): RowView | undefined => rows.find((row) => row.n === n);
  return foldRows(rows, { rowAt, open: new Set(open), chosen });
}

const numbers = ({ rows }: FoldedRows): readonly number[] => rows.map(({ n }) => n);

test('polls of a task and what is told of it are one row for each task', () => {
  const result = folded(polled);
  assert.deepEqual(numbers(result), [1, 2, 3, 6, 10, 11]);
  assert.deepEqual(
    [...result.folds],
    [
      [3, { key: 'A 1 t-1', behind: 4, polls: 2, told: 1, isOpen: false, hasChosen: false, last: 'working half done' }],
      [6, { key: 'A 1 t-2', behind: 1, polls: 1, told: 0, isOpen: false, hasChosen: false, last: 'completed' }],
    ],
  );
});

test('a fold is open at the wish of the person, and where the chosen row is in it', () => {
  assert.deepEqual(numbers(folded(polled, ['A 1 t-2'])), [1, 2, 3, 6, 8, 10, 11]);
  assert.deepEqual(numbers(folded(polled, [], 7)), [1, 2, 3, 4, 5, 6, 7, 9, 10, 11]);
  assert.deepEqual(numbers(folded(polled, [], 3)), [1, 2, 3, 6, 10, 11]);
});

test('what breaks a requirement keeps its row, and a listen for several things is of none of them', () => {
  const rows = [
    rowOf(1, 'tasks/get', { kind: 'request', about: 't-1', pair: 2 }),
    rowOf(2, 'tasks/get', { kind: 'result', about: 'odd', pair: 1, broken: ['tasks-001'] }),
    rowOf(3, 'subscriptions/listen', { kind: 'request', about: 'tasks t-1 t-2' }),
    rowOf(4, 'subscriptions/listen', { kind: 'request', about: 'task t-1, tools' }),
  ];
  assert.deepEqual(numbers(folded(rows)), [1, 2, 3, 4]);
});

test('the same task of another connection or server is another row', () => {
  const rows = [
    rowOf(1, 'tasks/get', { kind: 'request', about: 't-1' }),
    rowOf(2, 'tasks/get', { kind: 'request', about: 't-1', c: 2 }),
    rowOf(3, 'tasks/get', { kind: 'request', about: 't-1', s: 'B' }),
  ];
  assert.deepEqual(numbers(folded(rows)), [1, 2, 3]);
});
