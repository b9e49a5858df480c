import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EndedSessions } from './ended-sessions.ts';

test('ended sessions are counted, and told at most once a minute', (t) => {
  let now = 0;
  t.mock.method(performance, 'now', () => now);
  const told: string[] = [];
  const ended = new EndedSessions((message) => void told.push(message.split(' to make room')[0] ?? ''));
  ended.add(0, 'all');
  ended.add(1, 'all');
  now = 59_999;
  ended.add(1, 'all');
  ended.add(2, 'all');
  assert.deepEqual(told.splice(0), ['a session was ended']);
  now = 60_000;
  ended.add(0, 'all');
  assert.deepEqual(told, []);
  ended.add(1, 'all');
  now = 119_999;
  ended.add(1, 'all');
  assert.deepEqual(told.splice(0), ['4 sessions were ended']);
  now = 120_000;
  ended.add(1, 'all');
  assert.deepEqual(told, ['2 sessions were ended']);
});

test('the option that allows more is named where there is one', () => {
  const told: string[] = [];
  for (const option of ['maxUpstreams', undefined])
    new EndedSessions((message) => void told.push(message)).add(1, 'all 64 connections', option);
  assert.match(told[0] ?? '', /since all 64 connections were in use: .*; maxUpstreams allows more$/);
  assert.match(told[1] ?? '', /opens a new session$/);
});
