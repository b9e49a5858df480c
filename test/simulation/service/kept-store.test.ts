import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memoryStore } from '../../../packages/parley/src/storage/memory/store.ts';
import { KeptStore } from './kept-store.ts';

const lasting = 600_000;

function kept(): { readonly store: KeptStore; pass(ms: number): void } {
  let now = 0;
  const clock = (): number => now;
  return { store: new KeptStore(() => memoryStore({ now: clock }), clock), pass: (ms) => void (now += ms) };
}

test('versions grow over an emptying and a taking over', async () => {
  const { store, pass } = kept();
  const versions = [await store.records.put('a', '', lasting), await store.records.put('a', '', lasting)];
  store.empty();
  versions.push(await store.records.put('a', '', lasting));
  pass(5_000);
  store.takeOver();
  versions.push(await store.records.put('a', '', lasting));
  assert.deepEqual(versions, [1, 2, 3, 4]);
});

test('a replica that takes over has its records in the versions that they had, but for the last moment', async () => {
  const { store, pass } = kept();
  const [old, changed] = [
    await store.records.put('old', 'o', lasting),
    await store.records.put('changed', 'before', lasting),
  ];
  await store.records.put('deleted', 'd', lasting);
  pass(5_000);
  const newer = await store.records.put('changed', 'after', lasting, changed);
  await store.records.put('new', 'n', lasting);
  await store.records.delete('deleted');
  store.takeOver();
  assert.deepEqual(await store.records.get('old'), { text: 'o', version: old });
  assert.deepEqual(await store.records.get('changed'), { text: 'before', version: changed });
  assert.equal(await store.records.put('changed', 'x', lasting, newer), undefined);
  assert.equal((await store.records.get('deleted'))?.text, 'd');
  assert.equal(await store.records.get('new'), undefined);
  assert.notEqual(await store.records.put('old', 'o2', lasting, old), undefined);
});
