/** The door at which clients are judged: who comes in, what nobody can do there, and the command that opens it. */

import assert from 'node:assert/strict';
import { request } from 'node:http';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text as textOf } from 'node:stream/consumers';
import { test, type TestContext } from 'node:test';
import { checkClient } from '../../packages/cli/src/check/client/run/check-client.ts';
import type { CheckReport } from '../../packages/cli/src/check/report.ts';
import { connect } from '../../packages/parley/src/client.ts';
import { checkCommand } from '../../packages/cli/src/commands/check/check.ts';
import { UsageError } from '../../packages/cli/src/commands/io.ts';
import { commanded } from './commanded.ts';
import { root } from '../support/sources.ts';

interface Came {
  readonly status: number;
  readonly body: string;
}

function ask(url: string, method: string, headers: Readonly<Record<string, string>>, body?: string): Promise<Came> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers, agent: false }, (response) => {
      textOf(response).then((came) => resolve({ status: response.statusCode ?? 0, body: came }), reject);
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

async function at(t: TestContext, run: (origin: string) => Promise<void>): Promise<CheckReport> {
  const info = { name: 'parley-check', version: '1.0.0' };
  return await checkClient({ door: { port: 0 }, info, signal: t.signal, onOpen: run });
}

const json = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

test('names and pages of elsewhere reach nothing', async (t) => {
  const { counts } = await at(t, async (origin) => {
    for (const headers of [{ host: 'evil.example' }, { origin: 'https://evil.example' }, { origin: 'null' }])
      assert.equal((await ask(`${origin}/mcp`, 'POST', { ...json, ...headers }, '{}')).status, 403);
    assert.equal((await ask(`${origin}/other`, 'POST', json, '{}')).status, 404);
    assert.equal((await ask(`${origin}/1999-01-01/mcp`, 'POST', json, '{}')).status, 404);
    for (const method of ['PUT', 'GET', 'DELETE']) assert.equal((await ask(`${origin}/mcp`, method, {})).status, 405);
  });
  assert.equal(counts.judged, 0);
});

test('a path of one revision speaks that alone', async (t) => {
  await at(t, async (origin) => {
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
    const came = await ask(`${origin}/2025-03-26/mcp`, 'POST', json, body);
    assert.match(came.body, /"protocolVersion":"2025-03-26"/);
  });
});

/** An object that no text can be made of as usual. */
const odd = { toString: 1, valueOf: 1 };

const nasty: readonly string[] = [
  '',
  'null',
  '[]',
  '1',
  '"x"',
  '[[]]',
  '{"jsonrpc":"2.0"}',
  '{"jsonrpc":"2.0","id":{},"method":{}}',
  '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[]}',
  '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","inputResponses":{"__proto__":1}}}',
  '{"jsonrpc":"2.0","id":"check-1","result":{}}',
  '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":[]}}',
  '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":{}}}',
  ...['id', 'method', 'params'].map((field) => JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping', [field]: odd })),
  ...[{ name: odd }, { cursor: odd }, { taskId: odd }, { requestId: odd }, { _meta: { progressToken: odd } }].flatMap(
    (params) =>
      ['tools/call', 'tools/list', 'tasks/get', 'notifications/cancelled'].map((method) =>
        JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      ),
  ),
  JSON.stringify({ jsonrpc: '2.0', id: odd, result: {} }),
  JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: odd } }),
  '{'.repeat(100_000),
  `${'['.repeat(100_000)}${']'.repeat(100_000)}`,
  `[${'{"jsonrpc":"2.0","id":1,"method":"ping"},'.repeat(5_000)}1]`,
  '\u0000\ud800',
];

test('a body that is no UTF-8 is found', async (t) => {
  const { findings } = await at(t, async (origin) => {
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c?', version: '1' } };
    const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params }));
    body[body.indexOf('?')] = 0xe9;
    await (await fetch(`${origin}/mcp`, { method: 'POST', headers: json, body })).text();
  });
  assert.deepEqual(
    findings.filter(({ severity }) => severity === 'error').map(({ id }) => id),
    ['basic-002'],
  );
});

test('whatever is said is answered, and the next is judged as before', async (t) => {
  const report = await at(t, async (origin) => {
    for (const body of nasty) {
      const { status } = await ask(`${origin}/mcp`, 'POST', json, body);
      assert.ok([200, 202, 400].includes(status), `${status} for ${body.slice(0, 60)}`);
    }
    const tooLarge = ask(`${origin}/mcp`, 'POST', json, 'x'.repeat(5 * 1024 ** 2));
    assert.equal((await tooLarge.catch(() => ({ status: 413 }))).status, 413);
    assert.equal((await ask(`${origin}/mcp`, 'POST', json, '{"jsonrpc":"2.0","id":2,"method":"ping"}')).status, 200);
  });
  assert.ok(report.findings.some(({ id }) => id === 'basic-001'));
});

const program = join(root, 'test/check/raw-client-main.ts');

