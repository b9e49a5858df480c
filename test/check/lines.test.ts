/** Faults of servers on standard input and output: each is found in its row, and nothing in the server without one. */

import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { judgeServer } from '../../packages/cli/src/check/run/check.ts';
import { chosenRevisions } from '../../packages/parley/src/protocol/revision.ts';

/** A server of one revision with a tool, as a program. */
const server = `
const say = (message) => console.log(JSON.stringify({ jsonrpc: '2.0', ...message }));
const results = {
  initialize: ({ protocolVersion }) => ({ protocolVersion: protocolVersion === REVISION ? protocolVersion : REVISION, capabilities: { tools: {} }, serverInfo: { name: 'lines', version: '1' } }),
  ping: () => ({}),
  'tools/list': ({ cursor }) => (cursor === undefined ? { tools: [{ name: 'add', inputSchema: { type: 'object' } }] } : undefined),
};
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  let message;
  try { message = JSON.parse(line); } catch { return say({ id: null, error: { code: -32700, message: 'no JSON' } }); }
  const { id, method, params } = message ?? {};
  if (method === undefined || id === undefined) return;
  if (results[method] === undefined && method !== 'tools/call') return say({ id, error: { code: -32601, message: 'no such method' } });
  const result = results[method]?.(params ?? {});
  say(result === undefined ? { id, error: { code: -32602, message: 'wrong' } } : { id, result });
});
`;

async function found(
  t: TestContext,
  before: string,
  {
    then = server,
    only = ['stdio', 'basic', 'tools'],
    least = only.length === 1 ? 1 : 8,
  }: { readonly then?: string; readonly only?: readonly string[]; readonly least?: number } = {},
): Promise<readonly string[]> {
  const date = '2025-11-25';
  const program = `const REVISION = ${JSON.stringify(date)};\n${before}\n${then}`;
  const start = { command: process.execPath, args: ['-e', program], env: {} };
  const { findings, cut, counts } = await judgeServer({
    way: { over: 'stdio', start },
    target: 'lines',
    info: { name: 'parley-check', version: '1.0.0' },
    revisions: chosenRevisions([date]),
    only,
    waitTimeoutMs: 1_500,
    isNear: true,
    signal: t.signal,
  });
  assert.equal(cut, undefined);
  assert.ok(counts.judged >= least, `${counts.judged} rows`);
  return findings.map(({ id }) => id);
}

