import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CacheStore } from '../cache.ts';
import { memoryCacheStore } from './cache.ts';

describe('a cache in memory', () => {
  it('gives what was kept last under a key', () => {
    const store = memoryCacheStore();
    assert.equal(store.get('a'), undefined);
    void store.set('a', '1', 1);
    void store.set('a', '2', 1);
    assert.equal(store.get('a'), '2');
  });

  it('forgets all under a prefix, and nothing else', () => {
    const store = memoryCacheStore();
    for (const key of ['a1', 'a2', 'b1', '__proto__']) void store.set(key, key, 1);
    void store.delete('a');
    assert.deepEqual(
      ['a1', 'a2', 'b1', '__proto__'].map((key) => store.get(key)),
      [undefined, undefined, 'b1', '__proto__'],
    );
  });

  it('forgets the longest unused past its number of responses', () => {
    const store = memoryCacheStore({ maxEntries: 2 });
    void store.set('a', '1', 1);
    void store.set('b', '2', 1);
    void store.get('a');
    void store.set('c', '3', 1);
    assert.deepEqual([store.get('a'), store.get('b'), store.get('c')], ['1', undefined, '3']);
  });

  it('holds no more than its bytes, and what was freed can be used again', () => {
    const store = memoryCacheStore({ maxBytes: 100 });
    void store.set('a', 'x'.repeat(30), 1);
    void store.set('b', 'x'.repeat(30), 1);
    assert.deepEqual([store.get('a'), sizeOf(store, 'b')], [undefined, 30]);
    void store.set('b', 'x'.repeat(10), 1);
    void store.set('a', 'x'.repeat(30), 1);
    assert.deepEqual([sizeOf(store, 'a'), sizeOf(store, 'b')], [30, 10]);
    void store.delete('');
    void store.set('c', 'x'.repeat(49), 1);
    assert.equal(sizeOf(store, 'c'), 49);
  });

  it('does not keep what is too large for it, nor what that was to replace', () => {
    const store = memoryCacheStore({ maxBytes: 100 });
    void store.set('a', 'old', 1);
    void store.set('a', 'x'.repeat(100), 1);
    assert.equal(store.get('a'), undefined);
  });

  for (const options of [{ maxEntries: 0 }, { maxBytes: -1 }, { maxBytes: Number.NaN }]) {
    it(`is refused with ${JSON.stringify(options)}`, () => assert.throws(() => memoryCacheStore(options), TypeError));
  }
});

function sizeOf(store: CacheStore, key: string): number | undefined {
  const value = store.get(key);
  return typeof value === 'string' ? value.length : undefined;
}