test('the command starts a client with the address, ticks off what it does, and says by its code what was found', async (t) => {
  const right = await commanded(t, ['--client', '--', process.execPath, program, '{url}', '2025-11-25']);
  assert.equal(right.code, 0, right.told);
  assert.match(right.out, /^a client at http:\S+, over http\nspeaks 2025-11-25\n/);
  assert.match(right.told, /done: call the tool ask[^]*the client ended: code 0/);
  const wrong = await commanded(t, [
    '--client',
    '--json',
    '--',
    process.execPath,
    program,
    '{url}',
    '2026-07-28',
    'alters-state',
  ]);
  assert.equal(wrong.code, 1, wrong.told);
  const { side, findings } = JSON.parse(wrong.out) as CheckReport;
  assert.deepEqual([side, findings.map(({ id }) => id)], ['client', ['mrtr-018']]);
});

test('a client that leaves early is judged by what it did, and the command says by its code that this is not all', async (t) => {
  const script = `
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
    await (await fetch(process.env.PARLEY_CHECK_URL, { method: 'POST', headers, body })).text();`;
  const { code, out } = await commanded(t, ['--client', '--', process.execPath, '--input-type=module', '-e', script]);
  assert.equal(code, 3, out);
  assert.match(out, /not done: list all its tools[^]*cut short: the client ended before all was done/);
});

test('the report says how a client ended that left early, and what it wrote last, without secrets', async (t) => {
  const script = 'console.error(`no module ${process.env.API_TOKEN}`); process.exitCode = 7;';
  const { code, out } = await commanded(t, [
    '--client',
    '--env',
    'API_TOKEN=sesame-open-0815',
    '--',
    process.execPath,
    '-e',
    script,
  ]);
  assert.equal(code, 3, out);
  assert.match(out, /cut short: the client ended before all was done: code 7; the last .*:\n {4}no module /);
  assert.ok(!out.includes('sesame-open-0815'), out);
});

const signsIn = join(root, 'test/check/raw-authorized-main.ts');

test('with --auth the command is started for each scenario, and judged by what it did in all of them', async (t) => {
  const argv = ['--client', '--auth', '--json', '--', process.execPath, signsIn, '{url}', '2026-07-28'];
  const right = await commanded(t, argv);
  assert.equal(right.code, 0, right.told);
  for (const name of ['right', 'moved', 'no-pkce']) assert.match(right.told, new RegExp(`done: ${name}`));
  const wrong = await commanded(t, [...argv, 'normalizes-iss']);
  assert.equal(wrong.code, 1, wrong.told);
  const { findings } = JSON.parse(wrong.out) as CheckReport;
  assert.deepEqual(
    findings.map(({ id, where }) => `${id} ${where}`),
    ['auth-090 scenario alike-iss'],
  );
});

test('with --auth and nobody to start it says where to connect to, and is over when its time is', async (t) => {
  const { code, told, out } = await commanded(t, ['--client', '--auth', '--wait', '1']);
  assert.equal(code, 3);
  assert.match(told, /http:\/\/127\.0\.0\.1:\d+\/mcp {2}right: sign in/);
  assert.match(out, /its time was over/);
});

test('options that go with nothing are refused', async (t) => {
  for (const argv of [
    ['--port', '1', 'http://127.0.0.1:1/'],
    ['--client', 'http://127.0.0.1:1/'],
    ['--client', '--stdio', '--', 'x'],
    ['--client', '--stdio', '--port', '1'],
    ['--client', '--wait', '0'],
    ['--client', '--port', '70000'],
    ['--auth', 'http://127.0.0.1:1/'],
    ['--client', '--auth', '--stdio'],
    ['--client', '--only', 'nonsense'],
    ['--client', '--stdio', '--only', 'meta', '--only', 'met'],
    ['--client', '--auth', '--only', 'nonsense'],
    ['--client', '--only', 'auth-011'],
  ])
    await assert.rejects(commanded(t, argv), UsageError);
});

test('over lines a client is judged until it says no more', async (t) => {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const [out, told] = [textOf(stdout), textOf(stderr)];
  const judged = checkCommand(['--client', '--stdio'], { stdin, stdout, stderr, env: {}, signal: t.signal });
  stdin.end('{"jsonrpc":"2.0","id":1,"method":"tools/list"}\nnonsense\n');
  assert.equal(await judged, 1);
  stdout.end();
  stderr.end();
  assert.match(await out, /^\{"jsonrpc":"2.0","id":1,"result":/m);
  assert.match(await out, /^\{"jsonrpc":"2.0","id":null,"error"/m);
  assert.match(await told, /lifecycle-001 MUST[^]*"nonsense" is not JSON|"nonsense" is not JSON[^]*lifecycle-001 MUST/);
});

test('a line that is longer than what is read is held against no client, and who waits for its answer is told', async (t) => {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const [out, told] = [textOf(stdout), textOf(stderr)];
  const judged = checkCommand(['--client', '--stdio'], { stdin, stdout, stderr, env: {}, signal: t.signal });
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } };
  const say = (message: object): void => void stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  say({ id: 1, method: 'initialize', params });
  say({ method: 'notifications/initialized' });
  const long = { name: 'echo', arguments: { text: 'long '.repeat(1024 ** 2) } };
  say({ id: 2, method: 'tools/call', params: long });
  say({ id: 3, method: 'tools/list' });
  stdin.end();
  const code = await judged;
  stdout.end();
  stderr.end();
  // Nothing is broken, and not all was done.
  assert.equal(code, 3, await told);
  assert.match(
    await out,
    /^\{"jsonrpc":"2.0","id":null,"error":\{"code":-32600,"message":"no line of more than 4 MiB/m,
  );
  assert.match(await out, /^\{"jsonrpc":"2.0","id":3,"result":/m);
});

test('a session that there is not is answered with 404, and the next conversation is judged as ever', async (t) => {
  const { findings } = await at(t, async (origin) => {
    const body = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}';
    const other = { ...json, 'mcp-session-id': 'of-another-run' };
    for (const method of ['POST', 'GET', 'DELETE'])
      assert.equal((await ask(`${origin}/mcp`, method, other, method === 'POST' ? body : undefined)).status, 404);
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } };
    const opening = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
    assert.equal((await ask(`${origin}/mcp`, 'POST', other, opening)).status, 200);
    for (const method of ['POST', 'GET', 'DELETE'])
      assert.equal((await ask(`${origin}/mcp`, method, other, method === 'POST' ? body : undefined)).status, 404);
  });
  assert.deepEqual(
    findings.map(({ id }) => id),
    ['http-049'],
  );
});

