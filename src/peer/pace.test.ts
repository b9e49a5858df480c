import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PollPace } from './poll-pace.ts';

const even = (): number => 0;

test('a task is asked for at the interval that is told, and more seldom while nothing changes [tasks-016]', () => {
  const pace = new PollPace(even);
  assert.deepEqual(
    [pace.next(1000, 'a'), pace.next(1000, 'a'), pace.next(1000, 'a'), pace.next(1000, 'b')],
    [1000, 1500, 2250, 1000],
  );
});

test('it is asked for each second where no interval is told, or none that makes sense', () => {
  for (const told of [undefined, null, Number.NaN, Infinity, '5']) assert.equal(new PollPace(even).next(told, 0), 1000);
});

test('it is asked for ten times a second at most, whatever is told', () => {
  for (const told of [0, -1, 1, 99]) assert.equal(new PollPace(even).next(told, 0), 100);
});

test('what is told is never shortened, and what is not told never slower than each 30 seconds', () => {
  const pace = new PollPace(even);
  let last = 0;
  for (let times = 0; times < 100; times++) last = pace.next(1000, 'a');
  assert.equal(last, 30_000);
  assert.equal(new PollPace(even).next(600_000, 'a'), 600_000);
  for (const random of [0, 0.5, 1]) assert.ok(new PollPace(() => random).next(1000, 0) >= 1000);
});
