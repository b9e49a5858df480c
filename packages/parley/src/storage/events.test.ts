import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memoryEvents, type EventLimits, type EventLog } from './events.ts';

function log(limits: EventLimits = {}): EventLog {
  return memoryEvents(limits).open();
}

function fill(events: EventLog, stream: string, ...numbers: readonly number[]): void {
  for (const number of numbers) events.append(stream, { number, data: `${stream}${number}` });
}

function numbers(events: EventLog, stream: string, after: number): readonly number[] | undefined {
  return events.replayAfter(stream, after)?.map(({ number }) => number);
}

test('replay gives what followed an event on its own stream, and nothing of another [http-040]', () => {
  const events = log();
  fill(events, 'a', 1, 2);
  fill(events, 'b', 1, 2, 3);
  fill(events, 'a', 3);
  assert.deepEqual(events.replayAfter('a', 1), [
    { number: 2, data: 'a2' },
    { number: 3, data: 'a3' },
  ]);
  assert.deepEqual(numbers(events, 'a', 3), []);
  assert.deepEqual(numbers(events, 'b', 0), [1, 2, 3]);
});

test('an unknown stream, and an event that was never sent, have no replay', () => {
  const events = log();
  fill(events, 'a', 1);
  assert.equal(numbers(events, 'b', 0), undefined);
  assert.equal(numbers(events, 'a', 2), undefined);
  assert.equal(numbers(events, '__proto__', 0), undefined);
});

test('a replay that would have a gap is none at all', () => {
  const events = log({ maxEvents: 3 });
  fill(events, 'a', 1, 2, 3, 4, 5);
  assert.equal(numbers(events, 'a', 1), undefined);
  assert.deepEqual(numbers(events, 'a', 2), [3, 4, 5]);
});

test('the limits of a session hold over all its streams, and leave other sessions alone', () => {
  const store = memoryEvents({ maxSessionLength: 4 });
  const [one, other] = [store.open(), store.open()];
  fill(one, 'a', 1);
  fill(other, 'a', 1);
  fill(one, 'b', 1, 2);
  assert.equal(numbers(one, 'a', 0), undefined);
  assert.deepEqual(numbers(one, 'b', 0), [1, 2]);
  assert.deepEqual(numbers(other, 'a', 0), [1]);
});

test('the limit of everything together drops what is oldest, of whoever has the most', () => {
  const store = memoryEvents({ maxLength: 8 });
  const [quiet, one, other] = [store.open('ann'), store.open('eve'), store.open('eve')];
  fill(quiet, 'a', 1);
  fill(one, 'a', 1, 2);
  fill(other, 'a', 1, 2);
  assert.deepEqual(numbers(quiet, 'a', 0), [1]);
  assert.equal(numbers(one, 'a', 0), undefined);
  assert.deepEqual(numbers(one, 'a', 1), [2]);
  assert.deepEqual(numbers(other, 'a', 0), [1, 2]);
});

test('a session whose owner is not known is counted by itself', () => {
  const store = memoryEvents({ maxLength: 6 });
  const [one, other] = [store.open(), store.open()];
  fill(one, 'a', 1);
  fill(other, 'a', 1, 2, 3);
  assert.deepEqual(numbers(one, 'a', 0), [1]);
  assert.deepEqual(numbers(other, 'a', 1), [2, 3]);
});

test('events age', () => {
  let time = 0;
  const events = log({ maxAgeMs: 10, now: () => time });
  fill(events, 'a', 1);
  time = 5;
  fill(events, 'a', 2);
  time = 12;
  assert.deepEqual(numbers(events, 'a', 1), [2]);
  assert.equal(numbers(events, 'a', 0), undefined);
  time = 20;
  assert.equal(numbers(events, 'a', 2), undefined);
});

test('a session that is over gives its room back', () => {
  const store = memoryEvents({ maxLength: 4 });
  const [one, other] = [store.open(), store.open()];
  fill(one, 'a', 1, 2);
  one.clear();
  fill(other, 'a', 1, 2);
  assert.equal(numbers(one, 'a', 0), undefined);
  assert.deepEqual(numbers(other, 'a', 0), [1, 2]);
});
