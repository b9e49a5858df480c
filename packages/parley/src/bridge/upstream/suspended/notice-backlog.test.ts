import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NoticeBacklog, type ServerNotice } from './notice-backlog.ts';

function notice(at: number, length = 1): ServerNotice {
  return { method: 'notifications/message', params: { level: 'info', data: `${at}`.padStart(length, ' ') } };
}

function numbers(kept: NoticeBacklog): number[] {
  return kept.take().map(({ params }) => Number(params['data']));
}

test('the last notifications are kept, in order, and given once', () => {
  const kept = new NoticeBacklog();
  for (let at = 0; at < 150; at++) kept.add(notice(at));
  assert.deepEqual(
    numbers(kept),
    Array.from({ length: 100 }, (_, at) => 50 + at),
  );
  assert.deepEqual(numbers(kept), []);
});

test('long notifications are kept as far as they are not too much together', () => {
  const kept = new NoticeBacklog();
  for (let at = 0; at < 100; at++) kept.add(notice(at, 100_000));
  assert.deepEqual(numbers(kept), [98, 99]);
  for (let at = 0; at < 3; at++) kept.add(notice(at, 100_000));
  assert.deepEqual(numbers(kept), [1, 2]);
});

test('one that is too long drives no other out', () => {
  const kept = new NoticeBacklog();
  kept.add(notice(1));
  kept.add(notice(2, 1_000_000));
  assert.deepEqual(numbers(kept), [1]);
});
