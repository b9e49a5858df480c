/** Calls that a server refuses with a status or an error, or whose server process dies. */

import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { connect, type Client } from '../../packages/parley/src/client.ts';
import { createHttpHandler } from '../../packages/parley/src/transports/http/server/handler.ts';
import { createServer } from '../../packages/parley/src/server.ts';
import { visit } from '../support/fake-http.ts';
import { oddServer } from '../support/odd-http-server.ts';
import { call, problem } from '../support/stateless-call.ts';

interface Mortal {
  readonly client: Client;
  /** Resolves once the tool of the server runs. */
  readonly runs: Promise<unknown>;
  readonly kill: () => void;
}

/** Starts a server in another process, and connects to it. */
async function mortal(t: TestContext, revision: '2025-11-25' | '2026-07-28'): Promise<Mortal> {
  const child = fork(join(import.meta.dirname, 'server-that-dies.ts'), { execArgv: [] });
  const kill = (): void => void child.kill('SIGKILL');
  t.after(kill);
  const [url] = await once(child, 'message');
  const client = await connect(String(url), { revisions: [revision], onWarning: () => undefined });
  t.after(() => client.close());
  return { client, runs: once(child, 'message'), kill };
}

for (const revision of ['2025-11-25', '2026-07-28'] as const)
  test(`a call of ${revision} whose server process dies before it answers is rejected as soon as the connection breaks`, async (t) => {
    const { client, runs, kill } = await mortal(t, revision);
    // Without a limit, only the connection can end the call.
    const rejected = assert.rejects(client.callTool('waits', {}, { timeoutMs: 0 }), { reason: 'closed' });
    await runs;
    kill();
    await rejected;
  });

test('a stateless call whose server process dies within its stream is rejected as soon as the connection breaks', async (t) => {
  const { client, kill } = await mortal(t, '2026-07-28');
  const called = client.callTool('waits', {}, { timeoutMs: 0, onProgress: kill });
  await assert.rejects(called, { reason: 'closed', status: 200 });
});

test('a call in a session whose server process dies within its stream is resumed until it times out', async (t) => {
  const { client, kill } = await mortal(t, '2025-11-25');
  const called = client.callTool('waits', {}, { timeoutMs: 1_000, onProgress: kill });
  await assert.rejects(called, { reason: 'timeout' });
});

test('a call with the answer 421 is sent twice by fetch, and then rejected', async (t) => {
  let calls = 0;
  const { url } = await oddServer(t, ({ method }, response) => {
    if (method !== 'tools/call') return false;
    calls++;
    response.writeHead(421).end();
    return true;
  });
  const client = await connect(url, { revisions: ['2025-11-25'] });
  t.after(() => client.close());
  await assert.rejects(client.callTool('odd', {}), { reason: 'http', status: 421 });
  assert.equal(calls, 2);
});

test('a call with headers unlike its body is rejected before its handler runs', async () => {
  let runs = 0;
  const server = createServer({ name: 's', version: '1' });
  server.tool('pay', {}, () => void runs++);
  const sent = call({ method: 'tools/call', params: { name: 'pay' }, headers: { 'Mcp-Name': 'another' } });
  const answer = await visit(createHttpHandler(server), sent);
  assert.deepEqual([problem(answer).code, runs], [-32020, 0]);
});
