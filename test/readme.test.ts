import assert from 'node:assert/strict';
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer, request } from 'node:http';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { json, text } from 'node:stream/consumers';
import { test, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { connect } from '../packages/parley/src/client.ts';
import { spawn as spawnServer } from '../packages/parley/src/stdio.ts';
import { exampleCommand, parley } from './support/cli-process.ts';
import { authorizationServer } from './support/oidc-provider.ts';

const root = new URL('..', import.meta.url);

/** The first lines of a program's output that have a word; the program lives on. */
async function lineWith(child: ChildProcess, word: string): Promise<string> {
  assert.ok(child.stdout);
  for await (const line of createInterface({ input: child.stdout })) if (line.includes(word)) return line;
  throw new Error(`the program ended without a line with ${word}`);
}

function run(file: string, args: readonly string[] = [], env: Readonly<Record<string, string>> = {}): ChildProcess {
  return spawn(process.execPath, [file, ...args], {
    cwd: root,
    env: { ...process.env, PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

/** A port that was free a moment ago. */
function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer();
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}

/** The lines that a program printed; it must have ended well. */
async function printedBy(file: string, args: readonly string[] = []): Promise<readonly string[]> {
  const child = run(file, args);
  assert.ok(child.stdout);
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const printed = await text(child.stdout);
  assert.equal(await ended, 0, printed);
  return printed.trimEnd().split('\n');
}

test('the definitions of docs/how-to/change-definitions.md change at run time, and clients are notified', async () => {
  const lines = await printedBy('examples/changing.ts');
  const said = "changed: { type: 'list', list: 'tools' }";
  assert.ok(lines.includes(said), lines.join('\n'));
  assert.deepEqual(
    lines.filter((line) => line !== said),
    ["[ 'order: Orders the items on the list, except on Sundays.' ]", '[]', "[ 'pay: Pays.' ] true"],
  );
});

test('the host of docs/client.md calls a tool on stdio, reads its log, and declines its question', async () => {
  const lines = await printedBy('examples/host.ts', ['node', 'test/support/asking-stdio.ts']);
  assert.deepEqual(lines, [
    'asking 2026-07-28 undefined',
    "[ 'ask' ]",
    'log info hello',
    "question: who? [ 'name' ]",
    "answered [ { type: 'text', text: 'decline' } ]",
  ]);
});

/** A collector of OpenTelemetry, as far as spans come to it as JSON. */
async function collector(t: TestContext): Promise<{ readonly url: string; readonly spans: readonly OtlpSpan[] }> {
  const spans: OtlpSpan[] = [];
  const server = createHttpServer(async (asked, answer) => {
    const { resourceSpans } = (await json(asked)) as { resourceSpans: { scopeSpans: { spans: OtlpSpan[] }[] }[] };
    spans.push(...resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((one) => one.spans)));
    answer.setHeader('content-type', 'application/json').end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, spans };
}

interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
}

test('the traces of docs/how-to/send-traces.md arrive at a collector, one for a call through a bridge', async (t) => {
  const { url, spans } = await collector(t);
  const child = run('examples/observability/traces.ts', [], { OTEL_EXPORTER_OTLP_ENDPOINT: url });
  t.after(() => child.kill());
  assert.equal(await new Promise((resolve) => child.once('exit', resolve)), 0);
  const calls = spans.filter(({ name }) => name === 'tools/call forecast');
  let parent = calls.find(({ parentSpanId = '' }) => parentSpanId === '');
  const kinds: number[] = [];
  for (; parent !== undefined; parent = calls.find(({ parentSpanId }) => parentSpanId === parent?.spanId))
    kinds.push(parent.kind);
  // OTLP: 2 is a server, 3 a client.
  assert.deepEqual(kinds, [3, 2, 3, 2]);
  assert.equal(new Set(calls.map(({ traceId }) => traceId)).size, 1);
});

test('a bridge of the command line that loads the module of docs/observability.md sends spans to a collector', async (t) => {
  const { url, spans } = await collector(t);
  const child = run(parley, ['bridge', '--otel', '--', ...exampleCommand], {
    OTEL_EXPORTER_OTLP_ENDPOINT: url,
    NODE_OPTIONS: '--import ./examples/observability/telemetry.mjs',
  });
  t.after(() => child.kill());
  const line = await lineWith(child, '  url ');
  const client = await connect(line.trim().split(/\s+/)[1] ?? '');
  await client.callTool('add', { a: 1, b: 2 });
  await client.close();
  child.kill('SIGTERM');
  assert.equal(await new Promise((resolve) => child.once('exit', resolve)), 0);
  const kinds = spans.filter(({ name }) => name === 'tools/call add').map(({ kind }) => kind);
  assert.deepEqual(
    kinds.toSorted((one, other) => one - other),
    [2, 3],
  );
});

test('the metrics of docs/how-to/export-metrics.md are scraped in the format of Prometheus', async (t) => {
  const port = await freePort();
  const server = run('examples/observability/metrics.ts', [], { METRICS_PORT: String(port) });
  t.after(() => server.kill());
  const line = await lineWith(server, 'serving');
  const client = await connect(line.slice(line.indexOf('http')));
  await client.callTool('forecast');
  await client.close();
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  assert.match(text, /^mcp_server_operation_duration_count\{.*gen_ai_tool_name="forecast".*\} 1/m);
});

/** What each program that ends by itself prints, as far as it matters. */
const printed = {
  results: /^\[ 'text', 'image', 'resource_link' \]\n\{ width: 1, height: 1 \}\nimage\/png Look for a drawing/,
  progress: /^1 of 2\n2 of 2\n.*rendered 2 frames.*\n1 of 1000\nthe user pressed Cancel\n$/,
  logs: /^warning \{ skipped: 'notes\.tmp' \} files\n.*done/,
  answers: /none is invalid\n.* 2 is valid\n.*booked for 2/,
  headers: /tenant acme/,
  'web-page': /allow-origin: https:\/\/app\.example\.com\n.*Mcp-Session-Id/,
  tokens: /'ann'[^]*401/,
  errors:
    /^true .*The account is empty.*\nrejected: invalidParams -32602 .*\nno answer: refused\nother: Error: the user pressed Cancel\n$/,
  asking: /booked for 2, number 7/,
  summarize: /'Buy milk\.'/,
  prompt: /\[ 'Rust' \][^]*Review this Rust code\./,
  template: /\[ 'alan' \][^]*born.*1912/,
  subscribe: /uri: 'room:\/\/temperature' \}[^]*text: '21'/,
  'tool-error': /You can withdraw at most 100 at once, not 500\.[^]*isError: true/,
  'in-memory.test': /pass 2/,
  'own-method': /^\[ 'Emma' \]\n$/,
  merge: /2024-11-05 \[ 'forecast', 'time' \]\n.*12:00[^]*2026-07-28 \[ 'forecast', 'time' \]\n.*12:00/,
  mount: /nothing to commit[^]*\[\]/,
  'in-words': /pass it as `guests`[^]*booked for 2[^]*The number of guests is unknown/,
  'whose-state': /'milk'[^]*unknown cart/,
  'middleware/timing': /tools\/call took [\d.]+ ms/,
  'middleware/caching': /1 EUR is 1 USD[^]*1 EUR is 2 CHF[^]*1 EUR is 1 USD/,
  'middleware/redaction': /^asked \[address\]\n[^]*write to \[address\]/,
  'middleware/limits':
    /small.*found.*\nsmall.*found.*\nsmall[^]*used up[^]*large.*found.*\nlarge.*found.*\nlarge.*found/,
  'tasks/hosted': /published Figures/,
  'tasks/executor': /all is well/,
  'tasks/contract.test': /pass \d{2}[^]*fail 0/,
  'observability/events': /"type":"session-opened","session":1,"revision":"2025-11-25"[^]*"type":"session-ended"/,
  'middleware/flags': /^\[ 'buy' \]\n\[ 'buy', 'refund' \]\n.*refunded/,
} as const;

for (const [name, pattern] of Object.entries(printed)) {
  test(`the program ${name} prints what its page says`, () => {
    const options = { cwd: root, encoding: 'utf8', timeout: 60_000 } as const;
    assert.match(execFileSync(process.execPath, [`examples/${name}.ts`], options), pattern);
  });
}

test('the task of docs/tasks.md is kept in a file, and gives its result', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-report-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const lines = await printedBy('examples/tasks/report.ts', [join(folder, 'tasks.db')]);
  assert.deepEqual(lines, ["[ { type: 'text', text: 'Figures: the figures of 2026' } ]"]);
});

test('the worker of docs/how-to/task-workers.md ends in good order by SIGTERM', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-worker-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const worker = run('examples/tasks/worker.ts', [join(folder, 'tasks.db')]);
  t.after(() => worker.kill('SIGKILL'));
  const ended = new Promise((resolve) => worker.once('exit', resolve));
  await lineWith(worker, 'working');
  worker.kill('SIGTERM');
  assert.equal(await ended, 0);
});

