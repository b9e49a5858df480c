import assert from 'node:assert/strict';
import { test } from 'node:test';
import { baseOf, PollInterval } from './poll-interval.ts';

const even = 0.5;

test('a task is asked for at the interval that is told, and more seldom while nothing changes [tasks-016, tasks-062]', () => {
  const pace = new PollInterval();
  const waits = [pace.next(1000, even), pace.next(1000, even), pace.next(1000, even)];
  pace.changed();
  assert.deepEqual([...waits, pace.next(1000, even)], [1000, 1500, 2250, 1000]);
});

test('a task is asked for each second where no interval is told', () => {
  assert.equal(new PollInterval().next(undefined, even), 1000);
});

test('a task is asked for ten times a second at most, and each hour at least, whatever is told', () => {
  assert.deepEqual([0, -1, 99, 101, 1e15].map(baseOf), [100, 100, 100, 101, 3_600_000]);
  assert.equal(new PollInterval().next(0, 0), 100);
});

test('an interval that is told is never shortened, and no other grows past 30 seconds [tasks-016, tasks-062]', () => {
  const pace = new PollInterval();
  const last = Array.from({ length: 100 }, () => pace.next(1000, even)).at(-1);
  assert.equal(last, 30_000);
  assert.equal(new PollInterval().next(600_000, even), 600_000);
  for (const random of [0, 0.5, 0.999]) assert.ok(new PollInterval().next(1000, random) >= 1000);
});
