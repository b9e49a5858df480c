import assert from 'node:assert/strict';
import { test } from 'node:test';
import { revisionOf } from '../../../parley/src/protocol/revision.ts';
import { reportOf } from './judge.ts';
import { breaks } from './harness/verdict.ts';

const nothing = { sent: '', status: 200, headers: {}, text: '', messages: [], malformed: [], end: 'complete' } as const;

/** Severity of what breaks a row, and whether it says that it is disputed. */
function told(id: string): readonly unknown[] {
  const revision = revisionOf('2026-07-28') ?? assert.fail();
  const judged = [{ rule: { id, message: '', fix: '' }, revision, outcome: breaks(nothing, 'it does') }];
  const subject = { tool: { name: 'a', version: '1' }, target: 'b', transport: 'http' } as const;
  const { findings, counts } = reportOf(subject, { revisions: [], judged, messages: 1 });
  return findings.map(({ severity, disputed }) => [severity, disputed !== undefined, counts.broken]);
}

test('rows that stand in a proposal alone, or follow from a description, are notes that say so', () => {
  for (const id of ['auth-132', 'http-104', 'tasks-083', 'tasks-091', 'tasks-092', 'tasks-093', 'tasks-094'])
    assert.deepEqual(told(id), [['note', true, 0]], id);
  assert.deepEqual(told('auth-131'), [['error', false, 1]]);
});
