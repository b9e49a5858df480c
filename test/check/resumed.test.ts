/** Streams that end before their answer, and that are resumed: what breaks the rules about them is found, and nothing where they are kept. */

import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import type { CheckReport } from '../../packages/cli/src/check/report.ts';
import { chosenRevisions, type RevisionDate } from '../../packages/parley/src/protocol/revision.ts';
import { cleanServer, serveFaulty, type Fault } from './faulty.ts';
import { judgedAt } from './judging.ts';

const [older, old, core] = ['2025-03-26', '2025-06-18', '2025-11-25'] as const;

async function judged(
  t: TestContext,
  fault: Fault,
  [row, date]: readonly [string, RevisionDate],
): Promise<CheckReport> {
  const { url, close } = await serveFaulty(fault, cleanServer);
  t.after(close);
  return await judgedAt(t, url, { revisions: chosenRevisions([date]), only: [row], calls: [{ name: 'run' }] });
}

/** Answers pings by a stream that ends before the answer. */
function early(text: string): Fault {
  return {
    request: ({ message: { method } }) =>
      method === 'ping' ? { status: 200, headers: { 'content-type': 'text/event-stream' }, text } : undefined,
  };
}

/** Says something on streams that are resumed. */
const mixed: Fault = {
  opened(write, { headers }) {
    const other = { jsonrpc: '2.0', id: 'parley-check-other', result: {} };
    if (headers['last-event-id'] !== undefined) write(`data: ${JSON.stringify(other)}\n\n`);
  },
};

const kept: readonly (readonly [row: string, date: RevisionDate, verdict: string, fault: Fault])[] = [
  ['http-040', core, 'holds', {}],
  ['http-022', old, 'not-applicable', {}],
  ['http-022', old, 'not-judged', early(': nothing\n\n')],
  ['http-025', core, 'not-applicable', {}],
  ['http-025', core, 'holds', early('id: a\nretry: 100\ndata: \n\n')],
];

for (const [row, date, verdict, fault] of kept)
  test(`${row} is ${verdict} at ${date} where it is kept, or nothing shows it`, async (t) => {
    const { findings, rows } = await judged(t, fault, [row, date]);
    assert.deepEqual(findings, []);
    assert.deepEqual(
      rows.map((one) => [one.id, one.verdict]),
      [[row, verdict]],
      JSON.stringify(rows),
    );
  });

const planted: Readonly<Record<string, readonly [row: string, date: RevisionDate, fault: Fault]>> = {
  'replays-everything': ['http-040', core, mixed],
  'closes-and-waits': ['http-022', old, early('id: a\ndata: \n\n')],
  'closes-and-waits-with-retry': ['http-022', older, early('id: a\nretry: 100\ndata: \n\n')],
  'closes-without-retry': ['http-025', core, early('id: a\ndata: \n\n')],
};

describe('a server whose streams break off, with one fault', { concurrency: 4 }, () => {
  for (const [name, [row, date, fault]] of Object.entries(planted))
    test(`is found out: ${name} breaks ${row}`, async (t) => {
      const { findings, rows } = await judged(t, fault, [row, date]);
      assert.deepEqual(
        findings.map(({ id }) => id),
        [row],
        JSON.stringify(rows),
      );
    });
});
