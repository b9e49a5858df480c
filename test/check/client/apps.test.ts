/** Hosts of apps: each planted mistake is found in its row, by what the app of the door tells, and nothing in those that make none, ours among them. */

import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { checkClient } from '../../../packages/cli/src/check/client/run/check-client.ts';
import type { CheckReport } from '../../../packages/cli/src/check/report.ts';
import { connect } from '../../../packages/parley/src/client.ts';
import { showApp, type HostMistake } from './raw-app-host.ts';

const rows = ['security-036', 'security-037', 'tools-045', 'tools-047', 'tools-048'];

async function judged(t: TestContext, run: (url: string) => Promise<void>): Promise<CheckReport> {
  let isOver = false;
  const report = await checkClient({
    door: { port: 0 },
    info: { name: 'parley-check', version: '1.0.0' },
    limitMs: 60_000,
    signal: t.signal,
    async onOpen(origin) {
      await run(`${origin}/mcp`);
      isOver = true;
    },
  });
  assert.ok(isOver, 'the host came to its end');
  return report;
}

const found = ({ findings }: CheckReport): readonly string[] => findings.map(({ id }) => id);
const held = ({ rows: all }: CheckReport): readonly string[] =>
  all.filter(({ id, verdict }) => verdict === 'holds' && rows.includes(id)).map(({ id }) => id);

const mistakes: Readonly<Record<HostMistake, string>> = {
  'tells-too-early': 'tools-047',
  'asks-too-early': 'tools-047',
  'tells-twice': 'tools-048',
  'result-first': 'tools-048',
  'parts-at-the-end': 'tools-048',
  'other-arguments': 'tools-048',
  'no-arguments': 'tools-048',
  'calls-for-models': 'tools-045',
  'lets-out': 'security-037',
};

describe('a host of apps with one fault', { concurrency: 4 }, () => {
  for (const [mistake, row] of Object.entries(mistakes) as [HostMistake, string][])
    test(`is found out: ${mistake} breaks ${row}`, async (t) => {
      const report = await judged(t, async (url) => {
        const client = await connect(url);
        await showApp(client, mistake);
        await client.close();
      });
      assert.deepEqual(found(report), [row], JSON.stringify(report.findings));
    });
});

for (const date of ['2025-11-25', '2026-07-28'] as const)
  test(`nothing is found in a host of ${date} without a fault, which is judged by all that the app tells`, async (t) => {
    const report = await judged(t, async (url) => {
      const client = await connect(url, { revisions: [date] });
      await showApp(client);
      await client.close();
    });
    assert.deepEqual([found(report), held(report).toSorted()], [[], rows]);
  });

test('what a person or a model says in the place of the app is held against nobody', async (t) => {
  const report = await judged(t, async (url) => {
    const client = await connect(url);
    await client.listTools();
    await client.callTool('app', {});
    await client.callTool('not_for_apps', { token: 'guessed' });
    await client.callTool('app_reports', { token: 'guessed', seen: [{ method: 'ping', isEarly: true }] });
    await client.callTool('app_reports', { seen: 7 });
    await client.close();
  });
  assert.deepEqual([found(report), held(report)], [[], []]);
});
