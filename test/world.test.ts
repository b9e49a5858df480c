/**
 * One process of a service after the other, and two and three that share a store behind a balancer that knows nothing of sessions: whatever of them dies,
 * stands still, drains or hears nothing of the store for a while, over a network that fails, with clients of every revision; and bridges of its clients to a
 * server of any revision behind them. `npm run lab -- simulate --nodes 3 --count 100000` runs more of it, `npm run lab -- simulate --seed N` shows one.
 *
 * All are in one file, so that they share threads that have run many schedules: a thread's first hundred schedules cost twice as much as those after them.
 */

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { failedOnce } from './simulation/service/found.ts';
import { outcomes, statesLeft, threads } from './simulation/service/outcomes.ts';
import type { Plan } from './simulation/service/plan.ts';

/** A plan by which something failed once, as it was: what seeds stand for changes with what plans can have. */
interface Found {
  readonly title: string;
  readonly plan: Plan;
}

/** How many schedules of one, two and three processes are played, and through bridges of as many. The nightly tier has most time. */
const isWhole = process.env['PARLEY_TIER'] === 'nightly';
const [one, two, three, bridge, bridgeOfTwo, bridgeOfThree] = isWhole
  ? ([8_000, 5_500, 5_500, 500, 250, 250] as const)
  : ([800, 550, 500, 50, 50, 50] as const);
const partSize = isWhole ? 500 : 250;
const bridgePartSize = isWhole ? 125 : 50;

const folder = new URL('simulation/found/', import.meta.url);

describe('the simulation', { concurrency: threads }, () => {
  for (const file of readdirSync(folder)) {
    const { title, plan } = JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as Found;
    test(`${title}, by the plan of seed ${plan.seed} for ${plan.nodes} processes`, async () => {
      const { failures } = await outcomes(plan);
      assert.deepEqual(failures, []);
    });
  }

  for (const [processes, nodes, count, seeds] of [
    ['one process', 1, one, failedOnce.one],
    ['two processes', 2, two, failedOnce.two],
    ['three processes', 3, three, failedOnce.three],
  ] as const) {
    for (const [seed, title] of Object.entries(seeds))
      test(`${title}, by seed ${seed} for ${processes}`, async () => {
        const { failures } = await outcomes({ first: Number(seed), count: 1, how: { nodes, isFirst: true } });
        assert.deepEqual(failures, []);
      });

    test(`the course of a seed is the same every time, for ${processes}`, async () => {
      const [one, other] = await Promise.all([1, 2].map(() => outcomes({ first: 11, count: 10, how: { nodes } })));
      assert.equal(one?.digest, other?.digest);
    });

    for (let first = 1; first <= count; first += partSize)
      test(`every call to ${processes} ends once, with its own answer or an error that has a name, by the seeds from ${first}`, async () => {
        const { failures, unreached } = await outcomes({ first, count: partSize, how: { nodes } });
        assert.deepEqual([failures, isWhole ? unreached : []], [[], []]);
      });
  }

  // Of several processes each session has a home among them.
  for (const [nodes, from, count] of [
    [1, 1, bridge],
    [2, 501, bridgeOfTwo],
    [3, 751, bridgeOfThree],
  ] as const)
    for (let first = from; first < from + count; first += bridgePartSize)
      test(`every call through a bridge of ${nodes} ends once, with its own answer or an error that has a name, by the seeds from ${first}`, async () => {
        const { failures, unreached } = await outcomes({
          first,
          count: bridgePartSize,
          how: { bridge: true, nodes },
        });
        assert.deepEqual([failures, unreached], [[], []]);
      });
});

// A night of a million wants each of them a hundred times, so that this many want it once at least.
test('the schedules come to every state that there is', () => {
  assert.deepEqual(statesLeft('any', 'shared', 'bridge'), []);
});
