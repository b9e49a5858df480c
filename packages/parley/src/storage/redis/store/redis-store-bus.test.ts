import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EngineClient } from './client.ts';
import { RedisEngine } from './engine.ts';
import { RedisKeys } from './keys.ts';
import { RedisListening } from './listening.ts';
import { RedisStoreBus } from './redis-store-bus.ts';

/** An engine with a client that answers when it is told to, and the texts that it was sent, together or not. */
function scene(isCluster: boolean): {
  readonly bus: RedisStoreBus;
  readonly sent: (readonly unknown[])[];
  answer(error?: Error): Promise<void>;
} {
  const sent: (readonly unknown[])[] = [];
  const answers: ((error?: Error) => void)[] = [];
  const client = {
    isCluster,
    call: async (command: string, ...words: readonly unknown[]) => {
      const texts = words.slice(command === 'eval' ? 3 : 1);
      sent.push(texts);
      await new Promise<void>((resolve, reject) =>
        answers.push((error) => (error === undefined ? resolve() : reject(error))),
      );
      return command === 'eval' ? texts.map((_, at) => at) : 1;
    },
  } as unknown as EngineClient;
  const engine = new RedisEngine('redis://127.0.0.1', () => undefined);
  Object.assign(engine, { open: async () => client, readyFor: () => client, ownerOf: () => 'here', pause: turn });
  const keys = new RedisKeys('', 's');
  const bus = new RedisStoreBus(engine, { keys, listening: new RedisListening(engine), room: 1 });
  return {
    bus,
    sent,
    async answer(error) {
      answers.shift()?.(error);
      await turn();
    },
  };
}

async function turn(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

test('in a cluster the texts of a channel wait for what is under way there, and go together then', async () => {
  const { bus, sent, answer } = scene(true);
  const counts = ['one', 'two', 'three'].map((text) => bus.publish('c', text));
  const other = bus.publish('d', 'of another channel');
  await turn();
  assert.deepEqual(sent, [['one'], ['of another channel']]);
  await answer();
  assert.deepEqual(sent.slice(2), [['two', 'three']]);
  counts.push(bus.publish('c', 'four'));
  await answer();
  await turn();
  assert.deepEqual(sent.slice(3), []);
  await answer();
  assert.deepEqual(sent.slice(3), [['four']]);
  await answer();
  assert.deepEqual(await Promise.all([...counts, other]), [0, 0, 1, 0, 0]);
});

test('texts that a server refused are sent again before later ones', async () => {
  const { bus, sent, answer } = scene(true);
  const counts = ['one', 'two'].map((text) => bus.publish('c', text));
  await turn();
  await answer(new Error('CLUSTERDOWN The cluster is down'));
  await turn();
  assert.deepEqual(sent, [['one'], ['one']]);
  await answer();
  await answer();
  assert.deepEqual(sent.slice(2), [['two']]);
  await Promise.all(counts);
});

test('no more texts go together than a script is to have', async () => {
  const { bus, sent, answer } = scene(true);
  const counts = Array.from({ length: 150 }, async (_, at) => await bus.publish('c', `${at}`));
  counts.push(...Array.from({ length: 5 }, async () => await bus.publish('c', 'x'.repeat(262_144))));
  await turn();
  for (let at = 0; at < 5; at++) await answer();
  assert.deepEqual(
    sent.map(({ length }) => length),
    [1, 100, 52, 2],
  );
  await Promise.all(counts);
});

test('at one server texts of one channel are sent without waiting', async () => {
  const { bus, sent, answer } = scene(false);
  const counts = ['one', 'two'].map((text) => bus.publish('c', text));
  await turn();
  assert.deepEqual(sent, [['one'], ['two']]);
  await answer();
  await answer();
  assert.deepEqual(await Promise.all(counts), [1, 1]);
});

test('what waits for a text that is under way has a limit too, and what leaves makes room', async () => {
  const { bus, answer } = scene(true);
  const text = 'x'.repeat(256 * 1024);
  const published = Array.from({ length: 260 }, async () => await bus.publish('c', text));
  const ends = Promise.allSettled(published);
  await turn();
  for (let at = 0; at < 255; at++) await answer();
  const refused = (await ends).filter(({ status }) => status === 'rejected');
  // 255 of them have room, the one under way too: each takes a little more than its text.
  assert.equal(refused.length, 5);
  const later = bus.publish('c', 'later');
  await turn();
  await answer();
  assert.equal(await later, 0);
});

test('a text that came later is waited with for its own time, though one that goes with it had no more', async (t) => {
  let now = 0;
  t.mock.method(performance, 'now', () => now);
  const { bus, sent, answer } = scene(true);
  const down = new Error('CLUSTERDOWN The cluster is down');
  const ends = ['one', 'two', 'three'].map(async (text, at) => {
    now = at * 2_000;
    return await bus.publish('c', text).catch((error: unknown) => (error as Error).name);
  });
  await turn();
  for (; now < 7_500; now += 500) {
    await answer(down);
    await turn();
  }
  await answer();
  assert.deepEqual(sent.at(-1), ['three']);
  assert.deepEqual(await Promise.all(ends), ['StoreError', 'StoreError', 0]);
});

test('texts that say little have a limit too, since each takes room to wait', async (t) => {
  t.mock.method(performance, 'now', () => 0);
  const { bus, answer } = scene(true);
  const first = bus.publish('c', 'first');
  await turn();
  await answer(new Error('CLUSTERDOWN The cluster is down'));
  const ends = Array.from({ length: 32_800 }, async () => await bus.publish('c', ''));
  const settled = Promise.allSettled(ends);
  for (let at = 0; at < 330; at++) await answer();
  await first;
  const refused = (await settled).filter(({ status }) => status === 'rejected').length;
  assert.ok(refused > 0 && refused < 100, String(refused));
});
