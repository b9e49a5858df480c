/** Nothing is found in clients that are authorized as they should be, in whatever scenario. */

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { checkAuthorizedClient } from '../../packages/cli/src/check/client/authorization/check-authorized-client.ts';
import type { Scenario } from '../../packages/cli/src/check/client/authorization/scenarios.ts';
import type { CheckReport } from '../../packages/cli/src/check/report.ts';
import { connect } from '../../packages/parley/src/client.ts';
import { oauth } from '../../packages/parley/src/oauth.ts';

const redirectUri = 'http://127.0.0.1:7777/callback';

/** Goes to a page as a browser would whose person agrees at once. @returns Where it is sent back to. */
async function visit(url: string): Promise<string> {
  const { headers, status } = await fetch(url, { redirect: 'manual' });
  const back = headers.get('location');
  if (back === null) throw new Error(`the page answered ${status}`);
  return back;
}

/** Judges a client that does a scenario. */
export async function judged(
  t: TestContext,
  run: (scenario: Scenario, url: string) => Promise<void>,
): Promise<CheckReport> {
  return await checkAuthorizedClient({
    port: 0,
    info: { name: 'parley-check', version: '1.0.0' },
    limitMs: 120_000,
    signal: t.signal,
    drive: (scenario, url) => run(scenario, url),
  });
}

async function ours(date: string, { tools, isOpen, isFirst, isMachine }: Scenario, url: string): Promise<void> {
  const auth = oauth({ redirect: ({ url: page }) => visit(page), redirectUri });
  try {
    const client = await connect(url, { auth, revisions: [date] });
    assert.deepEqual(
      (await client.listTools()).map(({ name }) => name),
      tools,
    );
    for (const tool of tools) {
      const call = client.callTool(tool, {});
      if (tool === 'never') await assert.rejects(call);
      else await call;
    }
    await client.close();
  } catch (error) {
    // Where it has to refuse it does, and so it may where it is asked for what is not of its time.
    if (isOpen && isMachine !== true && (isFirst === true) === (date === '2025-03-26')) throw error;
  }
}

for (const date of ['2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'])
  test(`nothing is found in our client at ${date}`, async (t) => {
    const report = await judged(t, (scenario, url) => ours(date, scenario, url));
    const { findings, missing, cut, counts } = report;
    assert.deepEqual([findings, missing, cut], [[], undefined, undefined]);
    assert.ok(counts.judged > 20, `${counts.judged} rows were judged`);
  });
