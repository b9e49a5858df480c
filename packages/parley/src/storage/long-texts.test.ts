import assert from 'node:assert/strict';
import { test } from 'node:test';
import { settle } from '../../../../test/support/raw.ts';
import { busOfLongTexts } from './long-texts.ts';
import { memoryStore } from './memory/store.ts';
import { maxRecordLength } from './records.ts';

test('a text of any length reaches a listener whole, in the order of sending', async () => {
  const store = memoryStore();
  const [here, there] = [busOfLongTexts(store), busOfLongTexts(store)];
  const long = `${'x'.repeat(4 * 1024 * 1024)}end`;
  const heard: string[] = [];
  const end = await there.subscribe('a', (text) => heard.push(text));
  const sent = ['before', long, 'r', '', 'after'];
  const counts = await Promise.all(sent.map(async (text) => await here.publish('a', text)));
  await settle();
  assert.equal(heard.join() === sent.join(), true);
  assert.deepEqual(counts, [1, 1, 1, 1, 1]);
  await end();
  assert.equal(await here.publish('a', 'late'), 0);
  await settle();
  assert.equal(heard.length, sent.length);
});

test('a text whose records are gone, or never were, is a gap, and those after it are heard', async () => {
  const store = memoryStore();
  const heard: string[] = [];
  const bus = busOfLongTexts(store);
  const end = await bus.subscribe(
    'a',
    (text) => heard.push(text),
    () => heard.push('gap'),
  );
  for (const text of ['r["none"]', 'rnot JSON', 'r{}', 'tafter']) await store.bus.publish('a', text);
  await settle();
  assert.deepEqual(heard, ['gap', 'gap', 'gap', 'after']);
  await end();
});

test('a text is never cut within a character, and takes no room where nobody hears it', async () => {
  const store = memoryStore();
  const kept = new Set<string>();
  const add = (key: string, text: string, ttlMs: number): boolean => {
    // What a store that writes UTF-8 makes of it.
    void store.records.add(key, new TextDecoder().decode(new TextEncoder().encode(text)), ttlMs);
    kept.add(key);
    return true;
  };
  const forget = (key: string): void => void (kept.delete(key) && store.records.delete(key));
  const bus = busOfLongTexts({ ...store, records: { ...store.records, add, delete: forget } });
  const long = `${'x'.repeat(maxRecordLength - 1)}${'😀'.repeat(10)}`;
  const heard: string[] = [];
  const end = await bus.subscribe('a', (text) => heard.push(text));
  assert.equal(await bus.publish('a', long), 1);
  await settle();
  assert.equal(heard[0] === long, true);
  kept.clear();
  assert.equal(await bus.publish('nobody', long), 0);
  await settle();
  assert.deepEqual([...kept], []);
  await end();
});

test('a text for one listener is forgotten once it was read, and nothing else is', async () => {
  const store = memoryStore();
  void store.records.add('session 1', 'a secret', 60_000);
  const forgotten: string[] = [];
  const forget = (key: string): void => void (forgotten.push(key) && store.records.delete(key));
  const bus = busOfLongTexts(
    { ...store, records: { ...store.records, delete: forget } },
    (channel) => channel === 'one',
  );
  const heard: number[] = [];
  for (const channel of ['one', 'many']) await bus.subscribe(channel, (text) => heard.push(text.length));
  await store.bus.publish('one', 'r["session 1"]');
  await bus.publish('many', 'x'.repeat(300_000));
  await settle();
  assert.deepEqual([heard, forgotten], [[300_000], []]);
  await bus.publish('one', 'x'.repeat(2 * maxRecordLength + 1));
  await settle();
  assert.deepEqual([heard, forgotten.length], [[300_000, 2 * maxRecordLength + 1], 3]);
});

test('no record is read but those of long texts', async () => {
  const store = memoryStore();
  void store.records.add('session 1', 'a secret', 60_000);
  const heard: string[] = [];
  const end = await busOfLongTexts(store).subscribe(
    'a',
    (text) => heard.push(text),
    () => heard.push('gap'),
  );
  await store.bus.publish('a', 'r["session 1"]');
  await settle();
  assert.deepEqual(heard, ['gap']);
  await end();
});
