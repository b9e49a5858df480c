import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RowView } from '../../view.ts';
import { isUnanswered, statusText } from './status.ts';

const common = { t: 0, s: 'A', c: 1, bytes: 7 } as const;
const asked: RowView = { ...common, n: 1, from: 'client', lane: 'message', what: 'tools/call', kind: 'request' };
const came = (more: Partial<RowView>): RowView => {
  return { ...common, n: 2, from: 'server', lane: 'http', what: 'x', over: 1, ...more };
};

for (const [words, end] of [
  ['error', came({ lane: 'message', kind: 'error', status: 400 })],
  [502, came({ status: 502 })],
  [401, came({ status: 401 })],
  ['other id', came({ lane: 'message', kind: 'result', status: 200 })],
  ['unreadable', came({ lane: 'message', status: 200, problem: true })],
  ['unreadable', came({ lane: 'message' })],
  ['broke off', came({ lane: 'event' })],
  ['not reached', came({ problem: true })],
  ['no JSON', came({ status: 200 })],
  ['no answer', came({ status: 202, bytes: 0 })],
  ['no answer', undefined],
] as const)
  test(`a request without an answer is ${words} where ${JSON.stringify(end)} came`, () => {
    const over: RowView = { ...asked, over: 2 };
    assert.equal(statusText(over, { rowAt: () => end, isOpen: () => true }), words);
    assert.ok(isUnanswered(over));
  });

test('a request waits as long as an answer may come, and is given up or answered whatever came before', () => {
  const status = (one: RowView, isOpen: boolean): string | number =>
    statusText(one, { rowAt: () => undefined, isOpen: () => isOpen });
  assert.deepEqual([status(asked, true), status(asked, false)], ['waits', 'no answer']);
  const [left, paired] = [
    { ...asked, over: 2, cancelled: true as const },
    { ...asked, over: 2, pair: 3 },
  ];
  assert.deepEqual([status(left, true), status(paired, true)], ['given up', '']);
  assert.deepEqual([asked, left, paired].map(isUnanswered), [false, false, false]);
});
