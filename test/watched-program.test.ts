/** Servers under `node --watch`, whose program changes while a session is open. */

import assert from 'node:assert/strict';
import { spawn as spawnProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, test, type TestContext } from 'node:test';
import { pathToFileURL } from 'node:url';
import { connect, type Client } from '../packages/parley/src/client.ts';
import { createBridge } from '../packages/parley/src/bridge.ts';
import { connectInMemory } from '../packages/parley/src/testing/pair.ts';
import { spawnNode } from './support/programs.ts';
import { quietPort } from './support/quiet-port.ts';

const at = (path: string): string => JSON.stringify(pathToFileURL(join(import.meta.dirname, path)).href);

/** Refuses with the given error what comes before `initialize`, as servers of other SDKs do. */
const strict = (error: string): string => `
  let isOpen = false;
  const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
  const served = {
    initialize: () => ({ protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } }),
    ping: () => ({}),
    'tools/list': () => ({ tools: [{ name: 'version', inputSchema: { type: 'object' } }] }),
    'tools/call': () => ({ content: [{ type: 'text', text: version }] }),
  };
  createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method } = JSON.parse(line);
    if (method === 'initialize') isOpen = true;
    if (id === undefined) return;
    if (!isOpen && method !== 'ping') return send({ id, error: (${error})(method) });
    if (served[method] === undefined) return send({ id, error: { code: -32601, message: 'Method not found' } });
    send({ id, result: served[method]() });
  });`;

const ours = (revision: string): string => `
  const server = createServer({ name: 's', version: '1' }, { revisions: ['${revision}'] });
  server.tool('version', {}, () => version);`;

const onStdio: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ['2024-11-05', '2025-06-18', '2025-11-25', '2026-07-28'].map((revision) => [
      `of ours at ${revision}`,
      `${ours(revision)} serveStdio(server);`,
    ]),
  ),
  'that refuses with -32602': strict(`() => ({ code: -32602, message: 'Invalid request parameters', data: '' })`),
  'that refuses with -32603': strict(`() => ({ code: -32603, message: 'Received request before initialization' })`),
  'that refuses with 0': strict(
    '(method) => ({ code: 0, message: `method "${method}" is invalid during initialization` })',
  ),
};

interface Program {
  readonly file: string;
  /** Changes the program. Resolves once the new one runs. */
  change(version: string): Promise<void>;
  /** Takes what the programs write to standard error: they write their version when they run. */
  heard(text: string): void;
}

async function program(t: TestContext, body: string): Promise<Program> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-watched-'));
  t.after(() => rm(folder, { recursive: true }));
  const file = join(folder, 'server.mjs');
  const write = (version: string): Promise<void> =>
    writeFile(
      file,
      `import { createInterface } from 'node:readline';
       import { createServer } from ${at('../packages/parley/src/server/server.ts')};
       import { serveStdio } from ${at('../packages/parley/src/transports/stdio/server/serve.ts')};
       import { listen } from ${at('../packages/parley/src/transports/node/server/http.ts')};
       const version = '${version}';
       ${body}
       process.stderr.write('runs ' + version + '\\n');`,
    );
  await write('1');
  let text = '';
  let wake = (): void => undefined;
  return {
    file,
    heard: (more) => {
      text += more;
      wake();
    },
    async change(version) {
      await write(version);
      while (!text.includes(`runs ${version}`)) await new Promise<void>((resolve) => (wake = resolve));
    },
  };
}

async function versionOf(client: Client): Promise<unknown> {
  return (await client.callTool('version')).content;
}

const is = (text: string): unknown => [{ type: 'text', text }];

describe('a server on stdio under node --watch', () => {
  for (const [what, body] of Object.entries(onStdio)) {
    test(`${what} is used again after its program changed`, async (t) => {
      const { file, change, heard } = await program(t, body);
      const client = await connect(spawnNode(['--watch', file], { onStderr: heard }), { sessionLost: 'repeat' });
      t.after(() => client.close());
      assert.deepEqual(await versionOf(client), is('1'));
      await change('2');
      assert.deepEqual(await versionOf(client), is('2'));
      await change('3');
      assert.equal((await client.listTools()).length, 1);
      assert.deepEqual(await versionOf(client), is('3'));
    });
  }

  test('is used again behind a bridge', async (t) => {
    const { file, change, heard } = await program(t, onStdio['that refuses with -32602'] ?? '');
    const bridge = await createBridge({ upstream: spawnNode(['--watch', file], { onStderr: heard }) });
    t.after(() => bridge.close());
    const client = await connectInMemory(bridge, { sessionLost: 'repeat' });
    t.after(() => client.close());
    assert.deepEqual(await versionOf(client), is('1'));
    await change('2');
    assert.equal((await client.listTools()).length, 1);
    assert.deepEqual(await versionOf(client), is('2'));
  });
});

describe('a server over HTTP under node --watch', () => {
  for (const revision of ['2025-03-26', '2025-11-25', '2026-07-28'])
    test(`at ${revision} is used again after its program changed`, async (t) => {
      const { file, change, heard } = await program(
        t,
        `${ours(revision)}
         const { url } = await listen(server, { port: Number(process.env.PORT ?? 0) });
         process.stderr.write('at ' + url + '\\n');`,
      );
      const port = await quietPort();
      const child = spawnProcess(process.execPath, ['--watch', file], {
        stdio: ['ignore', 'ignore', 'pipe'],
        env: { ...process.env, PORT: String(port) },
      });
      t.after(async () => {
        child.kill();
        await once(child, 'exit');
      });
      const lines = createInterface({ input: child.stderr });
      const served = once(lines, 'line');
      lines.on('line', (line) => heard(`${line}\n`));
      await served;
      const client = await connect(`http://127.0.0.1:${port}/mcp`, { sessionLost: 'repeat' });
      t.after(() => client.close());
      assert.deepEqual(await versionOf(client), is('1'));
      await change('2');
      assert.deepEqual(await versionOf(client), is('2'));
    });
});