describe('a server of lines', { concurrency: 4 }, () => {
  test('nothing is found in a server of lines without a fault', async (t) => {
    assert.deepEqual(await found(t, ''), []);
  });

  test('stdout-banner: a banner on standard output breaks stdio-003', async (t) => {
    assert.deepEqual(await found(t, "console.log('Ready!');"), ['stdio-003']);
  });

  test('a byte order mark before the first message breaks stdio-003', async (t) => {
    assert.deepEqual(await found(t, "process.stdout.write('\\ufeff');"), ['stdio-003']);
  });

  test('a log in JSON on standard output breaks basic-001, and no row about responses', async (t) => {
    const logs = server.replace('let message;', `console.log('{"level":30,"msg":"heard"}');\n  let message;`);
    assert.deepEqual(await found(t, '', { then: logs }), ['basic-001']);
  });

  test('a message that goes over several lines breaks stdio-002, and that row alone', async (t) => {
    const indents = `
      const write = console.log;
      console.log = (text) => write(/no such method/.test(text) ? JSON.stringify(JSON.parse(text), undefined, 2) : text);`;
    assert.deepEqual(await found(t, indents, { only: ['stdio'] }), ['stdio-002']);
  });

  test('a cancellation of what it never asked breaks cancel-001', async (t) => {
    const cancels = (id: string): string =>
      server.replace(
        'const result =',
        `if (method === 'tools/list') {
          say({ id: 'q1', method: 'ping' });
          say({ method: 'notifications/cancelled', params: { requestId: '${id}' } });
        }
        const result =`,
      );
    assert.deepEqual(await found(t, '', { then: cancels('q1'), only: ['cancel-001'] }), []);
    assert.deepEqual(await found(t, '', { then: cancels('q2'), only: ['cancel-001'] }), ['cancel-001']);
  });

  test('news before initialize break lifecycle-001', async (t) => {
    assert.deepEqual(await found(t, '', { only: ['lifecycle-001'] }), []);
    const news = "console.log(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' }));";
    assert.deepEqual(await found(t, news, { only: ['lifecycle-001'] }), ['lifecycle-001']);
  });

  test('log messages and pings before initialize are judged by nobody', async (t) => {
    const free = [
      { method: 'notifications/message', params: { level: 'info', data: 'begins' } },
      { id: 'beat', method: 'ping' },
    ].map((message) => `console.log('${JSON.stringify({ jsonrpc: '2.0', ...message })}');`);
    assert.deepEqual(await found(t, free.join('\n'), { only: ['lifecycle-001'], least: 0 }), []);
  });

  test('a line of which no more is read says nothing of the server', async (t) => {
    // It can be read as JSON no more once it is cut.
    const tools =
      'Array.from({ length: 60_000 }, (_, at) => ({ name: `tool-${at}`, inputSchema: { type: "object" } }))';
    const long = `globalThis.tools = ${tools};`;
    const program = server.replace("[{ name: 'add', inputSchema: { type: 'object' } }]", 'globalThis.tools');
    assert.deepEqual(await found(t, long, { then: program }), []);
  });

  test('who reads a long message slowly, and serves on then, has outlived it', async (t) => {
    // For longer than two answers are waited for.
    const slow = `
      let isLong = false;
      process.stdin.on('data', (bytes) => {
        if (isLong || bytes.length < 60_000) return;
        isLong = true;
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3_600);
      });`;
    assert.deepEqual(await found(t, slow, { only: ['harden-large-message'] }), []);
  });

  test('who ends of a long message has not outlived it', async (t) => {
    const ending = "process.stdin.on('data', (bytes) => void (bytes.length > 60_000 && process.exit(1)));";
    assert.deepEqual(await found(t, ending, { only: ['harden-large-message'] }), ['harden-large-message']);
  });

  test('a second answer to a request breaks harden-second-answer, at once or after others', async (t) => {
    const only = ['harden-second-answer'];
    assert.deepEqual(await found(t, '', { only }), []);
    const twice = server.replace(
      'say(result ===',
      "if (method === 'tools/list') say({ id, result });\n  say(result ===",
    );
    assert.deepEqual(await found(t, '', { then: twice, only }), only);
    const late = server.replace('say(result ===', 'setTimeout(() => say({ id, result: {} }), 50);\n  say(result ===');
    assert.deepEqual(await found(t, '', { then: late, only }), only);
  });

  test('no-depth-limit: a process that deep JSON ends breaks harden-depth', async (t) => {
    const walks = `
      const parse = JSON.parse;
      JSON.parse = (text) => (/[\\[{]{1000}|(?:\\{"[^"]*":){1000}/.test(text) ? process.exit(70) : parse(text));`;
    assert.deepEqual(await found(t, walks, { only: ['harden-depth'] }), ['harden-depth']);
  });

  test('a server of lines of today that still watches resources breaks resources-007', async (t) => {
    assert.deepEqual(await ofToday(t, ''), []);
    assert.deepEqual(await ofToday(t, "|| method === 'resources/subscribe'"), ['resources-007']);
  });

  test('a word on standard output at the very end breaks stdio-003', async (t) => {
    assert.deepEqual(await found(t, "process.on('exit', () => console.log('Bye!'));"), ['stdio-003']);
  });

  test('a process that goes by what each message names is told the revision in odd messages too', async (t) => {
    const start = { command: process.execPath, args: ['-e', pinned], env: {} };
    const { findings, rows } = await judgeServer({
      way: { over: 'stdio', start },
      target: 'pinned',
      info: { name: 'parley-check', version: '1.0.0' },
      only: ['harden'],
      isNear: true,
      signal: t.signal,
    });
    assert.deepEqual(findings, []);
    for (const id of ['harden-depth', 'harden-proto', 'harden-utf-8'])
      assert.ok(
        rows.some((row) => row.id === id && row.verdict === 'holds'),
        id,
      );
  });
});

test('a process that tells of progress of a call that was cancelled breaks stdio-011', async (t) => {
  assert.deepEqual(await ofSlow(t, 'clearInterval(steps.get(params.requestId))'), []);
  assert.deepEqual(await ofSlow(t, ''), ['stdio-011']);
});

