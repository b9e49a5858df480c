/**
 * One process of a service after the other, and its clients of every revision, over a network that fails: `npm run simulate -- --count 100000` runs
 * more of it, `npm run simulate -- --seed N` shows one.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failedOnce } from './found.ts';
import { outcomes } from './outcomes.ts';

const partSize = 2_000;

for (let first = 1; first <= 4 * partSize; first += partSize)
  test(`every call ends once, with its own answer or an error that has a name, by the seeds from ${first}`, async () => {
    const { failures, unreached } = await outcomes({ first, count: partSize });
    assert.deepEqual([failures, unreached], [[], []]);
  });

for (const [seed, title] of Object.entries(failedOnce.one))
  test(`${title}, by seed ${seed}`, async () => {
    const { failures } = await outcomes({ first: Number(seed), count: 1, how: { isFirst: true } });
    assert.deepEqual(failures, []);
  });

test('the course of a seed is the same every time', async () => {
  const one = await outcomes({ first: 11, count: 10 });
  const other = await outcomes({ first: 11, count: 10 });
  assert.equal(one.digest, other.digest);
});
