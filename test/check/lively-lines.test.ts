/** A lively server of lines, whose changes come beside other answers, and of which each connection has its own process. */

import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { test } from 'node:test';
import { judgeServer, type CheckOptions } from '../../packages/cli/src/check/run/check.ts';
import type { CheckReport } from '../../packages/cli/src/check/report.ts';
import { chosenRevisions } from '../../packages/parley/src/protocol/revision.ts';
import { quickly } from '../support/programs.ts';
import { livelyCalls } from './lively-server.ts';
import { taskTools } from './task-server.ts';

async function judged(
  signal: AbortSignal,
  file: string,
  options: Pick<CheckOptions, 'revisions' | 'only' | 'calls'>,
): Promise<CheckReport> {
  const main = fileURLToPath(new URL(file, import.meta.url));
  return await judgeServer({
    way: { over: 'stdio', start: { command: process.execPath, args: [main], env: quickly } },
    target: file,
    info: { name: 'parley-check', version: '1.0.0' },
    ...options,
    isNear: true,
    signal,
  });
}

test('progress of tasks is heard on lines, and nothing is found in it', async (t) => {
  const rows = ['progress-005', 'progress-010', 'progress-011'];
  const { findings, rows: all } = await judged(t.signal, 'task-main.ts', {
    revisions: chosenRevisions(['2025-11-25']),
    only: rows,
    calls: taskTools.map((name) => ({ name })),
  });
  assert.deepEqual(findings, []);
  assert.deepEqual(
    all.map(({ id, verdict }) => [id, verdict]),
    rows.map((row) => [row, 'holds']),
  );
});

test('nothing is found in a lively server of lines whose tools change what it has', async (t) => {
  const { findings, rows } = await judged(t.signal, 'lively-main.ts', {
    revisions: chosenRevisions(['2026-07-28']),
    only: ['subs', 'tools-006', 'prompts-003', 'resources-003'],
    calls: livelyCalls,
  });
  assert.deepEqual(
    findings.map(({ id, why }) => [id, why]),
    [],
  );
  const held = rows.filter(({ verdict }) => verdict === 'holds').map(({ id }) => id);
  for (const row of ['tools-006', 'subs-016']) assert.ok(held.includes(row), `${row} is judged`);
});
