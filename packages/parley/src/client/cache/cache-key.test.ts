/** Keys of the cache, and what a notification makes stale. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cacheKeyOf, canonicalText, isCacheable, madeStale, openKeyOf } from './cache-key.ts';

const updated = 'notifications/resources/updated';

test('an update of a resource of up to 32 levels makes its parts and wholes stale, a deeper one all reads', () => {
  const uri = (levels: number): string => `a:${'/x'.repeat(levels)}`;
  const { only, methods } = madeStale(updated, { uri: uri(32) });
  assert.deepEqual([methods, only?.uri, only?.wholes.length], [['resources/read'], uri(32), 64]);
  assert.deepEqual(only?.wholes.slice(0, 4), ['a:', 'a:/', 'a:/x', 'a:/x/']);
  assert.deepEqual(madeStale(updated, { uri: uri(33) }), { methods });
  assert.deepEqual(madeStale(updated, { uri: 'a:b?c#d' }).only?.wholes, ['a:b', 'a:b?', 'a:b?c', 'a:b?c#']);
  assert.deepEqual(madeStale(updated, { uri: 1 }), { methods });
});

test('a change of a list makes the list stale, and another notification nothing', () => {
  assert.deepEqual(madeStale('notifications/tools/list_changed', { uri: 'a:b' }), { methods: ['tools/list'] });
  assert.deepEqual(madeStale('notifications/message', {}), { methods: [] });
});

test('what answers input is not cached, nor are methods without a hint', () => {
  assert.equal(isCacheable('tools/list', undefined), true);
  assert.equal(isCacheable('tools/list', { cursor: 'x' }), true);
  assert.equal(isCacheable('tools/list', { inputResponses: {} }), false);
  assert.equal(isCacheable('tools/list', { requestState: 'x' }), false);
  assert.equal(isCacheable('tools/call', {}), false);
});

test('a key is the same for objects that differ in the order of their keys alone', () => {
  assert.equal(canonicalText({ b: [{ d: 1, c: 2 }], a: null }), '{"a":null,"b":[{"c":2,"d":1}]}');
  assert.equal(canonicalText({ a: [2, 1] }), '{"a":[2,1]}');
  assert.equal(canonicalText(undefined), '');
  assert.notEqual(cacheKeyOf('a', 'b'), cacheKeyOf('a\n"b"'));
  const [open, whole] = [openKeyOf('a:b'), JSON.stringify(canonicalText({ uri: 'a:b/c' }))];
  assert.ok(whole.startsWith(open));
  assert.ok(!JSON.stringify(canonicalText({ uri: 'a:c' })).startsWith(open));
});