test('the server of docs/skill asks before it cancels, and acts once', async (t) => {
  const client = await connect(spawnServer(process.execPath, ['examples/orders.ts'], { cwd: fileURLToPath(root) }), {
    onElicit: () => ({ action: 'accept', content: { sure: true } }),
  });
  t.after(() => client.close());
  const { content } = await client.callTool('cancel_order', { id: '7' });
  assert.deepEqual(content, [{ type: 'text', text: 'Order 7 is cancelled.' }]);
});

test('the server of docs/how-to/shut-down.md is ready until SIGTERM, and ends in good order', async (t) => {
  const server = run('examples/shut-down.ts');
  t.after(() => server.kill('SIGKILL'));
  const ended = new Promise((resolve) => server.once('exit', resolve));
  const line = await lineWith(server, 'listening at');
  const url = new URL('/readyz', line.slice(line.indexOf('http')));
  assert.equal((await fetch(url)).status, 200);
  server.kill('SIGTERM');
  assert.equal(await ended, 0);
});

test('the server of docs/how-to/serve-over-stdio.md ends with its input, although it had a timer', async (t) => {
  const server = run('examples/stdio.ts');
  t.after(() => server.kill('SIGKILL'));
  const late = AbortSignal.timeout(30_000);
  const ended = new Promise((resolve, reject) => {
    server.once('exit', resolve);
    late.addEventListener('abort', () => reject(new Error('it lives on')));
  });
  assert.equal(await ended, 0);
});

