import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Pauses } from './backoff.ts';

test('each of two waits of one pause ends in its time, and both when it is woken', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const pause = new Pauses();
  const over: string[] = [];
  const wait = (name: string, ms: number): void => void pause.wait(ms).then(() => over.push(name));
  const tick = async (ms: number): Promise<void> => {
    t.mock.timers.tick(ms);
    await Promise.resolve();
  };
  wait('short', 10);
  wait('long', 50);
  await tick(10);
  assert.deepEqual(over, ['short']);
  await tick(39);
  assert.deepEqual(over, ['short']);
  await tick(1);
  assert.deepEqual(over, ['short', 'long']);
  wait('one', 10);
  wait('another', 50);
  pause.wake();
  await Promise.resolve();
  assert.deepEqual(over.slice(2), ['one', 'another']);
});
