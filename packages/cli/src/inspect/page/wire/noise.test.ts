import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RowView } from '../../view.ts';
import { withoutNoise } from './noise.ts';

function row(n: number, what: string, more: Partial<RowView> = {}): RowView {
  return { n, t: n, s: 'A', c: 1, from: 'client', lane: 'message', what, bytes: 1, ...more };
}

/** A request with its answer in the next row. */
function pair(n: number, what: string, more: Partial<RowView> = {}): readonly RowView[] {
  return [
    row(n, what, { kind: 'request', pair: n + 1, ms: 1, ...more }),
    row(n + 1, what, { kind: 'result', from: 'server', pair: n, ...more }),
  ];
}

test('pings, comments and lists that were read before are hidden, and counted', () => {
  const rows = [
    ...pair(1, 'tools/list'),
    ...pair(3, 'ping'),
    row(5, 'comment keep-alive', { lane: 'event' }),
    ...pair(6, 'tools/list'),
    ...pair(8, 'tools/list', { about: 'page 2' }),
    ...pair(10, 'tools/call'),
  ];
  const { rows: seen, hidden } = withoutNoise(rows, undefined);
  assert.deepEqual([seen.map(({ n }) => n), hidden], [[1, 2, 8, 9, 10, 11], 5]);
});

test('a list that is read on another connection is shown', () => {
  const rows = [...pair(1, 'tools/list'), ...pair(3, 'tools/list', { c: 2 })];
  assert.equal(withoutNoise(rows, undefined).hidden, 0);
});

test('a fault, an open ping and the chosen row are shown', () => {
  const rows = [
    ...pair(1, 'tools/list'),
    ...pair(3, 'tools/list', { broken: ['tools-009'] }),
    row(5, 'ping', { kind: 'request' }),
    ...pair(6, 'ping'),
  ];
  assert.deepEqual(
    withoutNoise(rows, 7).rows.map(({ n }) => n),
    [1, 2, 3, 4, 5, 7],
  );
});