test('the program of docs/how-to/serve-over-stdio.md for both transports serves stdio and HTTP', async (t) => {
  const server = run('examples/both.ts');
  t.after(() => server.kill('SIGKILL'));
  const line = await lineWith(server, 'listening at');
  const stdio = spawnServer(process.execPath, [fileURLToPath(new URL('examples/both.ts', root)), '--stdio']);
  for (const target of [line.slice(line.indexOf('http')), stdio]) {
    const client = await connect(target);
    assert.deepEqual((await client.callTool('forecast')).content, [{ type: 'text', text: 'sunny' }]);
    await client.close();
  }
});

test('the server of docs/how-to/rate-limits.md opens so many sessions of one client and is ready', async (t) => {
  const server = run('examples/limited.ts');
  t.after(() => server.kill('SIGKILL'));
  const url = await lineWith(server, 'http');
  const initialize = {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } },
  };
  const headers = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' };
  const statuses: number[] = [];
  // However slow this machine is: of as many sessions as would take minutes some are refused.
  for (let session = 0; session < 30 && statuses.at(-1) !== 429; session++) {
    const { status } = await fetch(url, { method: 'POST', headers, body: JSON.stringify(initialize) });
    statuses.push(status);
  }
  assert.deepEqual([statuses.slice(0, 5), statuses.at(-1)], [[200, 200, 200, 200, 200], 429]);
  assert.equal((await fetch(new URL('/readyz', url))).status, 200);
});

test('the server of docs/mounting.md behind a host name answers requests for that name only', async () => {
  const server = run('examples/deployed.ts');
  try {
    const listening = await lineWith(server, 'listening at');
    const { port } = new URL(listening.slice(listening.indexOf('http')));
    const statusFor = (host: string): Promise<number | undefined> =>
      new Promise((resolve, reject) => {
        const sent = request({ port, host: '127.0.0.1', path: '/mcp', headers: { host } }, (response) => {
          response.resume();
          resolve(response.statusCode);
        });
        sent.on('error', reject).end();
      });
    assert.deepEqual([await statusFor('evil.example'), (await statusFor('mcp.example.com')) === 403], [403, false]);
  } finally {
    server.kill();
  }
});

