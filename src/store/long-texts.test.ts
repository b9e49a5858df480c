import assert from 'node:assert/strict';
import { test } from 'node:test';
import { settle } from '../../test/support/raw.ts';
import { busOfLongTexts } from './long-texts.ts';
import { memoryStore } from './memory/store.ts';

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
