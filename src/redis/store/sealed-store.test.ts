import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memoryStore } from '../../store/memory/store.ts';
import { sealedStore } from './sealed-store.ts';

test('what is heard while the sealing keys cannot be had is missed, and harms nobody', async () => {
  const store = memoryStore();
  const key = new Uint8Array(32);
  let isAway = true;
  const elsewhere = sealedStore(store, [key]);
  const here = sealedStore(store, () => {
    if (isAway) throw new Error('the keys are away');
    return [key];
  });
  let tell = (_: string): void => undefined;
  const next = (): Promise<string> => new Promise((resolve) => (tell = resolve));
  const leave = await here.bus.subscribe(
    'channel',
    (text) => tell(text),
    () => tell('a gap'),
  );
  const first = next();
  await elsewhere.bus.publish('channel', 'one');
  assert.equal(await first, 'a gap');
  isAway = false;
  const second = next();
  await elsewhere.bus.publish('channel', 'two');
  assert.equal(await second, 'two');
  await leave();
});
