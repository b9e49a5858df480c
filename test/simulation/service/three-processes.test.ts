/**
 * Three processes that share a store, behind a balancer that knows nothing of sessions: whatever of them dies, stands still, drains or hears nothing of the
 * store for a while. `npm run simulate -- --nodes 3 --count 100000` runs more of it.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failedOnce } from './found.ts';
import { outcomes } from './outcomes.ts';

const nodes = 3;
const partSize = 1_100;

for (let first = 1; first <= 5 * partSize; first += partSize)
  test(`any process answers, and every call ends once, by the seeds from ${first}`, async () => {
    const { failures, unreached } = await outcomes({ first, count: partSize, how: { nodes } });
    assert.deepEqual([failures, unreached], [[], []]);
  });

for (const [seed, title] of Object.entries(failedOnce.three))
  test(`${title}, by seed ${seed}`, async () => {
    const { failures } = await outcomes({ first: Number(seed), count: 1, how: { nodes, isFirst: true } });
    assert.deepEqual(failures, []);
  });

test('the course of a seed is the same every time', async () => {
  const one = await outcomes({ first: 11, count: 5, how: { nodes } });
  const other = await outcomes({ first: 11, count: 5, how: { nodes } });
  assert.equal(one.digest, other.digest);
});
