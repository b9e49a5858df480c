/** The ten programs of `examples/README.md`, each run as a user would run it. */

import assert from 'node:assert/strict';
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test, type TestContext } from 'node:test';
import worker from '../examples/mounted/worker.ts';
import { connect } from '../packages/parley/src/client.ts';
import { spawn as spawnServer } from '../packages/parley/src/stdio.ts';
import { freePort, missing } from './support/engines.ts';
import { authorizationServer } from './support/oidc-provider.ts';
import { root } from './support/sources.ts';

const programs = [
  'stdio.ts',
  'server.ts',
  'client.ts',
  'bridge.ts',
  'guarded.ts',
  'tasks/report.ts',
  'cluster/server.ts',
  'mounted/worker.ts',
  'mounted/express.js',
  'testing/client.test.ts',
];

/** Starts a program. Returns the URL in the first line of its output. */
async function started(
  t: TestContext,
  file: string,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  const child: ChildProcess = spawn(process.execPath, [`examples/${file}`, ...args], {
    cwd: root,
    env: { ...process.env, PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.after(() => child.kill('SIGTERM'));
  assert.ok(child.stdout);
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /http:\S+/.exec(line)?.[0];
    if (url !== undefined) return url;
  }
  throw new Error(`${file} ended without an address`);
}

/** Runs a program to its end. Returns its output. */
function printed(file: string, args: readonly string[] = []): string {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const options = { cwd: root, encoding: 'utf8', timeout: 120_000, env } as const;
  return execFileSync(process.execPath, [...args.slice(0, 1), `examples/${file}`, ...args.slice(1)], options);
}

/** The text that a tool without arguments returns. */
async function called(url: string, tool: string): Promise<unknown> {
  const client = await connect(url);
  const { content } = await client.callTool(tool);
  await client.close();
  return content;
}

test('each program has fewer than 60 lines and a link in the page of its folder', () => {
  const page = readFileSync(join(root, 'examples/README.md'), 'utf8');
  assert.deepEqual(
    [...page.matchAll(/^\| \[[^\]]+\]\(([^)]+)\)/gm)].map(([, file]) => file),
    programs,
  );
  for (const file of programs) {
    const lines = readFileSync(join(root, 'examples', file), 'utf8').split('\n').length - 1;
    assert.ok(lines < 60, `${file} has ${lines} lines`);
    const [folder, name] = file.split('/');
    if (name === undefined) continue;
    const own = readFileSync(join(root, 'examples', folder ?? '', 'README.md'), 'utf8');
    assert.ok(own.includes(`(${name})`), `examples/${folder}/README.md links ${name}`);
  }
});

test('the stdio server answers a call, and ends with its input', async () => {
  const client = await connect(spawnServer(process.execPath, [join(root, 'examples/stdio.ts')]));
  const { content } = await client.callTool('temperature');
  assert.match(JSON.stringify(content), /°C/);
  await client.close();
});

test('the HTTP server answers the client', async (t) => {
  const url = await started(t, 'server.ts');
  assert.equal(printed('client.ts', ['--no-warnings', url]), "[ { type: 'text', text: 'sunny in Oslo' } ]\n");
});

test('the bridge answers for a stdio server over HTTP', async (t) => {
  const url = await started(t, 'bridge.ts', [process.execPath, join(root, 'examples/stdio.ts')]);
  assert.match(JSON.stringify(await called(url, 'temperature')), /°C/);
});

test('the guarded server rejects a request without a token', async (t) => {
  const { issuer } = await authorizationServer(t, { scopes: ['files:read', 'files:write'] });
  const resource = `http://127.0.0.1:${await freePort()}/mcp`;
  const url = await started(t, 'guarded.ts', [], { ISSUER: issuer, RESOURCE: resource });
  const { status, headers } = await fetch(url, { method: 'POST' });
  assert.equal(status, 401);
  assert.match(headers.get('www-authenticate') ?? '', /^Bearer resource_metadata=/);
});

test('the tool with tasks publishes its report', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-examples-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const output = printed('tasks/report.ts', ['--no-warnings', join(folder, 'tasks.db')]);
  assert.match(output, /Figures: the figures of 2026/);
});

test('several processes answer as one server', { skip: missing('redis-server') }, async (t) => {
  const url = await started(t, 'cluster/start.ts', [], { REDIS_PORT: String(await freePort()) });
  const answers = new Set([JSON.stringify(await called(url, 'where')), JSON.stringify(await called(url, 'where'))]);
  assert.equal(answers.size, 2);
});

test('the worker answers a request', async () => {
  const fetch = (url: string, init: RequestInit): Promise<Response> => worker.fetch(new Request(url, init));
  const client = await connect('https://weather.example.workers.dev/mcp', { fetch });
  assert.deepEqual((await client.callTool('forecast')).content, [{ type: 'text', text: 'sunny' }]);
  await client.close();
});

test('the Express app answers a call', async (t) => {
  assert.deepEqual(await called(await started(t, 'mounted/express.js'), 'forecast'), [{ type: 'text', text: 'sunny' }]);
});

test('the tests of the client pass', () => {
  assert.match(printed('testing/client.test.ts', ['--test']), /pass [1-9]\d*\n[^]*fail 0/);
});
