/** Clients and servers by hand are in few plans, so that no range of seeds in `npm test` has them. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { judgePlan } from './judged.ts';
import { planOf } from './plan.ts';

/** Plans with clients and servers by hand, each of another protocol version. */
const seeds = [2372, 2577, 3186];

for (const seed of seeds)
  test(`the schedule of seed ${seed}, with clients and servers by hand, violates nothing`, async () => {
    const plan = planOf(seed);
    assert.notEqual(plan.handAt, undefined);
    assert.deepEqual((await judgePlan(plan)).failures, []);
  });
