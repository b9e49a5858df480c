import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memoryStore } from '../../../storage/memory/store.ts';
import { StoreError } from '../../../storage/store.ts';
import { ServiceListeners } from './listeners.ts';
import { toldStore } from './observed-store.ts';

test('a writer whose stream was forgotten goes on by its mark in a store that is told of too', async () => {
  const clock = { now: 0 };
  const store = memoryStore({ now: () => clock.now });
  const log = toldStore(store, new ServiceListeners(undefined, {})).events.open('s');
  const writer = await log.write('a', '');
  await writer.append('1');
  clock.now += 6 * 60_000;
  const again = await log.write('a', '', writer.mark);
  assert.equal(await again.append('2'), 2);
});

test('a store that is away is told once, and for how long it was when it is back', async (t) => {
  const clock = { now: 10 };
  t.mock.method(performance, 'now', () => clock.now);
  const events: unknown[] = [];
  const store = memoryStore();
  let error: Error | undefined;
  const publish: typeof store.bus.publish = async (...given) => {
    if (error !== undefined) throw error;
    return await store.bus.publish(...given);
  };
  const told = toldStore(
    { ...store, bus: { ...store.bus, publish } },
    new ServiceListeners((event) => void events.push(event)),
  );
  const ask = async (): Promise<void> => {
    await Promise.resolve(told.bus.publish('c', 'x')).catch(() => undefined);
    await new Promise(setImmediate);
  };
  await ask();
  assert.deepEqual(events, []);
  error = new StoreError('unavailable', 'x');
  await ask();
  clock.now += 5;
  await ask();
  assert.deepEqual(events.splice(0), [{ type: 'store-lost' }]);
  clock.now += 7;
  error = undefined;
  await ask();
  await ask();
  assert.deepEqual(events.splice(0), [{ type: 'store-back', awayMs: 12 }]);
  error = new Error('another failure');
  await ask();
  assert.deepEqual(events, []);
});
