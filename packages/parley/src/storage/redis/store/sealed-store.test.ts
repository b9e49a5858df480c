import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { memoryStore } from '../../memory/store.ts';
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

const minute = 60_000;

test('a record that is kept alive is sealed by the newest key, and outlives the one that it was sealed by', async () => {
  const inside = memoryStore();
  const [old, young] = [randomBytes(32), randomBytes(32)];
  const [before, during, after] = [[old], [young, old], [young]].map((keys) => sealedStore(inside, keys).records);
  const version = await before?.put('session', 'known', minute);
  assert.equal(await after?.get('session'), undefined);
  assert.equal(await during?.touch('session', minute), true);
  const kept = await after?.get('session');
  assert.equal(kept?.text, 'known');
  // Others see that it was written, as after any change.
  assert.ok((kept?.version ?? 0) > (version ?? 0));
  assert.equal(await during?.touch('session', minute), true);
  assert.equal((await after?.get('session'))?.version, kept?.version);
  await inside.close();
});

test('a record that nobody can open is kept alive as it is, and one that is gone is not', async () => {
  const inside = memoryStore();
  const [mine, other] = [1, 2].map(() => sealedStore(inside, [randomBytes(32)]).records);
  await other?.put('session', 'known', minute);
  assert.equal(await mine?.touch('session', minute), true);
  assert.equal((await other?.get('session'))?.text, 'known');
  assert.equal(await mine?.touch('none', minute), false);
  await inside.close();
});

test('a record is kept alive though the keys cannot be had', async () => {
  const inside = memoryStore();
  await inside.records.put('session', 'sealed by somebody', minute);
  const { records } = sealedStore(inside, () => {
    throw new Error('the keys are away');
  });
  assert.equal(await records.touch('session', minute), true);
  await inside.close();
});

test('a writer whose stream was forgotten goes on by its mark where texts are sealed', async () => {
  const clock = { now: 0 };
  const log = sealedStore(memoryStore({ now: () => clock.now }), [randomBytes(32)]).events.open('s');
  const writer = await log.write('a', 'about');
  await writer.append('1');
  clock.now += 6 * 60_000;
  const again = await log.write('a', 'about', writer.mark);
  assert.equal(await again.append('2'), 2);
  assert.deepEqual(await log.read('a', 1), { events: [{ number: 2, data: '2' }], complete: false, about: 'about' });
});
