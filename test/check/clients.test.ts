/** Each planted mistake of a client is found in its row, and nothing is found in clients that make none. */

import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { checkClient } from '../../packages/cli/src/check/client/run/check-client.ts';
import type { OpenedPage } from '../../packages/cli/src/check/client/client-rule.ts';
import { neededSteps } from '../../packages/cli/src/check/client/run/guide.ts';
import { pageRules } from '../../packages/cli/src/check/client/rules/pages.ts';
import { ClientSession } from '../../packages/cli/src/check/client/client-session.ts';
import type { CheckReport } from '../../packages/cli/src/check/report.ts';
import { connect } from '../../packages/parley/src/client.ts';
import { revisions } from '../../packages/parley/src/protocol/revision.ts';
import { RawClient, type Mistake, type RawPerson } from './raw-client.ts';

const info = { name: 'parley-check', version: '1.0.0' };

async function judged(t: TestContext, run: (url: string) => Promise<void>): Promise<CheckReport> {
  return await checkClient({
    door: { port: 0 },
    info,
    limitMs: 120_000,
    signal: t.signal,
    onOpen: (origin) => run(`${origin}/mcp`),
  });
}

const mistakes: Readonly<Record<Mistake, readonly [row: string, revision: string]>> = {
  'ids-again': ['basic-007', '2025-11-25'],
  'batched-initialize': ['basic-020', '2025-03-26'],
  'other-version-header': ['http-051', '2025-06-18'],
  'one-accept': ['http-009', '2025-11-25'],
  'no-name-header': ['http-072', '2026-07-28'],
  'keeps-bad-header-tool': ['http-090', '2026-07-28'],
  'session-404-ignored': ['http-048', '2025-11-25'],
  'alters-state': ['mrtr-018', '2026-07-28'],
  'same-id-retry': ['mrtr-021', '2026-07-28'],
  'fetches-ref': ['schema-007', '2026-07-28'],
  'fetches-icon': ['icons-004', '2025-11-25'],
  'fetches-page': ['elicit-052', '2025-11-25'],
  'opens-page': ['elicit-053', '2025-11-25'],
  'ends-at-empty-cursor': ['page-004', '2026-07-28'],
  'root-is-http': ['roots-004', '2025-11-25'],
  'task-of-another-session': ['tasks-004', '2025-11-25'],
  'closes-without-word': ['http-030', '2025-11-25'],
  'cancels-by-word': ['cancel-011', '2026-07-28'],
  'comes-back-early': ['http-026', '2025-11-25'],
  'never-comes-back': ['http-027', '2025-11-25'],
  'names-first-event': ['http-039', '2025-11-25'],
  'posts-again': ['http-041', '2025-11-25'],
  'same-id-after-break': ['http-063', '2026-07-28'],
};

describe('a client with one fault', { concurrency: 4 }, () => {
  for (const [mistake, [row, revision]] of Object.entries(mistakes) as [Mistake, readonly [string, string]][])
    test(`is found out: ${mistake} breaks ${row}`, async (t) => {
      const { findings } = await judged(t, (url) => new RawClient(url, revision, mistake).run());
      assert.deepEqual(
        findings.map(({ id }) => id),
        [row],
        JSON.stringify(findings),
      );
    });
});

test('a client that looks for the newest revision is told no where an older one alone is served, and is right', async (t) => {
  let spoken: string | undefined;
  const { findings, revisions: seen } = await checkClient({
    door: { port: 0 },
    info,
    limitMs: 60_000,
    signal: t.signal,
    async onOpen(origin) {
      const client = await connect(`${origin}/2025-11-25/mcp`);
      spoken = client.revision;
      await client.listTools();
      await client.callTool('echo', { text: 'hello' });
      await client.close();
    },
  });
  assert.equal(spoken, '2025-11-25');
  assert.deepEqual(findings, []);
  assert.deepEqual(
    seen.filter((one) => one.spoken).map(({ revision }) => revision),
    ['2025-11-25'],
  );
});