/** Rows that are broken, and that hold, of what is asked at the server that speaks nothing that there is. */
async function atUnknown(t: TestContext, run: (url: string) => Promise<void>) {
  const { findings, rows } = await at(t, (origin) => run(`${origin}/unknown/mcp`));
  return {
    found: findings.map(({ id }) => id),
    held: rows.filter(({ verdict }) => verdict === 'holds').map(({ id }) => id),
  };
}

const asksFor = (method: string, params: object, id: unknown = 1): string =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params });
const clientInfo = { name: 'c', version: '1' };
const opening = asksFor('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
const newestRequest = asksFor('tools/list', {
  _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {} },
});

test('a client that goes on in a revision that it does not speak is found, and one that goes is right', async (t) => {
  const right = await atUnknown(t, async (url) => {
    assert.match((await ask(url, 'POST', json, opening)).body, /"protocolVersion":"1999-01-01"/);
  });
  assert.deepEqual(right, { found: [], held: ['lifecycle-015', 'lifecycle-016'] });
  const wrong = await atUnknown(t, async (url) => {
    await ask(url, 'POST', json, opening);
    await ask(url, 'POST', json, '{"jsonrpc":"2.0","method":"notifications/initialized"}');
  });
  assert.deepEqual(wrong, { found: ['lifecycle-016'], held: [] });
});

test('a client that falls back from a server of new revisions is found', async (t) => {
  const right = await atUnknown(t, async (url) => {
    const { status, body } = await ask(url, 'POST', json, newestRequest);
    assert.deepEqual([status, /"code":-32022/.test(body)], [400, true]);
  });
  assert.deepEqual(right, { found: [], held: ['http-114'] });
  const wrong = await atUnknown(t, async (url) => {
    await ask(url, 'POST', json, newestRequest);
    await ask(url, 'POST', json, opening);
  });
  assert.deepEqual(wrong.found, ['http-114']);
});

test('nothing is found in our client at a server that speaks nothing that there is, to which it does not connect', async (t) => {
  for (const revision of ['2025-11-25', '2026-07-28', undefined] as const) {
    const { found } = await atUnknown(t, async (url) => {
      await assert.rejects(connect(url, revision === undefined ? {} : { revisions: [revision] }));
    });
    assert.deepEqual(found, [], revision);
  }
});

test('a client that closes the stream on which it is asked is asked no more, and has left nothing unanswered', async (t) => {
  const { findings } = await at(t, async (origin) => {
    const url = `${origin}/mcp`;
    const opened = await fetch(url, { method: 'POST', headers: json, body: opening });
    await opened.text();
    const session = opened.headers.get('mcp-session-id') ?? '';
    const own = { ...json, 'mcp-session-id': session, 'mcp-protocol-version': '2025-11-25' };
    await ask(url, 'POST', own, '{"jsonrpc":"2.0","method":"notifications/initialized"}');
    const gone = new AbortController();
    const body = asksFor('tools/call', { name: 'ask', arguments: {} }, 2);
    const stream = await fetch(url, { method: 'POST', headers: own, body, signal: gone.signal });
    const reader = (stream.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    while (!text.includes('"method":"ping"')) text += (await reader.read()).value ?? '';
    gone.abort();
    await reader.read().catch(() => undefined);
    // What it was asked before it answers still.
    const id: unknown = JSON.parse(/"id":([^,]*),"method":"ping"/.exec(text)?.[1] ?? 'null');
    await ask(url, 'POST', own, JSON.stringify({ jsonrpc: '2.0', id, result: {} }));
    await new Promise((resolve) => setTimeout(resolve, 200));
    assert.equal((await ask(url, 'POST', own, asksFor('tools/list', {}, 3))).status, 200);
    await ask(url, 'DELETE', own);
  });
  assert.deepEqual(
    findings.map(({ id }) => id),
    [],
  );
});
