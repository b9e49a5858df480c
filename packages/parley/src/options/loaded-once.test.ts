import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadedOnce } from './loaded-once.ts';

test('what is loaded once is loaded again where that failed, for whoever needs it next, and never twice at a time', async () => {
  let loads = 0;
  const load = loadedOnce(async () => {
    loads++;
    await Promise.resolve();
    if (loads === 1) throw new Error('too many open files');
    return loads;
  });
  const outcomes = await Promise.allSettled([load(), load()]);
  assert.deepEqual([loads, ...outcomes.map(({ status }) => status)], [1, 'rejected', 'rejected']);
  assert.deepEqual(await Promise.all([load(), load()]), [2, 2]);
  assert.equal(await load(), 2);
});
