import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memoryStore } from './store.ts';

const rate = { perSecond: 2, burst: 3 };

test('a burst is granted at once, and what comes after it by the rate', () => {
  let time = 0;
  const { limits } = memoryStore({ now: () => time });
  const takes = [1, 2, 3, 4].map(() => limits.take('a', rate));
  assert.deepEqual(takes, [{ ok: true }, { ok: true }, { ok: true }, { ok: false, retryAfterMs: 500 }]);
  time = 499;
  assert.deepEqual(limits.take('a', rate), { ok: false, retryAfterMs: 1 });
  time = 500;
  assert.deepEqual(limits.take('a', rate), { ok: true });
  assert.deepEqual(limits.take('a', rate, 2), { ok: false, retryAfterMs: 1_000 });
  assert.deepEqual(limits.take('b', rate, 3), { ok: true });
  assert.deepEqual(limits.take('c', rate, 4), { ok: false, retryAfterMs: 500 });
});

test('many measures are no more than the limit, those first that are as new', () => {
  let time = 0;
  const { limits } = memoryStore({ now: () => time, maxMeasures: 2 });
  const slow = { perSecond: 0.001, burst: 1 };
  void limits.take('quick', { perSecond: 1_000 });
  void limits.take('a', slow);
  time = 2_000;
  void limits.take('b', slow);
  // The one without a debt had gone before.
  assert.equal(Object(limits.take('a', slow)).ok, false);
  void limits.take('c', slow);
  assert.equal(Object(limits.take('a', slow)).ok, true);
});

test('a clock that is set back refuses nobody for longer than a burst takes to come back', () => {
  let time = 3_600_000;
  const { limits } = memoryStore({ now: () => time });
  assert.deepEqual(limits.take('a', rate, 3), { ok: true });
  time = 0;
  assert.deepEqual(limits.take('a', rate, 3), { ok: false, retryAfterMs: 1_500 });
  time = 1_500;
  assert.deepEqual(limits.take('a', rate, 3), { ok: true });
});
