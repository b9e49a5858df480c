import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isTaskId, lifeOf, newTaskId, taskTimes } from './limits.ts';

test('the life of a task is what is wanted, up to the longest, in whole milliseconds', () => {
  const times = { ...taskTimes, ttlMs: 3_600_000, maxTtlMs: 86_400_000 };
  for (const [wanted, life] of [
    [undefined, 3_600_000],
    [1000, 1000],
    [0.5, 1],
    [86_400_001, 86_400_000],
    [null, 86_400_000],
    [0, 3_600_000],
    [-1, 3_600_000],
    [Number.NaN, 3_600_000],
    [Number.POSITIVE_INFINITY, 86_400_000],
  ] as const)
    assert.equal(lifeOf(wanted, times), life, String(wanted));
});

test('a task lives without end only where there is no longest life', () => {
  const times = { ...taskTimes, maxTtlMs: null };
  assert.equal(lifeOf(null, times), null);
  assert.equal(lifeOf(undefined, times), 3_600_000);
  assert.equal(lifeOf(1e12, times), 1e12);
});

test('ids have 144 bits that are not said twice, and nothing else is one', () => {
  const ids = new Set(Array.from({ length: 1000 }, newTaskId));
  assert.equal(ids.size, 1000);
  for (const id of ids) assert.ok(isTaskId(id) && /^[\w-]{24}$/.test(id), id);
  for (const id of ['', 'x'.repeat(23), 'x'.repeat(25), `${'x'.repeat(23)}=`, `${'x'.repeat(24)}\n`])
    assert.equal(isTaskId(id), false);
});