test('a process that answers a call that was cancelled breaks cancel-005, and one that ends then cancel-007', async (t) => {
  const stopped = 'clearInterval(steps.get(params.requestId))';
  for (const [row, fault] of [
    ['cancel-005', 'isCancelled = false'],
    ['cancel-007', 'process.exit(1)'],
  ] as const) {
    assert.deepEqual(await ofSlow(t, stopped, row), [], row);
    assert.deepEqual(await ofSlow(t, fault, row), [row]);
  }
});

/** What is found of a row in a server of today whose tool takes long. @param cancelled Words for what it does at a cancellation. */
async function ofSlow(t: TestContext, cancelled: string, row = 'stdio-011'): Promise<readonly string[]> {
  const program = `
const say = (message) => console.log(JSON.stringify({ jsonrpc: '2.0', ...message }));
const found = { resultType: 'complete', ttlMs: 0, cacheScope: 'public' };
const steps = new Map();
let isCancelled = false;
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === 'notifications/cancelled') { isCancelled = true; ${cancelled}; return; }
  if (method === 'server/discover') return say({ id, result: { ...found, supportedVersions: ['2026-07-28'], capabilities: { tools: {} } } });
  if (method === 'tools/list') return say({ id, result: { ...found, tools: [{ name: 'slow', inputSchema: { type: 'object' } }] } });
  if (method !== 'tools/call') return say({ id, error: { code: -32601, message: 'no such method' } });
  let progress = 0;
  const { progressToken } = params._meta;
  steps.set(id, setInterval(() => {
    say({ method: 'notifications/progress', params: { progressToken, progress: ++progress } });
    if (progress < 20) return;
    clearInterval(steps.get(id));
    if (!isCancelled) say({ id, result: { resultType: 'complete', content: [] } });
  }, 150));
});
`;
  const { findings, counts, rows } = await judgeServer({
    way: { over: 'stdio', start: { command: process.execPath, args: ['-e', program], env: {} } },
    target: 'lines',
    info: { name: 'parley-check', version: '1.0.0' },
    only: [row],
    calls: [{ name: 'slow' }],
    waitTimeoutMs: 1_500,
    isNear: true,
    signal: t.signal,
  });
  assert.equal(counts.judged, 1, JSON.stringify(rows));
  return findings.map(({ id }) => id);
}

/** What is found of a row in a server of today, as a program. @param served Words by which it serves more. */
async function ofToday(t: TestContext, served: string): Promise<readonly string[]> {
  const program = `
const say = (message) => console.log(JSON.stringify({ jsonrpc: '2.0', ...message }));
const found = { resultType: 'complete', ttlMs: 0, cacheScope: 'public' };
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line);
  if (id === undefined) return;
  if (method === 'server/discover' ${served}) return say({ id, result: { ...found, supportedVersions: ['2026-07-28'], capabilities: { resources: {} } } });
  if (method === 'resources/list') return say({ id, result: { ...found, resources: [] } });
  if (method === 'resources/templates/list') return say({ id, result: { ...found, resourceTemplates: [] } });
  say({ id, error: { code: -32601, message: 'no such method' } });
});
`;
  const { findings, counts } = await judgeServer({
    way: { over: 'stdio', start: { command: process.execPath, args: ['-e', program], env: {} } },
    target: 'lines',
    info: { name: 'parley-check', version: '1.0.0' },
    only: ['resources-007'],
    waitTimeoutMs: 1_500,
    isNear: true,
    signal: t.signal,
  });
  assert.equal(counts.judged, 1);
  return findings.map(({ id }) => id);
}

/** A server of one revision, as a program that takes a request which names none for the beginning of an older conversation. */
const pinned = `
const say = (message) => console.log(JSON.stringify({ jsonrpc: '2.0', ...message }));
const result = { resultType: 'complete', supportedVersions: ['2026-07-28'], capabilities: {}, ttlMs: 0, cacheScope: 'public' };
let isOld = false;
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  let message;
  try { message = JSON.parse(line); } catch { return say({ error: { code: -32700, message: 'no JSON' } }); }
  const { id, method, params } = message ?? {};
  if (method === undefined || id === undefined) return;
  if (params?._meta === undefined) isOld = true;
  if (isOld || method !== 'server/discover') return say({ id, error: { code: -32601, message: 'no such method' } });
  say({ id, result });
});
`;
