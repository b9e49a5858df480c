/** Each planted fault of skills is found in its row, and nothing is found in the server that they are planted in. */

import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import type { CheckReport } from '../../packages/cli/src/check/report.ts';
import { chosenRevisions, type RevisionDate } from '../../packages/parley/src/protocol/revision.ts';
import { faulty, type Fault } from './faulty.ts';
import { judgedAt } from './judging.ts';
import { skilled, skillFaults } from './skill-server.ts';

const rows = ['026', '027', '029', '030', '031', '032', '033', '034'].map((number) => `resources-${number}`);

async function judged(
  t: TestContext,
  fault: Fault,
  { date = '2026-07-28', only = [] }: { readonly date?: RevisionDate; readonly only?: readonly string[] } = {},
): Promise<CheckReport> {
  return await judgedAt(t, await faulty(t, fault), { revisions: chosenRevisions([date]), only });
}

function verdictsIn(report: CheckReport): readonly string[] {
  return rows.map((row) => report.rows.find(({ id }) => id === row)?.verdict ?? 'none');
}

test('nothing is found in a server with skills, and each rule about them holds', async (t) => {
  const report = await judged(t, skilled());
  assert.deepEqual(report.findings, []);
  assert.deepEqual(
    verdictsIn(report),
    Array(8).fill('holds'),
    JSON.stringify(report.rows.filter(({ id }) => rows.includes(id))),
  );
});

test('a server without skills, and one of a revision before them, is not judged by them', async (t) => {
  assert.deepEqual(verdictsIn(await judged(t, {}, { only: rows })), Array(8).fill('not-applicable'));
  assert.deepEqual(verdictsIn(await judged(t, skilled(), { date: '2025-11-25', only: rows })), Array(8).fill('none'));
});

test('skills that nobody may enumerate, and those that cannot be read, break nothing', async (t) => {
  const none = await judged(
    t,
    skilled(({ skills, settings }) => void (skills.splice(0), delete settings['directoryRead'])),
    { only: rows },
  );
  assert.deepEqual(none.findings, []);
  const unread = await judged(
    t,
    {
      ...skilled(),
      request: (passing) =>
        passing.message['method'] === 'resources/read'
          ? {
              status: 200,
              headers: { 'content-type': 'application/json' },
              text: JSON.stringify({
                jsonrpc: '2.0',
                id: passing.message['id'],
                error: { code: -32_603, message: 'The disk is away.' },
              }),
            }
          : skilled().request?.(passing),
    },
    { only: rows },
  );
  assert.deepEqual(unread.findings, []);
});

test('what the proposal of skills leaves out, and the page wants, is a note that says both', async (t) => {
  const lacking: readonly Parameters<typeof skilled>[0][] = [
    ({ skills }) => delete skills[1]?.['resources'],
    ({ skills: [first] }) => {
      for (const file of Array.isArray(first?.['resources']) ? first['resources'] : []) delete file.size;
    },
  ];
  for (const alter of lacking) {
    const { findings, rows: all } = await judged(t, skilled(alter), { only: ['resources-031'] });
    assert.deepEqual(
      findings.map(({ id, severity }) => [id, severity]),
      [['resources-031', 'note']],
    );
    assert.match(findings[0]?.disputed ?? '', /^the proposal of the extension /);
    assert.deepEqual(
      all.map(({ verdict }) => verdict),
      ['disputed'],
    );
  }
});

describe('a server with skills and one fault', { concurrency: 4 }, () => {
  for (const [name, [row, alter]] of Object.entries(skillFaults))
    test(`is found out: ${name} breaks ${row}`, async (t) => {
      const { findings, rows: all } = await judged(t, skilled(alter), { only: [row] });
      assert.deepEqual(
        findings.map(({ id, disputed }) => disputed ?? id),
        [row],
        JSON.stringify(all),
      );
    });
});