test('the client of docs/how-to/sign-in.md signs in at a protected server', async (t) => {
  const as = await authorizationServer(t, { scopes: ['files:read', 'files:write'] });
  const folder = mkdtempSync(join(tmpdir(), 'parley-readme-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const opener = fileURLToPath(new URL('support/opener.ts', import.meta.url));
  writeFileSync(join(folder, 'xdg-open'), `#!/bin/sh\nexec '${process.execPath}' '${opener}' "$1"\n`, { mode: 0o755 });
  const port = await freePort();
  const resource = `http://127.0.0.1:${port}/mcp`;
  const server = run('examples/guarded.ts', [], { PORT: String(port), RESOURCE: resource, ISSUER: as.issuer });
  t.after(() => server.kill());
  await lineWith(server, 'listening at');
  const stranger = await fetch(resource, { method: 'POST' });
  assert.equal(stranger.status, 401);
  assert.match(
    stranger.headers.get('www-authenticate') ?? '',
    /^Bearer resource_metadata="http[^"]*".*scope="files:read"/,
  );
  const path = `${folder}:${process.env['PATH'] ?? ''}`;
  const client = run('examples/sign-in.ts', [resource], { PATH: path, XDG_STATE_HOME: join(folder, 'state') });
  t.after(() => client.kill());
  assert.match(await lineWith(client, 'the files of'), /the files of anna/);
  assert.deepEqual(
    as.tokenRequests.map(({ grantType }) => grantType),
    ['authorization_code'],
  );
});

test('the client of docs/first-client.md prints what the page says, also without a server', async (t) => {
  const server = run('examples/server.ts');
  t.after(() => server.kill());
  const line = await lineWith(server, 'listening at');
  const lines = await printedBy('examples/first-client.ts', [line.slice(line.indexOf('http'))]);
  const page = readFileSync(new URL('docs/first-client.md', root), 'utf8');
  assert.ok(page.includes(`\n${lines.join('\n')}\n\`\`\``), lines.join('\n'));
  const child = spawn(process.execPath, ['examples/first-client.ts', 'http://127.0.0.1:9/mcp'], { cwd: root });
  assert.match(await text(child.stderr), /cannot be used \(refused\)/);
});

test('the bridge of docs/first-bridge.md connects an old client to a server of the newest version', async (t) => {
  const server = run('examples/newest-only.ts');
  t.after(() => server.kill());
  const line = await lineWith(server, 'listening at');
  const url = line.slice(line.indexOf('http'));
  const page = readFileSync(new URL('docs/first-bridge.md', root), 'utf8');
  const [, refusal] = /\n(parley: no common revision.*)\n/.exec(page) ?? [];
  const [, words = '', output] =
    /parley-cli call (--revision .*) http:\S+ book day=Friday\n```\n\n```text\n(.*)\n```/.exec(page) ?? [];
  const old = spawn(process.execPath, [parley, 'call', '--revision', '2025-06-18', url], { cwd: fileURLToPath(root) });
  assert.equal((await text(old.stderr)).trim(), refusal);
  const bridge = run(parley, ['bridge', url]);
  t.after(() => bridge.kill());
  const bridged = (await lineWith(bridge, '  url ')).trim().split(/\s+/)[1] ?? '';
  const command = ['call', ...words.split(' '), bridged, 'book', 'day=Friday'];
  assert.deepEqual(await printedBy(parley, command), [output]);
});

test('the client and the command of the README call the server of the README', async (t) => {
  const server = run('examples/server.ts');
  t.after(() => server.kill());
  const listening = await lineWith(server, 'listening at');
  const url = listening.slice(listening.indexOf('http'));
  assert.deepEqual(await printedBy('examples/client.ts', [url]), ["[ { type: 'text', text: 'sunny in Oslo' } ]"]);
  const [, words = '', output] =
    /npx parley-cli call http:\S+ (.*)\n```\n\n```text\n([^]*?)```/.exec(
      readFileSync(new URL('README.md', root), 'utf8'),
    ) ?? [];
  assert.equal(`${(await printedBy(parley, ['call', url, ...words.split(' ')])).join('\n')}\n`, output);
});

test('the stdio server of the README answers a call, and ends with its input', async (t) => {
  const server = spawn(process.execPath, ['examples/one-line.ts'], { cwd: root, stdio: ['pipe', 'pipe', 'inherit'] });
  t.after(() => server.kill('SIGKILL'));
  const ended = new Promise((resolve) => server.once('exit', resolve));
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } };
  const initialize = { jsonrpc: '2.0', id: 1, method: 'initialize', params };
  const call = { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'forecast' } };
  server.stdin.end(`${JSON.stringify(initialize)}\n${JSON.stringify(call)}\n`);
  assert.match(await text(server.stdout), /"id":2,"result":\{"content":\[\{"type":"text","text":"sunny"\}\]/);
  assert.equal(await ended, 0);
});
