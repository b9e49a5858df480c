import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plannedOptions } from './connect-options.ts';

const probe = (wishes: object, isTimed = true): number | undefined =>
  plannedOptions({ kind: 'stdio', revisions: undefined, wishes }, { wanted: 'auto', isTimed }).probeTimeoutMs;

test('a server that is silent at the first question has half of the time to connect left for another', () => {
  assert.equal(probe({ connectionTimeoutMs: 3_000 }), 1_500);
  assert.equal(probe({ connectionTimeoutMs: 60_000 }), 8_000);
  assert.equal(probe({}), 8_000);
  assert.equal(probe({ connectionTimeoutMs: 3_000, requestTimeoutMs: 500 }), 500);
  // Where a person signs in meanwhile, there is no such time.
  assert.equal(probe({ connectionTimeoutMs: 3_000 }, false), 8_000);
});

test('a revision that is wanted is the only one, and auto leaves what the plan has', () => {
  const plan = { kind: 'http', revisions: ['2025-06-18'] } as const;
  const revisions = (wanted: string): unknown => plannedOptions(plan, { wanted, isTimed: true }).revisions;
  assert.deepEqual([revisions('auto'), revisions('2024-11-05')], [['2025-06-18'], ['2024-11-05']]);
});
