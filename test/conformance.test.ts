/** What `npm run lab -- conformance` prints, scenario by scenario. */

import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { keyOf, plan } from '../scripts/conformance-plan.ts';
import { problemIn, runScenarios, type Problem } from '../scripts/conformance-run.ts';
import { missing as engineMissing } from './support/engines.ts';

const scenarios = plan();

/** Three processes share a Redis. */
const noEngine = engineMissing('redis-server');
const engineRun = scenarios.filter(({ side }) => side !== 'service' || noEngine === false);

/** The fast tier has one pass: what the newest version requires of a server. */
const isOnePass = process.env['PARLEY_TIER'] === 'fast';
/** Sides that the nightly tier alone runs: see `sampledFiles` in `scripts/test/tiers.ts`. */
const nightlySides: ReadonlySet<string> = new Set(
  process.env['PARLEY_TIER'] === 'all' ? ['service', 'bridged-client'] : [],
);
const run = isOnePass
  ? scenarios.filter(({ side, revision, scored }) => side === 'server' && revision === '2026-07-28' && scored)
  : engineRun.filter(({ side }) => !nightlySides.has(side));

/** What a bridge cannot carry, since the revision behind it has no words for it. */
const uncarried: ReadonlyMap<string, string> = new Map([
  [
    'names of questions in the handshake revisions',
    'The suite expects a question under the name that its tool gives it, and answers it by that name unasked. What a server asks by ' +
      'a request of its own has an id and no name, so the bridge makes one up.',
  ],
  [
    'streams that can be taken up again in 2026-07-28',
    'The suite waits for a tool to break its own stream and tell when to come back. Streams of 2026-07-28 have no event ids, so that ' +
      'its server cannot break one without losing the answer.',
  ],
  [
    'questions before a task is made in 2025-11-25',
    'The suite wants a tool to ask first and become a task afterwards. In 2025-11-25 a call is a task from the beginning, or never is one, so ' +
      'that its tool asks as a task.',
  ],
]);

describe('the official conformance suite', () => {
  const problems = new Map<string, Problem>();
  before(() => runScenarios(run, (scenario, problem) => problems.set(keyOf(scenario), problem)), {
    timeout: 600_000,
  });

  for (const scenario of isOnePass ? run : scenarios.filter(({ side }) => !nightlySides.has(side))) {
    const { side, revision, name, missing } = scenario;
    const outcome = missing === undefined ? 'passes' : `without ${missing} fails`;
    const skip = side === 'service' && noEngine;
    test(`the ${side.replaceAll('-', ' ')} ${outcome} ${name} at ${revision}`, { skip }, (t) => {
      const reason = missing === undefined ? undefined : uncarried.get(missing);
      if (reason !== undefined) t.diagnostic(reason);
      const key = keyOf(scenario);
      assert.ok(problems.has(key), 'it was not run');
      const problem = problems.get(key);
      if (missing === undefined) assert.equal(problem, undefined);
      else assert.notEqual(problem, undefined, 'it passes: take it off the list of expected failures');
    });
  }
});

test('the suite requires 30 and 37 scenarios of a server, a service or a bridge, 18 and 32 of a client, 14 and 25 of them about authorization', () => {
  const required = (side: string, revision: string): number =>
    scenarios.filter((scenario) => scenario.scored && scenario.side === side && scenario.revision === revision).length;
  assert.deepEqual([required('server', '2025-11-25'), required('server', '2026-07-28')], [30, 37]);
  assert.deepEqual([required('service', '2025-11-25'), required('service', '2026-07-28')], [30, 37]);
  assert.deepEqual([required('bridge', '2025-11-25'), required('bridge', '2026-07-28')], [30, 37]);
  assert.deepEqual([required('client', '2025-11-25'), required('client', '2026-07-28')], [18, 32]);
  const bridged = scenarios.filter(({ side }) => side === 'bridged-client');
  assert.deepEqual(
    [required('bridged-client', '2025-11-25'), required('bridged-client', '2026-07-28'), bridged.length],
    [14, 25, 53],
  );
  const before = scenarios.filter(({ side }) => side === 'bridge-to-core-tasks');
  assert.deepEqual([before.length, before.filter(({ missing }) => missing !== undefined).length], [9, 1]);
});

test('failures are expected of scenarios of tasks and skills alone, and of a bridge for lack of words', () => {
  const parts = { tasks: /^tasks-/, skills: /^sep-2640-/ };
  const others = scenarios.filter(({ side, name, missing }) => {
    if (side.startsWith('bridge')) return missing !== undefined && !uncarried.has(missing);
    const pattern = Object.entries(parts).find(([part]) => part === missing)?.[1];
    return missing !== undefined && pattern?.test(name) !== true;
  });
  assert.deepEqual(others, []);
  const lacked = new Set(scenarios.flatMap(({ side, missing }) => (side.startsWith('bridge') ? [missing] : [])));
  assert.deepEqual(
    [...uncarried.keys()].filter((part) => !lacked.has(part)),
    [],
  );
});

test('a scenario passes with a success, without a failure and without a warning', () => {
  const check = (id: string, status: string): { readonly id: string; readonly status: string } => ({ id, status });
  const success = check('a', 'SUCCESS');
  assert.equal(problemIn([success, check('b', 'INFO'), check('c', 'SKIPPED')]), undefined);
  assert.equal(problemIn([success, check('b', 'WARNING')]), 'WARNING b: no reason given');
  assert.equal(problemIn([success, check('b', 'FAILURE')]), 'FAILURE b: no reason given');
  assert.equal(problemIn([check('wire-schema-valid', 'SUCCESS')]), 'nothing was checked');
});
