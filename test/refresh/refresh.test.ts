/**
 * Many processes share one grant. What follows runs a part of the schedules; all 10,000 are `npm run lab -- simulate:refresh`, one is
 * `npm run lab -- simulate:refresh 1 <seed>`, which shows its course too.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runSchedule, type Outcome, type ScheduleOptions } from './schedule.ts';

/** The schedules of one part. */
const partSize = 100;

async function outcomes(seeds: readonly number[], options: ScheduleOptions = {}): Promise<readonly Outcome[]> {
  const all: Outcome[] = [];
  for (const seed of seeds) all.push(await runSchedule(seed, options));
  return all;
}

function seedsFrom(first: number, count: number): readonly number[] {
  return Array.from({ length: count }, (_, at) => first + at);
}

function failures(all: readonly Outcome[]): readonly string[] {
  return all.flatMap(({ seed, violations, trace }) =>
    violations.length === 0 ? [] : [`seed ${seed}: ${violations.join('; ')}\n${trace(40)}`],
  );
}

for (let first = 1; first < 1 + 3 * partSize; first += partSize)
  test(`processes that share a grant lose none, use no token twice and ask once, by the seeds from ${first}`, async () => {
    const all = await outcomes(seedsFrom(first, partSize));
    assert.deepEqual(failures(all), []);
    for (const name of ['logins', 'renewals', 'repeated', 'lost', 'refused'] as const)
      assert.ok(
        all.some(({ counts }) => counts[name] > 0),
        `no schedule has ${name}`,
      );
    assert.ok(all.some(({ processes }) => processes >= 9));
  });

/** Seeds by which something failed once, with what it was. */
const failedOnce: Readonly<Record<number, string>> = {
  225: 'who joins work that everybody else has just left does not end for their reason',
  12: 'the time for which another process asks the person does not count',
  25: 'no page is opened for a login that was given up meanwhile',
  134: 'who stood still before it renews does not use what others used meanwhile',
  665: 'one request waits for renewals for a bounded time',
  8864: 'a renewal of what there was before another one signed in is no reason to ask',
  1946: 'what was granted to one registration is renewed after another one was made',
  686: 'a refresh token whose successor the store refused is not sent again',
  1915: 'a disk that is full for a while costs nobody a good grant',
  4038: 'a write that failed and was done all the same is found out before what it wrote is used',
  7048: 'what was refused is not used again where it cannot be deleted',
  8084: 'who cannot say that it asks a person asks no longer when others may',
};

for (const [seed, title] of Object.entries(failedOnce))
  test(`${title}, by seed ${seed}`, async () => {
    assert.deepEqual(failures(await outcomes([Number(seed)])), []);
  });

test('the course of a seed is the same every time', async () => {
  const [one, other] = await outcomes([7, 7]);
  assert.ok(one !== undefined && other !== undefined);
  assert.equal(one.digest, other.digest);
  assert.equal(one.events, other.events);
});

test('without locks a refresh token is used twice, which the judge sees', async () => {
  const all = await outcomes(seedsFrom(1, 12), { locks: 'none' });
  assert.ok(all.some(({ violations }) => violations.some((one) => / uses rt\S+ again/.test(one))));
});

test('without comparing when it is written a person is asked twice at once, which the judge sees', async () => {
  const all = await outcomes(seedsFrom(1, 40), { compares: false });
  assert.ok(all.some(({ violations }) => violations.some((one) => one.includes('opens a tab beside'))));
});
