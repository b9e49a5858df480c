/** Servers that are slow, end sessions, and say things at any time: none of that is a fault, and none of it passes for what a rule wants. */

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { rawHttp } from '../../packages/cli/src/check/harness/http.ts';
import type { CheckReport } from '../../packages/cli/src/check/report.ts';
import { checkRules } from '../../packages/cli/src/check/rules/rules.ts';
import { runRules } from '../../packages/cli/src/check/run.ts';
import { isObject } from '../../packages/parley/src/jsonrpc/message.ts';
import { McpError, memoryTasks } from '../../packages/parley/src/index.ts';
import { chosenRevisions, type RevisionDate } from '../../packages/parley/src/protocol/revision.ts';
import { createServer, type Server } from '../../packages/parley/src/server.ts';
import { asStream, cleanServer, json, serveFaulty, type Fault } from './faulty.ts';
import { livelyServer } from './lively-server.ts';
import { beforeList } from './meaning-faults.ts';
import { judgedAt } from './judging.ts';

interface Judging {
  readonly fault?: Fault;
  readonly server?: () => Server;
  readonly only?: readonly string[];
  readonly calls?: readonly string[];
  readonly dates?: readonly RevisionDate[];
  readonly path?: string;
}

const info = { name: 'parley-check', version: '1.0.0' };

async function served(t: TestContext, { fault = {}, server = cleanServer }: Judging): Promise<string> {
  const { url, close } = await serveFaulty(fault, server);
  t.after(close);
  return url;
}

async function judged(t: TestContext, judging: Judging): Promise<CheckReport> {
  const { only = [], calls = [], dates, path } = judging;
  const address = await served(t, judging);
  const url = path === undefined ? address : new URL(path, address).href;
  return await judgedAt(t, url, {
    only,
    ...(dates && { revisions: chosenRevisions(dates) }),
    calls: calls.map((name) => ({ name })),
  });
}

async function assertNothing(t: TestContext, judging: Judging): Promise<CheckReport> {
  const report = await judged(t, judging);
  assert.deepEqual(
    report.findings.map(({ id, why }) => [id, why]),
    [],
  );
  return report;
}

function verdictsOf({ rows }: CheckReport, row: string): readonly string[] {
  return [...new Set(rows.filter(({ id }) => id === row).map(({ verdict }) => verdict))];
}

test('a server that ends its sessions after some requests is judged in others', async (t) => {
  const requests = new Map<string, number>();
  const report = await assertNothing(t, {
    fault: {
      request({ headers, method }) {
        const session = headers['mcp-session-id'];
        if (session === undefined || method !== 'POST') return undefined;
        const count = (requests.get(session) ?? 0) + 1;
        requests.set(session, count);
        if (count <= 9) return undefined;
        return json(404, { jsonrpc: '2.0', id: null, error: { code: -32_001, message: 'no session' } });
      },
    },
  });
  for (const row of ['ping-001', 'http-052', 'tools-024', 'resources-008']) {
    const said = report.rows.filter(({ id, revision }) => id === row && revision === '2025-06-18');
    assert.ok(
      said.every(({ verdict }) => verdict === 'holds'),
      JSON.stringify(said),
    );
  }
});

test('a server that opens one conversation alone is judged, and why no tool is called is said', async (t) => {
  let opened = 0;
  const report = await judged(t, {
    dates: ['2025-06-18'],
    calls: ['add'],
    fault: {
      request({ message: { method, params, id } }) {
        if (method !== 'initialize' || !isObject(params)) return undefined;
        if (params['protocolVersion'] === '2025-06-18' && opened++ === 0) return undefined;
        return json(400, { jsonrpc: '2.0', id, error: { code: -32_600, message: 'Server already initialized' } });
      },
    },
  });
  assert.ok(report.counts.judged > 10, JSON.stringify(report.counts));
  assert.match(report.uncalled[0]?.why ?? '', /Server already initialized/);
});

for (const row of ['http-021', 'http-036', 'subs-008', 'tools-006'])
  test(`a run that is cut short while ${row} has streams opened fails nothing but itself`, async (t) => {
    const rules = checkRules.filter(({ id }) => id === row);
    let isCut = true;
    // What nobody heard of fails the test.
    for (let messages = 8; isCut; messages++) {
      const url = await served(t, { server: () => livelyServer(false) });
      const http = rawHttp(new URL(url));
      t.after(() => http.close());
      const { cut } = await runRules({
        info,
        way: { over: 'http', http },
        revisions: chosenRevisions(row.startsWith('http') ? ['2025-06-18'] : ['2026-07-28']),
        rules,
        limits: { messages, children: 1, perSecond: Infinity, ms: 60_000 },
        calls: ['http-021', 'tools-006'].includes(row) ? [{ name: 'grow' }] : [],
        waitTimeoutMs: 5_000,
        openMs: 5_000,
        quietMs: 20,
        signal: t.signal,
      });
      isCut = cut !== undefined;
    }
  });

