/**
 * Three processes that share a store, behind a balancer that knows nothing of sessions: whatever of them dies, stands still, drains or hears nothing of the
 * store for a while. `npm run simulate -- --nodes 3 --count 100000` runs more of it.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failedOnce } from './found.ts';
import { failures, outcomes, unreached } from './judged.ts';

const partSize = 1_000;

for (let first = 1; first <= 4 * partSize + 1; first += partSize)
  test(`any process answers, and every call ends once, by the seeds from ${first}`, async () => {
    const all = await outcomes(first, partSize, { nodes: 3 });
    assert.deepEqual([failures(all), unreached(all)], [[], []]);
  });

for (const [nodes, found] of [
  [2, failedOnce.two],
  [3, failedOnce.three],
] as const)
  for (const [seed, title] of Object.entries(found))
    test(`${title}, by seed ${seed} of ${nodes} processes`, async () => {
      assert.deepEqual(failures(await outcomes(Number(seed), 1, { nodes, isFirst: true })), []);
    });

test('the course of a seed is the same every time', async () => {
  const [one] = await outcomes(11, 1, { nodes: 3 });
  const [other] = await outcomes(11, 1, { nodes: 3 });
  assert.equal(one?.digest, other?.digest);
});
