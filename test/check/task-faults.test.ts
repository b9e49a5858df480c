/** Each planted fault of tasks is found in its row, and nothing is found in the server that they are planted in. */

import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import type { CheckReport } from '../../packages/cli/src/check/report.ts';
import { chosenRevisions } from '../../packages/parley/src/protocol/revision.ts';
import { serveFaulty, type Fault } from './faulty.ts';
import { coreTaskFaults, extensionTaskFaults } from './task-faults.ts';
import { taskServer, taskTools } from './task-server.ts';
import { sampled } from '../support/sampled.ts';
import { judgedAt } from './judging.ts';

const [core, newest] = ['2025-11-25', '2026-07-28'] as const;

async function judged(
  t: TestContext,
  date: typeof core | typeof newest,
  { fault = {}, only = [] }: { readonly fault?: Fault; readonly only?: readonly string[] } = {},
): Promise<CheckReport> {
  const { url, close } = await serveFaulty(fault, () => taskServer(), {
    asks: (name) => name === 'confirm' || name === 'tasks/result',
  });
  t.after(close);
  return await judgedAt(t, url, {
    revisions: chosenRevisions([date]),
    only,
    calls: taskTools.map((name) => ({ name })),
  });
}

for (const [date, faults] of [
  [core, coreTaskFaults],
  [newest, extensionTaskFaults],
] as const) {
  test(`nothing is found in a server with tasks of ${date} without a fault`, async (t) => {
    const { findings, rows } = await judged(t, date);
    assert.deepEqual(findings, []);
    const held = new Set(rows.filter(({ verdict }) => verdict === 'holds').map(({ id }) => id));
    // Over HTTP the server tells of it on a stream that nobody opened: see lively-lines.test.ts.
    const unheard = ['progress-010', 'progress-011'];
    for (const [row] of Object.values(faults).filter(([one]) => !unheard.includes(one)))
      assert.ok(held.has(row), `${row}: ${JSON.stringify(rows.filter(({ id }) => id === row))}`);
  });

  describe(`a server with tasks of ${date} and one fault`, { concurrency: 6 }, () => {
    for (const [name, [row, fault]] of sampled(Object.entries(faults)))
      test(`is found out: ${name} breaks ${row}`, async (t) => {
        const { findings, rows } = await judged(t, date, { fault, only: [row] });
        assert.deepEqual(
          findings.map(({ id }) => id),
          [row],
          JSON.stringify(rows),
        );
      });
  });
}
