/**
 * One process of a service after the other, and its clients of every revision, over a network that fails: `npm run simulate -- --count 100000` runs
 * more of it, `npm run simulate -- --seed N` shows one.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failedOnce } from './found.ts';
import { failures, outcomes, unreached } from './judged.ts';

const partSize = 2_000;

for (let first = 1; first <= 4 * partSize + 1; first += partSize)
  test(`every call ends once, with its own answer or an error that has a name, by the seeds from ${first}`, async () => {
    const all = await outcomes(first, partSize);
    assert.deepEqual([failures(all), unreached(all)], [[], []]);
  });

for (const [seed, title] of Object.entries(failedOnce.one))
  test(`${title}, by seed ${seed}`, async () => {
    assert.deepEqual(failures(await outcomes(Number(seed), 1, { isFirst: true })), []);
  });

test('the course of a seed is the same every time', async () => {
  const [one] = await outcomes(11, 1);
  const [other] = await outcomes(11, 1);
  assert.equal(one?.digest, other?.digest);
  assert.equal(one?.events, other?.events);
});