test('a limit of requests is no refusal of a page', async (t) => {
  const report = await assertNothing(t, {
    only: ['http-003', 'http-075', 'basic-032'],
    fault: {
      request: ({ headers }) =>
        headers['origin'] !== undefined || headers['mcp-method'] === 'completion/complete'
          ? { status: 429, headers: {}, text: 'slow down' }
          : undefined,
    },
  });
  assert.deepEqual(verdictsOf(report, 'http-003'), ['not-judged']);
  assert.deepEqual(verdictsOf(report, 'http-075'), ['not-judged']);
});

test('a call that was not served says nothing of whether it makes a task', async (t) => {
  const report = await assertNothing(t, {
    dates: ['2025-11-25'],
    only: ['tasks-014'],
    calls: ['report'],
    server() {
      const server = createServer({ name: 'tasks', version: '1.0.0' }, { tasks: { store: memoryTasks() } });
      server.tool('report', { task: { support: 'optional', after: 0 } }, () => 'done');
      return server;
    },
    fault: {
      request: ({ message: { method, id } }) =>
        method === 'tools/call'
          ? json(200, { jsonrpc: '2.0', id, error: { code: -32_603, message: 'the database is away' } })
          : undefined,
    },
  });
  assert.deepEqual(verdictsOf(report, 'tasks-014'), ['not-judged']);
});

test('a resource that changes by itself needs no notification', async (t) => {
  let ticks = 0;
  const report = await assertNothing(t, {
    dates: ['2026-07-28'],
    only: ['subs-016'],
    calls: ['nothing'],
    server() {
      const server = createServer({ name: 'clock', version: '1.0.0' });
      server.tool('nothing', {}, () => 'nothing');
      server.resource('clock://ticks', { name: 'ticks' }, () => `${++ticks}`);
      return server;
    },
  });
  assert.deepEqual(verdictsOf(report, 'subs-016'), ['not-applicable']);
});

test('an event by which a stream shows that it lives is no message', async (t) => {
  await assertNothing(t, {
    path: '/sse',
    fault: { piece: (text) => `${text}event: ping\ndata: 2026-01-01 00:00:00\n\n` },
  });
});

test('progress of another request is not measured by that of this one', async (t) => {
  const report = await assertNothing(t, {
    dates: ['2025-06-18'],
    only: ['progress-003'],
    calls: ['run'],
    fault: {
      response(returning, { message: { method } }) {
        if (method !== 'tools/call') return;
        const late =
          '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"late","progress":99}}';
        returning.text = returning.text.replace(/(?=^(?:event: message\n)?data: .*"progress":2)/m, `data: ${late}\n\n`);
        assert.match(returning.text, /"late"/);
      },
    },
  });
  assert.deepEqual(verdictsOf(report, 'progress-003'), ['holds']);
});

test('a tool that ends by an error for what it was answered breaks nothing', async (t) => {
  const report = await assertNothing(t, {
    dates: ['2026-07-28'],
    only: ['mrtr-027'],
    calls: ['pay'],
    server() {
      const server = createServer({ name: 'shop', version: '1.0.0' });
      server.tool('pay', {}, async (_, ctx) => {
        await ctx.elicit({
          message: 'How much?',
          schema: { type: 'object', properties: { much: { type: 'number' } } },
        });
        const { action } = await ctx.elicitUrl({ message: 'Pay here', url: 'https://pay.invalid/' });
        if (action !== 'accept') throw new McpError('invalidParams', 'that was not paid');
        return 'paid';
      });
      return server;
    },
  });
  assert.deepEqual(verdictsOf(report, 'mrtr-027'), ['not-judged']);
});

for (const status of [429, 504])
  test(`changes are not missed on a stream that got HTTP ${status}`, async (t) => {
    const report = await assertNothing(t, {
      dates: ['2025-11-25'],
      only: ['tools-005'],
      calls: ['grow'],
      server: () => livelyServer(false),
      fault: { request: ({ method }) => (method === 'GET' ? { status, headers: {}, text: 'busy' } : undefined) },
    });
    assert.deepEqual(verdictsOf(report, 'tools-005'), ['not-judged']);
  });