for (const { date } of revisions) {
  test(`nothing is found in a client without a fault at ${date}`, async (t) => {
    const { findings, missing } = await judged(t, (url) => new RawClient(url, date).run());
    assert.deepEqual([findings, missing], [[], undefined]);
  });

  test(`nothing is found in our client at ${date}, which does all steps`, async (t) => {
    let tools: readonly string[] = [];
    const report = await judged(t, async (url) => {
      const client = await connect(url, {
        revisions: [date],
        roots: [{ uri: 'file:///tmp' }],
        ...(date === '2025-11-25' && { clientTasks: { elicitation: true, sampling: true } }),
        onElicit: () => ({ action: 'accept', content: { name: 'Ada' } }),
        onSample: () => ({ role: 'assistant', content: { type: 'text', text: 'hello' }, model: 'any' }),
      });
      tools = (await client.listTools()).map(({ name }) => name);
      await client.callTool('echo', { text: 'hello' });
      await client.callTool('ask', {});
      // A call whose stream broke is lost in the newest, and called again by who wants it.
      if (date === '2026-07-28') await assert.rejects(client.callTool('dropped', {}), /ended before the response/);
      if (tools.includes('dropped')) await client.callTool('dropped', {});
      await (await client.startTask('slow', {}).catch(() => undefined))?.result();
      await client.callTool('slow', {});
      if (tools.includes('job')) await client.callTool('job', {});
      await assert.rejects(client.callTool('endless', {}, givenUp()));
      if (tools.includes('region')) await client.callTool('region', { region: 'Malmö' });
      if (tools.includes('moving')) await client.callTool('moving', { place: 'Malmö' });
      if (tools.includes('lost')) await assert.rejects(client.callTool('lost', {}));
      await client.callTool('echo', { text: 'again' });
      await client.callTool('slow', {});
      await client.close();
    });
    assert.deepEqual([report.findings, report.missing, report.cut], [[], undefined, undefined]);
    const kept = report.rows.filter(({ verdict }) => verdict === 'holds').map(({ id }) => id);
    if (tools.includes('moving')) for (const row of ['http-103', 'http-104']) assert.ok(kept.includes(row), row);
    assert.deepEqual(
      report.revisions.filter(({ spoken }) => spoken).map(({ revision }) => revision),
      [date],
    );
  });
}

/** Options of a call that is given up while it runs. */
function givenUp(): { readonly signal: AbortSignal } {
  return { signal: AbortSignal.timeout(3_000) };
}

test('nothing is found in a client whose person refuses one page, and agrees to the next', async (t) => {
  const { findings, rows } = await judged(t, async (url) => {
    for (const says of ['decline', 'accept'] as const)
      await new RawClient(url, '2025-11-25', undefined, { says }).run();
  });
  assert.deepEqual(findings, []);
  const held = rows.filter(({ verdict }) => verdict === 'holds').map(({ id }) => id);
  for (const row of ['elicit-052', 'elicit-053']) assert.ok(held.includes(row), row);
});

test('a page that was opened is held against who refused that one, and not another', () => {
  const found = (...pages: readonly OpenedPage[]): readonly unknown[] => {
    const clientSession = new ClientSession('http');
    clientSession.refusedPages.push({ path: '/far/page/1-1', asked: 1_000, refused: 5_000 });
    clientSession.refusedPages.push({ path: '/far/page/1-2', asked: 6_000, refused: 7_000 });
    const seen = { fetches: 0, icons: 0, pages, listed: new Set<string>(), isGone: true };
    return pageRules.filter((rule) => typeof rule.atEnd?.(clientSession, seen) === 'object').map(({ id }) => id);
  };
  assert.deepEqual(found({ path: '/far/page/2-1', at: 2_000 }, { path: '/far/page/1-3', at: 8_000 }), []);
  assert.deepEqual(found({ path: '/far/page/1-1', at: 2_000 }), ['elicit-052']);
  assert.deepEqual(found({ path: '/far/page/1-1', at: 6_500 }), ['elicit-053']);
  assert.deepEqual(found({ path: '/far/page/1-2', at: 6_500 }), ['elicit-052']);
});

