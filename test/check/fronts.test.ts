/** What stands in front of a server, and what it cannot help, is no fault of it. */

import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test, type TestContext } from 'node:test';
import { setTimeout as rest } from 'node:timers/promises';
import { endToEnd } from '../../examples/cluster/proxy.ts';
import type { CheckReport } from '../../packages/cli/src/check/report.ts';
import { chosenRevisions, revisions } from '../../packages/parley/src/protocol/revision.ts';
import { faulty, type Fault, type Returning } from './faulty.ts';
import { judgedAt } from './judging.ts';

async function judged(t: TestContext, fault: Fault): Promise<CheckReport> {
  return await judgedAt(t, await faulty(t, fault));
}

const json = { 'content-type': 'application/json' };

const answers: Readonly<Record<string, Returning>> = {
  'a limit of requests, in JSON': { status: 429, headers: json, text: '{"error":"too many requests"}' },
  'a limit of requests, as an error of JSON-RPC': {
    status: 429,
    headers: json,
    text: '{"jsonrpc":"2.0","error":{"code":-32000,"message":"Too many requests"},"id":null}',
  },
  'a gateway, in JSON': { status: 504, headers: json, text: '{"message":"Endpoint request timed out"}' },
};

for (const [what, answer] of Object.entries(answers))
  test(`${what} says nothing of a server, whenever it comes`, async (t) => {
    let count = 0;
    const { findings, counts } = await judged(t, {
      request: () => (++count > 60 && (answer.status === 429 || count % 2 === 0) ? { ...answer } : undefined),
    });
    assert.deepEqual(findings, []);
    assert.ok(counts.judged > 10 && counts.notJudged > 10, JSON.stringify(counts));
  });

test('an answer of which no more is read is no refusal', async (t) => {
  const { findings } = await judged(t, {
    response(returning, { message }) {
      if (message['method'] !== 'prompts/list' || returning.status !== 200) return;
      returning.text = returning.text.replace('"prompts":[', `"prompts":[{"name":"${'a'.repeat(3_000_000)}"},`);
    },
  });
  assert.deepEqual(
    findings.map(({ id, why }) => [id, why]),
    [],
  );
});

test('a challenge that names no URL is judged, and ends nothing', async (t) => {
  const challenge = 'Bearer resource_metadata="http://[none"';
  const { findings, cut } = await judged(t, {
    request: () => ({ status: 401, headers: { 'www-authenticate': challenge }, text: '' }),
  });
  assert.equal(cut, undefined);
  assert.ok(findings.every(({ id }) => id.startsWith('auth-')));
});

test('where a server wants fewer requests, and says for how long, what it refused is sent again', async (t) => {
  const refused = new Map<string, number>();
  const url = await faulty(t, {
    request: ({ headers, message, body }) => {
      if (headers['origin'] === undefined && message['method'] !== 'tools/list') return undefined;
      const key = `${headers['mcp-session-id']} ${headers['origin']} ${body}`;
      const count = (refused.get(key) ?? 0) + 1;
      refused.set(key, count);
      return count > 2 ? undefined : { status: 429, headers: { 'retry-after': '0' }, text: '' };
    },
  });
  const { findings, rows } = await judgedAt(t, url, { only: ['http-003', 'tools-002', 'tools-004'] });
  assert.deepEqual(findings, []);
  assert.ok(refused.size > 10);
  assert.deepEqual(
    rows.filter(({ verdict }) => verdict === 'not-judged'),
    [],
  );
});

test('a long wait is not waited for', async (t) => {
  let refusals = 0;
  const later = new Date(Date.now() + 60_000).toUTCString();
  const url = await faulty(t, {
    request: ({ headers }) =>
      headers['origin'] === undefined
        ? undefined
        : (refusals++, { status: 503, headers: { 'retry-after': later }, text: '' }),
  });
  await judgedAt(t, url, { only: ['http-003'], revisions: revisions.filter(({ date }) => date === '2025-06-18') });
  assert.equal(refusals, 1);
});

