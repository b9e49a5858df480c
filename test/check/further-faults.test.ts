/** Each further fault is found in its row, and nothing is found in the server that they are planted in. */

import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import type { CheckReport } from '../../packages/cli/src/check/report.ts';
import { chosenRevisions, type RevisionDate } from '../../packages/parley/src/protocol/revision.ts';
import { sampled } from '../support/sampled.ts';
import { serveFaulty, type Fault } from './faulty.ts';
import { besideFaults } from './beside-faults.ts';
import { furtherFaults } from './further-faults.ts';
import { livelyMeaningFaults } from './meaning-faults.ts';
import { livelyCalls, livelyServer } from './lively-server.ts';
import { judgedAt } from './judging.ts';
import { wordFaults } from './word-faults.ts';

const allFaults = { ...furtherFaults, ...besideFaults, ...livelyMeaningFaults, ...wordFaults };

interface Judging {
  readonly isModern?: boolean;
  readonly dates?: readonly RevisionDate[];
  readonly fault?: Fault;
  readonly only?: readonly string[];
}

async function judged(
  t: TestContext,
  { isModern = false, dates, fault = {}, only = [] }: Judging,
): Promise<CheckReport> {
  const asks = (name: string): boolean => ['ask', 'choose', 'twice'].includes(name);
  const { url, close } = await serveFaulty(fault, () => livelyServer(isModern), { asks });
  t.after(close);
  return await judgedAt(t, url, { ...(dates && { revisions: chosenRevisions(dates) }), only, calls: livelyCalls });
}

test('nothing is found in a lively server without a fault, and what the faults are about is judged', async (t) => {
  const [{ findings, rows }, modern] = [await judged(t, {}), await judged(t, { isModern: true })];
  assert.deepEqual(findings, []);
  assert.deepEqual(modern.findings, []);
  const held = new Set([...rows, ...modern.rows].filter(({ verdict }) => verdict === 'holds').map(({ id }) => id));
  // What this server does not say at all is told of by the fault alone.
  const unsaid = new Set(
    'elicit-027 elicit-032 elicit-033 elicit-051 sampling-013 roots-011 progress-001 cancel-004 cancel-016 logging-001 http-019 versioning-020 progress-004'.split(
      ' ',
    ),
  );
  // What comes to a stream before its call is answered is a matter of time.
  for (const { row } of Object.values(allFaults).filter((one) => one.row !== 'http-024'))
    assert.ok(held.has(row) !== unsaid.has(row), `${row}: ${JSON.stringify(rows.filter(({ id }) => id === row))}`);
});

describe('a lively server with one fault', { concurrency: 6 }, () => {
  for (const [name, { row, date, fault, isModern = false }] of sampled(Object.entries(allFaults), 8))
    test(`is found out: ${name} breaks ${row}`, async (t) => {
      const { findings, rows } = await judged(t, { isModern, dates: [date], fault, only: [row] });
      assert.deepEqual(
        findings.map(({ id }) => id),
        [row],
        JSON.stringify(rows),
      );
    });
});
