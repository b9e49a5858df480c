import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memoryStore } from '../../store/memory/store.ts';
import { ServiceListeners } from './listeners.ts';
import { toldStore } from './told-store.ts';

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