test('a redirection is told, with where it points to, and is not followed', async (t) => {
  const asked: string[] = [];
  const url = await faulty(t, {
    request({ path }) {
      asked.push(path);
      return { status: 307, headers: { location: `/mcp/?key=secret` }, text: '' };
    },
  });
  const { findings, revisions: seen, counts } = await judgedAt(t, url);
  assert.deepEqual(findings, []);
  assert.equal(counts.judged, 0);
  for (const { spoken, why } of seen) {
    assert.equal(spoken, false);
    assert.equal(why, 'HTTP 307: /mcp is redirected to /mcp/, which is not followed: give that address');
  }
  assert.deepEqual([...new Set(asked)], ['/mcp']);
});

test('a redirection in the middle is no refusal, and no fault', async (t) => {
  const url = await faulty(t, {
    request: ({ headers, method }) =>
      headers['origin'] !== undefined || method === 'GET'
        ? { status: 302, headers: { location: 'https://login.example/?to=mcp' }, text: '' }
        : undefined,
  });
  const { findings, rows } = await judgedAt(t, url, { only: ['http-003', 'http-004', 'http-032'] });
  assert.deepEqual(findings, []);
  assert.deepEqual([...new Set(rows.map(({ verdict }) => verdict))], ['not-judged']);
  assert.match(rows[0]?.why ?? '', /redirected to https:\/\/login\.example\/, which/);
});

test('a stream of which not even a head comes may be held back by what stands before the server', async (t) => {
  const url = await faulty(t, {});
  const front = createServer((incoming, outgoing) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of incoming as AsyncIterable<Buffer>) chunks.push(chunk);
      const body = Buffer.concat(chunks);
      // It gives on what has ended, and nothing before.
      if (body.includes('subscriptions/listen')) return;
      const headers = Object.entries(incoming.headers).map(
        ([name, value]) => [name, String(value)] as [string, string],
      );
      const sent = headers.filter(([name]) => !['host', 'connection', 'content-length'].includes(name));
      const method = incoming.method ?? 'GET';
      const response = await fetch(url, { method, headers: sent, ...(method === 'POST' && { body }) });
      outgoing.writeHead(response.status, endToEnd(Object.fromEntries(response.headers))).end(await response.text());
    })().catch(() => outgoing.destroy());
  });
  await new Promise<void>((resolve) => void front.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    front.closeAllConnections();
    front.close();
  });
  const { port } = front.address() as AddressInfo;
  const only = ['subs', 'meta-019', 'basic-018'];
  const revisions = chosenRevisions(['2026-07-28']);
  let said: readonly string[] = [];
  // A busy machine may need more time before the server counts as one that answers.
  for (const waitTimeoutMs of [1_000, 6_000, 20_000]) {
    const { findings, rows } = await judgedAt(t, `http://127.0.0.1:${port}/mcp`, { only, waitTimeoutMs, revisions });
    assert.deepEqual(findings, []);
    said = rows.filter(({ verdict }) => verdict === 'not-judged').map(({ id }) => id);
    if (said.length > 0) break;
  }
  assert.deepEqual(said.toSorted().slice(0, 3), ['meta-019', 'subs-002', 'subs-003']);
});

test('a stream on which nothing comes is one finding', async (t) => {
  const silent = await faulty(t, { piece: () => '' });
  const only = ['subs-002', 'subs-003', 'subs-006', 'meta-019'];
  const options = { only, waitTimeoutMs: 1_000, revisions: chosenRevisions(['2026-07-28']) };
  const { findings } = await judgedAt(t, silent, options);
  assert.deepEqual(
    findings.map(({ id }) => id),
    ['subs-002'],
  );
});

test('a call that took long since each answer does is not one that is cancelled in time', async (t) => {
  const late = await faulty(t, {
    async response(_, { message: { method } }) {
      if (method === 'tools/call' || method === 'ping') await rest(1_800);
    },
  });
  const options = { only: ['cancel-005', 'cancel-007'], calls: [{ name: 'sum', args: { of: [1] } }] };
  const { findings, rows } = await judgedAt(t, late, { ...options, revisions: chosenRevisions(['2025-11-25']) });
  assert.deepEqual(findings, []);
  assert.ok(
    rows.every(({ verdict }) => verdict === 'not-applicable'),
    JSON.stringify(rows),
  );
});
