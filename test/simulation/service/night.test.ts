import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nodesOf, runNight } from './night.ts';

test('a night has schedules of one, two and three processes, and says where to go on', async () => {
  assert.deepEqual([1, 2, 3, 4].map(nodesOf), [2, 3, 1, 2]);
  const { failed, tally, next } = await runNight({ from: 7, count: 3, seconds: Infinity }, () => {});
  assert.deepEqual([failed, tally.schedules, next], [[], 3, 10]);
});

test('a night ends when its time is over', async () => {
  const { tally, next } = await runNight({ from: 7, count: 3, seconds: 0 }, () => {});
  assert.deepEqual([tally.schedules, next], [0, 7]);
});
