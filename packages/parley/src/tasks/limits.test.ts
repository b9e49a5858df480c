import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isTaskId, lifeOf, newTaskId, taskLimits, taskTimes } from './limits.ts';
import { RecordTexts } from './sealed-text.ts';

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

test('the limits of tasks are those that the documentation names', () => {
  assert.deepEqual(taskLimits, {
    perOwner: 100,
    ofNobody: 1_000,
    running: 16,
    waiting: 1_000,
    results: 32,
    textLength: 4_194_304,
  });
});

test('the records of 64 tasks are remembered for those who look again, the longest unseen makes way', async () => {
  const texts = new RecordTexts(undefined);
  const textOf = (id: string, more: object = {}): string => JSON.stringify({ id, request: {}, ...more });
  const seen = async (id: string, more?: object): Promise<unknown> => await texts.seenAs(id, textOf(id, more));
  const first = new Map<string, unknown>();
  for (let at = 0; at < 64; at += 1) first.set(`t${at}`, await seen(`t${at}`));
  for (const [id, record] of first) assert.equal(await seen(id), record);
  // One that changed was seen last.
  const changed = await seen('t0', { status: 'completed' });
  await seen('t64');
  assert.equal(await seen('t0', { status: 'completed' }), changed);
  assert.equal(await seen('t2'), first.get('t2'));
  assert.notEqual(await seen('t1'), first.get('t1'));
});

test('a text of 16,384 characters is remembered, and a longer one read each time', async () => {
  const texts = new RecordTexts(undefined);
  const empty = JSON.stringify({ id: 't', request: {}, x: '' }).length;
  for (const [length, is] of [
    [16_384, true],
    [16_385, false],
  ] as const) {
    const text = JSON.stringify({ id: 't', request: {}, x: 'x'.repeat(length - empty) });
    assert.equal((await texts.seenAs('t', text)) === (await texts.seenAs('t', text)), is);
  }
});
