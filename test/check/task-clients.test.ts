/** Each planted mistake of a client with tasks is found in its row, and nothing is found in one that makes none. */

import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { describe, test, type TestContext } from 'node:test';
import { checkClient } from '../../packages/cli/src/check/client/run/check-client.ts';
import type { CheckReport } from '../../packages/cli/src/check/report.ts';
import { RawTaskClient, type CoreTaskMistake, type ExtensionTaskMistake, type TaskMistake } from './raw-task-client.ts';

async function judged(t: TestContext, date: string, mistake?: TaskMistake): Promise<CheckReport> {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const client = new RawTaskClient({ input: output, output: input }, date, mistake);
  const info = { name: 'parley-check', version: '1.0.0' };
  const report = checkClient({ door: { input, output }, info, limitMs: 60_000, signal: t.signal });
  await client.run();
  return await report;
}

const core: Readonly<Record<CoreTaskMistake, string>> = {
  'task-of-list': 'tasks-002',
  'task-of-echo': 'tasks-005',
  'job-without-task': 'tasks-007',
  'polls-too-fast': 'tasks-016',
  'answers-without-task': 'tasks-025',
  'related-in-get': 'tasks-027',
  'polls-at-input': 'tasks-029',
  'cancels-the-call': 'cancel-003',
  'makes-up-id': 'tasks-010',
  'undeclared-task': 'tasks-001',
  'refuses-task': 'tasks-009',
  'task-as-result': 'tasks-014',
  'same-id-twice': 'tasks-010',
  'begins-completed': 'tasks-011',
  'no-times': 'tasks-023',
  'no-ttl': 'tasks-024',
  'believes-related': 'tasks-026',
  'other-result': 'tasks-020',
  'result-too-early': 'tasks-021',
  'result-says-nothing': 'tasks-022',
  'changes-at-the-end': 'tasks-013',
  'lists-none': 'tasks-035',
  'cancels-what-ended': 'tasks-036',
  'cancels-later': 'tasks-038',
  'comes-back': 'tasks-039',
  'knows-any-id': 'tasks-041',
  'fails-silently': 'tasks-042',
  'takes-tools': 'sampling-007',
  'takes-url': 'elicit-017',
  'takes-roots': 'roots-001',
  'odd-roots-code': 'roots-005',
  'takes-sampling': 'sampling-001',
  'takes-forms': 'elicit-001',
  'wants-a-mode': 'elicit-019',
  'answers-cancelled': 'cancel-005',
  'falls-silent': 'cancel-007',
  'refuses-odd-meta': 'meta-001',
  'changes-roots': 'roots-003',
  'takes-half-a-tool': 'sampling-024',
  'answers-notices': 'basic-018',
  'progress-falls': 'progress-003',
  'progress-of-nothing': 'progress-005',
  'progress-after-the-end': 'progress-006',
  'progress-after-its-task': 'progress-011',
  'writes-lines': 'stdio-002',
  'breaks-text': 'stdio-002',
  'ids-as-text': 'basic-009',
  'token-of-running-task': 'progress-009',
};

const extension: Readonly<Record<ExtensionTaskMistake, string>> = {
  'polls-too-fast': 'tasks-062',
  'answers-by-call': 'tasks-068',
  'answers-twice': 'tasks-070',
  'cancels-the-call': 'tasks-076',
  'asks-about-wrong-task': 'tasks-052',
};

for (const [date, mistakes] of [
  ['2025-11-25', core],
  ['2026-07-28', extension],
] as const) {
  test(`nothing is found in a client with tasks at ${date}, which does all steps`, async (t) => {
    const { findings, missing, rows } = await judged(t, date);
    assert.deepEqual([findings, missing], [[], undefined]);
    const rowsOf = (verdict: string): readonly string[] =>
      rows.filter((row) => row.verdict === verdict).map(({ id }) => id);
    const unseen = Object.values(mistakes).filter((id) => !rowsOf('holds').includes(id));
    // What it has no cause for: it answers as tasks, declares neither model nor roots, answers at once, and no task of it fails.
    const others =
      date === '2025-11-25'
        ? [
            'tasks-001',
            'tasks-009',
            'tasks-042',
            'sampling-007',
            'roots-001',
            'sampling-001',
            'cancel-005',
            'roots-003',
            'sampling-024',
          ]
        : [];
    assert.deepEqual(unseen, others);
  });

  describe(`a client with one fault in its tasks at ${date}`, { concurrency: 8 }, () => {
    for (const [mistake, row] of Object.entries(mistakes) as [TaskMistake, string][])
      test(`is found out: ${mistake} breaks ${row}`, async (t) => {
        const { findings } = await judged(t, date, mistake);
        assert.deepEqual(
          findings.map(({ id }) => id),
          [row],
          JSON.stringify(findings),
        );
      });
  });
}
