import assert from 'node:assert/strict';
import { getEventListeners, once } from 'node:events';
import process from 'node:process';
import { it } from 'node:test';
import { runOnAbort } from './run-on-abort.ts';

it('a signal has one listener, however many wait, and none once all have ended', () => {
  const { signal } = new AbortController();
  const ends = Array.from({ length: 50 }, () => runOnAbort(signal, () => {}));
  assert.equal(getEventListeners(signal, 'abort').length, 1);
  for (const end of [...ends, ...ends]) end();
  assert.equal(getEventListeners(signal, 'abort').length, 0);
  runOnAbort(signal, () => {});
  assert.equal(getEventListeners(signal, 'abort').length, 1);
});

it('all that wait run once, in the order in which they came', () => {
  const controller = new AbortController();
  const ran: number[] = [];
  for (let n = 0; n < 20; n++) runOnAbort(controller.signal, () => ran.push(n));
  controller.abort();
  controller.abort();
  assert.deepEqual(
    ran,
    Array.from({ length: 20 }, (_, n) => n),
  );
});

it('what ended does not run, though it ended while others ran', () => {
  const controller = new AbortController();
  const ran: string[] = [];
  const before = runOnAbort(controller.signal, () => ran.push('ended before'));
  runOnAbort(controller.signal, () => {
    ran.push('first');
    meanwhile();
  });
  const meanwhile = runOnAbort(controller.signal, () => ran.push('ended meanwhile'));
  runOnAbort(controller.signal, () => ran.push('last'));
  before();
  controller.abort();
  assert.deepEqual(ran, ['first', 'last']);
});

it('what throws stops no other, and is told as an error that nobody caught', async () => {
  const controller = new AbortController();
  const ran: string[] = [];
  runOnAbort(controller.signal, () => {
    throw new Error('of the first');
  });
  runOnAbort(controller.signal, () => ran.push('second'));
  const listeners = process.listeners('uncaughtException');
  process.removeAllListeners('uncaughtException');
  try {
    const told = once(process, 'uncaughtException');
    controller.abort();
    assert.deepEqual(ran, ['second']);
    assert.match(String((await told)[0]), /of the first/);
  } finally {
    for (const listener of listeners) process.on('uncaughtException', listener);
  }
});