test('a request that stands for a ping is looked for again where the first look met a limit', async (t) => {
  let [isPinged, isLimited] = [false, false];
  const report = await assertNothing(t, {
    dates: ['2025-11-25'],
    only: ['http-003', 'http-052', 'http-053'],
    fault: {
      request({ message: { method, id } }) {
        if (method === 'ping') {
          isPinged = true;
          return json(200, { jsonrpc: '2.0', id, error: { code: -32_601, message: 'no ping' } });
        }
        if (method !== 'tools/list' || !isPinged || isLimited) return undefined;
        isLimited = true;
        return { status: 429, headers: {}, text: 'slow down' };
      },
    },
  });
  assert.ok(isLimited);
  const verdicts = ['http-003', 'http-052', 'http-053'].flatMap((row) => verdictsOf(report, row));
  assert.ok(verdicts.includes('holds'), JSON.stringify(report.rows));
});

test('a tool whose result changes by the minute is called before and after its task', async (t) => {
  let [minute, calls] = [0, 0];
  const report = await assertNothing(t, {
    dates: ['2025-11-25'],
    only: ['tasks-020'],
    calls: ['clock'],
    fault: {
      // A minute begins between the first task and the calls after it, and another one each hour.
      response: (_, { message: { method } }) => void (method === 'tasks/result' && calls++ === 0 && minute++),
    },
    server() {
      const server = createServer({ name: 'clock', version: '1.0.0' }, { tasks: { store: memoryTasks() } });
      server.tool('clock', { task: { support: 'optional', after: 0 } }, () => `12:${minute}`);
      return server;
    },
  });
  assert.deepEqual(verdictsOf(report, 'tasks-020'), ['holds']);
  assert.equal(minute, 1);
});

/** Says things on the stream of GET, and beside the answer to what is asked meanwhile. */
function onBoth(...said: readonly unknown[]): Fault {
  const text = said.map((one) => `data: ${JSON.stringify(one)}\n\n`).join('');
  return {
    opened: (write, { method }) => void (method === 'GET' && write(text)),
    response(returning, { message: { id } }) {
      if (id !== 'parley-check-beside') return;
      asStream(returning);
      returning.text = text + returning.text;
    },
  };
}

test('beats that are alike on two streams are not one message', async (t) => {
  const report = await assertNothing(t, {
    dates: ['2025-06-18'],
    only: ['http-036'],
    fault: onBoth(
      { jsonrpc: '2.0', id: 'beat', method: 'ping' },
      { jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'alive' } },
      { jsonrpc: '2.0', method: 'notifications/tools/list_changed' },
    ),
  });
  assert.deepEqual(verdictsOf(report, 'http-036'), ['holds']);
});

const saidTwice: readonly (readonly [words: string, message: unknown])[] = [
  ['roots/list with the id "q1"', { jsonrpc: '2.0', id: 'q1', method: 'roots/list' }],
  [
    'the progress 2 of "t"',
    { jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: 't', progress: 2 } },
  ],
];

for (const [words, message] of saidTwice)
  test(`${words} is one message, and may not come on two streams`, async (t) => {
    const report = await judged(t, { dates: ['2025-06-18'], only: ['http-036'], fault: onBoth(message) });
    assert.deepEqual(
      report.findings.map(({ id, why }) => [id, why]),
      [['http-036', `${words} came on two`]],
    );
  });

test('a server over HTTP may have asked what it cancels where nobody heard it', async (t) => {
  const report = await assertNothing(t, {
    dates: ['2025-06-18'],
    only: ['cancel-001'],
    fault: beforeList({ method: 'notifications/cancelled', params: { requestId: 'q0' } }),
  });
  assert.deepEqual(verdictsOf(report, 'cancel-001'), ['not-seen']);
});

test('a server that cancels what it asked cancels its own', async (t) => {
  const report = await assertNothing(t, {
    dates: ['2025-06-18'],
    only: ['cancel-001'],
    fault: beforeList({ id: 'q1', method: 'ping' }, { method: 'notifications/cancelled', params: { requestId: 'q1' } }),
  });
  assert.deepEqual(verdictsOf(report, 'cancel-001'), ['holds']);
});

test('a server that goes by the header of each message is told the revision before it is initialized, too', async (t) => {
  const bare: unknown[] = [];
  await judged(t, {
    dates: ['2025-11-25'],
    only: ['lifecycle-006'],
    fault: {
      request({ message, headers }) {
        if (message['method'] === 'ping' && headers['mcp-protocol-version'] === undefined) bare.push(message);
      },
    },
  });
  assert.deepEqual(bare, []);
});
