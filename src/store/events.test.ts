import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memoryEvents, type EventLimits, type EventLog } from './events.ts';

function log(limits: EventLimits = {}): EventLog {
  return memoryEvents(limits).open('s');
}

function fill(events: EventLog, stream: string, ...numbers: readonly number[]): void {
  for (const number of numbers) void events.append(stream, { number, data: `${stream}${number}` });
}

async function numbers(events: EventLog, stream: string, after: number): Promise<readonly number[] | undefined> {
  return (await events.replayAfter(stream, after))?.map(({ number }) => number);
}

test('replay gives what followed an event on its own stream, and nothing of another [http-040]', async () => {
  const events = log();
  fill(events, 'a', 1, 2);
  fill(events, 'b', 1, 2, 3);
  fill(events, 'a', 3);
  assert.deepEqual(await events.replayAfter('a', 1), [
    { number: 2, data: 'a2' },
    { number: 3, data: 'a3' },
  ]);
  assert.deepEqual(await numbers(events, 'a', 3), []);
  assert.deepEqual(await numbers(events, 'b', 0), [1, 2, 3]);
});

test('an unknown stream, and an event that was never sent, have no replay', async () => {
  const events = log();
  fill(events, 'a', 1);
  assert.equal(await numbers(events, 'b', 0), undefined);
  assert.equal(await numbers(events, 'a', 2), undefined);
  assert.equal(await numbers(events, '__proto__', 0), undefined);
});

test('a replay that would have a gap is none at all', async () => {
  const events = log({ maxEvents: 3 });
  fill(events, 'a', 1, 2, 3, 4, 5);
  assert.equal(await numbers(events, 'a', 1), undefined);
  assert.deepEqual(await numbers(events, 'a', 2), [3, 4, 5]);
});

test('the limits of a session hold over all its streams, and leave other sessions alone', async () => {
  const store = memoryEvents({ maxSessionLength: 4 });
  const [one, other] = [store.open('1'), store.open('2')];
  fill(one, 'a', 1);
  fill(other, 'a', 1);
  fill(one, 'b', 1, 2);
  assert.equal(await numbers(one, 'a', 0), undefined);
  assert.deepEqual(await numbers(one, 'b', 0), [1, 2]);
  assert.deepEqual(await numbers(other, 'a', 0), [1]);
});

test('the limit of everything together drops what is oldest, of whoever has the most', async () => {
  const store = memoryEvents({ maxLength: 8 });
  const [quiet, one, other] = [store.open('1', 'ann'), store.open('2', 'eve'), store.open('3', 'eve')];
  fill(quiet, 'a', 1);
  fill(one, 'a', 1, 2);
  fill(other, 'a', 1, 2);
  assert.deepEqual(await numbers(quiet, 'a', 0), [1]);
  assert.equal(await numbers(one, 'a', 0), undefined);
  assert.deepEqual(await numbers(one, 'a', 1), [2]);
  assert.deepEqual(await numbers(other, 'a', 0), [1, 2]);
});

test('a session whose owner is not known is counted by itself', async () => {
  const store = memoryEvents({ maxLength: 6 });
  const [one, other] = [store.open('1'), store.open('2')];
  fill(one, 'a', 1);
  fill(other, 'a', 1, 2, 3);
  assert.deepEqual(await numbers(one, 'a', 0), [1]);
  assert.deepEqual(await numbers(other, 'a', 1), [2, 3]);
});

test('events age', async () => {
  let time = 0;
  const events = log({ maxAgeMs: 10, now: () => time });
  fill(events, 'a', 1);
  time = 5;
  fill(events, 'a', 2);
  time = 12;
  assert.deepEqual(await numbers(events, 'a', 1), [2]);
  assert.equal(await numbers(events, 'a', 0), undefined);
  time = 20;
  assert.equal(await numbers(events, 'a', 2), undefined);
});

test('a session that is over gives its room back', async () => {
  const store = memoryEvents({ maxLength: 4 });
  const [one, other] = [store.open('1'), store.open('2')];
  fill(one, 'a', 1, 2);
  void one.clear();
  fill(other, 'a', 1, 2);
  assert.equal(await numbers(one, 'a', 0), undefined);
  assert.deepEqual(await numbers(other, 'a', 0), [1, 2]);
});