for (const says of ['accept', 'decline'] as const)
  test(`nothing is missed or found in a client that shows pages alone, to which its person says ${says}`, async (t) => {
    const person: RawPerson = { says, hasRoots: false };
    const { findings, missing } = await judged(t, (url) => new RawClient(url, '2025-11-25', undefined, person).run());
    assert.deepEqual([findings, missing], [[], undefined]);
  });

test('our client answers no question that was cancelled, though its person is slow', async (t) => {
  const { findings, rows } = await judged(t, async (url) => {
    const client = await connect(url, {
      revisions: ['2025-11-25'],
      async onElicit() {
        await new Promise((resolve) => setTimeout(resolve, 300));
        return { action: 'accept', content: { name: 'Ada' } };
      },
    });
    await client.listTools();
    await client.callTool('ask', {});
    await client.close();
  });
  assert.deepEqual(findings, []);
  assert.equal(rows.find(({ id }) => id === 'cancel-005')?.verdict, 'holds');
});

test('nothing is found in our client that speaks HTTP+SSE', async (t) => {
  const report = await checkClient({
    door: { port: 0 },
    info,
    limitMs: 120_000,
    signal: t.signal,
    async onOpen(origin) {
      const client = await connect(`${origin}/sse`, {
        onElicit: () => ({ action: 'accept', content: { name: 'Ada' } }),
        roots: [{ uri: 'file:///tmp' }],
      });
      await client.listTools();
      await client.callTool('echo', { text: 'hello' });
      await client.callTool('ask', {});
      await client.callTool('slow', {});
      await assert.rejects(client.callTool('endless', {}, givenUp()));
      await client.listTools();
      await client.close();
    },
  });
  assert.deepEqual([report.findings, report.missing], [[], undefined]);
  const row = report.rows.find(({ id }) => id === 'sse-003');
  assert.deepEqual(row, { id: 'sse-003', revision: revisions[0]?.date, verdict: 'holds' });
});

test('a client of HTTP+SSE that posts to its stream breaks sse-003', async (t) => {
  const { findings } = await checkClient({
    door: { port: 0 },
    info,
    limitMs: 120_000,
    signal: t.signal,
    onOpen: posts,
  });
  assert.deepEqual(
    findings.map(({ id }) => id),
    ['sse-003'],
  );
});

/** Opens a stream, and posts to its endpoint, but for the last message. */
async function posts(origin: string): Promise<void> {
  const gone = new AbortController();
  const stream = await fetch(`${origin}/sse`, { headers: { accept: 'text/event-stream' }, signal: gone.signal });
  const reader = (stream.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  while (!text.includes('data: /messages')) text += (await reader.read()).value ?? '';
  const endpoint = /data: (\S+)/.exec(text)?.[1] ?? '';
  const post = async (path: string, message: object): Promise<void> => {
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ jsonrpc: '2.0', ...message });
    await (await fetch(`${origin}${path}`, { method: 'POST', headers, body })).text();
  };
  const clientInfo = { name: 'raw', version: '1' };
  const params = { protocolVersion: '2024-11-05', capabilities: {}, clientInfo };
  await post(endpoint, { id: 1, method: 'initialize', params });
  while (!text.includes('"serverInfo"')) text += (await reader.read()).value ?? '';
  await post(endpoint, { method: 'notifications/initialized' });
  await post('/sse', { id: 2, method: 'tools/list' });
  gone.abort();
}

test('a client that does nothing is told of what it did not do, and nothing is said of it', async (t) => {
  const { findings, missing, counts } = await judged(t, () => Promise.resolve());
  assert.deepEqual([findings, missing?.length, counts.judged], [[], neededSteps.length, 0]);
});
