import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StoreError, type Store } from '../store.ts';
import { memoryStore, type MemoryStoreOptions } from './store.ts';

function clocked(options: MemoryStoreOptions = {}): { readonly store: Store; pass(ms: number): void } {
  let time = 0;
  return { store: memoryStore({ ...options, now: () => time }), pass: (ms) => void (time += ms) };
}

function reasonOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof StoreError) return error.reason;
    throw error;
  }
  return 'none';
}

test('a record is there until its time is over, and its key free from then on', () => {
  const { store, pass } = clocked();
  assert.equal(store.records.add('a', 'one', 10), true);
  assert.equal(store.records.add('a', 'two', 10), false);
  pass(9);
  assert.deepEqual(store.records.get('a'), { text: 'one', version: 1 });
  pass(1);
  assert.equal(store.records.get('a'), undefined);
  assert.equal(store.records.touch('a', 10), false);
  assert.equal(store.records.add('a', 'two', 10), true);
});

test('a version is never given twice, not even after a delete or an expiry', () => {
  const { store, pass } = clocked();
  const versions = [store.records.put('a', '', 10)];
  void store.records.delete('a');
  versions.push(store.records.put('a', '', 10));
  pass(10);
  versions.push(store.records.put('a', '', 10, 0));
  assert.deepEqual(versions, [1, 2, 3]);
});

test('a put of a version is done in its place alone, and one of version 0 where nothing is', () => {
  const { store, pass } = clocked();
  assert.equal(store.records.put('a', 'x', 10, 5), undefined);
  const first = store.records.put('a', 'one', 10, 0);
  assert.equal(store.records.put('a', 'x', 10, 0), undefined);
  assert.equal(typeof first, 'number');
  const second = store.records.put('a', 'two', 10, Number(first));
  assert.equal(store.records.put('a', 'x', 10, Number(first)), undefined);
  pass(10);
  assert.equal(store.records.put('a', 'x', 10, Number(second)), undefined);
  assert.equal(store.records.get('a'), undefined);
});

test('a record that is touched lives from then on, longer or shorter', () => {
  const { store, pass } = clocked({ maxRecords: 2 });
  void store.records.add('long', '', 10);
  void store.records.add('short', '', 10);
  assert.equal(store.records.touch('long', 100), true);
  assert.equal(store.records.touch('short', 2), true);
  pass(50);
  // Which lets go of what expired.
  assert.equal(store.records.add('new', '', 10), true);
  assert.equal(store.records.get('short'), undefined);
  assert.deepEqual(store.records.get('long'), { text: '', version: 1 });
});

test('what has no room is refused, and nothing that is kept goes for it', () => {
  const { store, pass } = clocked({ maxRecords: 2, maxRecordBytes: 1_000 });
  void store.records.add('a', '', 10);
  void store.records.add('b', '', 20);
  assert.equal(
    reasonOf(() => store.records.add('c', '', 10)),
    'full',
  );
  assert.equal(
    reasonOf(() => store.records.put('a', 'x'.repeat(500), 10)),
    'full',
  );
  assert.deepEqual(store.records.get('a'), { text: '', version: 1 });
  pass(10);
  assert.equal(store.records.add('c', '', 10), true);
  assert.equal(
    reasonOf(() => store.records.put('b', 'x'.repeat(4 * 1024 * 1024 + 1), 10)),
    'too-large',
  );
});
