/** A lively server of lines, whose changes come beside other answers, and of which each connection has its own process. */

import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { test } from 'node:test';
import { judgeServer } from '../../src/check/check.ts';
import { chosenRevisions } from '../../src/protocol/revision.ts';
import { livelyCalls } from './lively-server.ts';

test('nothing is found in a lively server of lines whose tools change what it has', async (t) => {
  const main = fileURLToPath(new URL('lively-main.ts', import.meta.url));
  const { findings, rows } = await judgeServer({
    way: { over: 'stdio', start: { command: process.execPath, args: [main], env: {} } },
    target: 'lively lines',
    info: { name: 'parley-check', version: '1.0.0' },
    revisions: chosenRevisions(['2026-07-28']),
    only: ['subs', 'tools-006', 'prompts-003', 'resources-003'],
    calls: livelyCalls,
    isNear: true,
    signal: t.signal,
  });
  assert.deepEqual(
    findings.map(({ id, why }) => [id, why]),
    [],
  );
  const held = rows.filter(({ verdict }) => verdict === 'holds').map(({ id }) => id);
  for (const row of ['tools-006', 'subs-016']) assert.ok(held.includes(row), `${row} is judged`);
});
