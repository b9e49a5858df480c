import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StoreError } from '../store.ts';
import type { StreamLog } from '../stream-log.ts';
import { memoryStore, type MemoryStoreOptions } from './store.ts';

async function fill(log: StreamLog, stream: string, ...texts: readonly string[]): Promise<void> {
  const writer = await log.write(stream, '');
  for (const text of texts) await writer.append(text);
}

async function numbers(log: StreamLog, stream: string, after: number): Promise<readonly number[] | undefined> {
  return (await log.read(stream, after))?.events.map(({ number }) => number);
}

async function reasonOf(run: () => unknown): Promise<string> {
  try {
    await run();
  } catch (error) {
    if (error instanceof StoreError) return error.reason;
    throw error;
  }
  return 'none';
}

function clocked(options: MemoryStoreOptions = {}): { open(session: string): StreamLog; pass(ms: number): void } {
  let time = 0;
  const { events } = memoryStore({ maxStreamAgeMs: 10, ...options, now: () => time });
  return { open: (session) => events.open(session), pass: (ms) => void (time += ms) };
}

test('what followed an event is read from its own stream, and nothing of another', async () => {
  const log = memoryStore().events.open('s');
  await fill(log, 'a', 'a1', 'a2');
  await fill(log, 'b', 'b1');
  const events = [{ number: 2, data: 'a2' }];
  assert.deepEqual(await log.read('a', 1), { events, complete: false, about: '' });
  assert.deepEqual(await numbers(log, 'a', 2), []);
  assert.equal(await log.read('a', 3), undefined);
  assert.equal(await log.read('__proto__', 0), undefined);
});

test('a new writer goes on with the numbers, and the one before is fenced', async () => {
  const log = memoryStore().events.open('s');
  const one = await log.write('a', 'first');
  await one.append('1');
  const other = await log.write('a', 'second');
  assert.equal(await reasonOf(() => one.append('x')), 'fenced');
  assert.equal(await other.append('2', true), 2);
  assert.equal(await reasonOf(() => other.append('x')), 'fenced');
  assert.equal(await reasonOf(() => log.write('a', '')), 'fenced');
  const events = [1, 2].map((number) => ({ number, data: String(number) }));
  assert.deepEqual(await log.read('a', 0), { events, complete: true, about: 'first' });
});

test('a read that would have a gap is none at all', async () => {
  const log = clocked({ maxEvents: 3 }).open('s');
  await fill(log, 'a', '1', '2', '3', '4', '5');
  assert.equal(await numbers(log, 'a', 1), undefined);
  assert.deepEqual(await numbers(log, 'a', 2), [3, 4, 5]);
});

test('the limits of a session hold over all its streams, and leave other sessions alone', async () => {
  const { open } = clocked({ maxSessionLength: 4 });
  const [one, other] = [open('1'), open('2')];
  await fill(one, 'a', 'a1');
  await fill(other, 'a', 'a1');
  await fill(one, 'b', 'b1', 'b2');
  assert.equal(await numbers(one, 'a', 0), undefined);
  assert.deepEqual(await numbers(one, 'b', 0), [1, 2]);
  assert.deepEqual(await numbers(other, 'a', 0), [1]);
});

test('the limit of everything together drops what was not written for the longest', async () => {
  const { open } = clocked({ maxEventsLength: 4 });
  await fill(open('1'), 'a', 'a1');
  await fill(open('2'), 'a', 'a1', 'a2');
  assert.equal(await numbers(open('1'), 'a', 0), undefined);
  assert.deepEqual(await numbers(open('2'), 'a', 0), [1, 2]);
});

test('an event that is longer than all that may be kept is counted all the same', async () => {
  const log = clocked({ maxSessionLength: 4 }).open('s');
  const writer = await log.write('a', '');
  assert.equal(await writer.append('too long'), 1);
  assert.equal(await log.read('a', 0), undefined);
  assert.deepEqual(await numbers(log, 'a', 1), []);
  assert.equal(await writer.append('2'), 2);
  assert.deepEqual(await numbers(log, 'a', 1), [2]);
});

test('a stream that nobody writes is gone after its time, and its writer counts on', async () => {
  const { open, pass } = clocked();
  const log = open('s');
  const writer = await log.write('a', 'about');
  await writer.append('1');
  pass(9);
  await writer.append('2');
  pass(9);
  assert.deepEqual(await numbers(log, 'a', 0), [1, 2]);
  pass(1);
  assert.equal(await log.read('a', 0), undefined);
  assert.equal(await writer.append('3'), 3);
  assert.deepEqual(await log.read('a', 2), { events: [{ number: 3, data: '3' }], complete: false, about: 'about' });
});

test('a writer whose stream was forgotten is fenced by who began it anew', async () => {
  const { open, pass } = clocked();
  const one = await open('s').write('a', '');
  await one.append('1');
  pass(10);
  const other = await open('s').write('a', '');
  assert.equal(await other.append('new'), 1);
  assert.equal(await reasonOf(() => one.append('x')), 'fenced');
});

test('who goes on by a mark after the stream was forgotten goes on with its numbers', async () => {
  const { open, pass } = clocked();
  const log = open('s');
  const one = await log.write('a', 'about');
  await one.append('1');
  await one.append('2');
  pass(10);
  const again = await log.write('a', 'about', one.mark);
  assert.deepEqual(await log.read('a', 2), { events: [], complete: false, about: 'about' });
  pass(10);
  const third = await log.write('a', 'about', again.mark);
  assert.equal(await third.append('3'), 3);
  assert.equal(await reasonOf(() => again.append('x')), 'fenced');
  assert.deepEqual(await numbers(log, 'a', 2), [3]);
});

test('a session that is over gives its room back, and nobody writes it', async () => {
  const { open } = clocked({ maxEventsLength: 4 });
  const writer = await open('1').write('a', '');
  await writer.append('a1');
  await open('1').clear();
  await fill(open('2'), 'a', 'a1', 'a2');
  assert.equal(await open('1').read('a', 0), undefined);
  assert.deepEqual(await numbers(open('2'), 'a', 0), [1, 2]);
  assert.equal(await reasonOf(() => writer.append('x')), 'fenced');
});
