/** What tasks ask of a client, by what it sends over HTTP. */

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { connect, type Client, type ConnectOptions } from '../../packages/parley/src/client.ts';
import { createHandler, httpTransport, type Fetch } from '../../packages/parley/src/http.ts';
import { createServer, type Server } from '../../packages/parley/src/server.ts';
import { beginTask, taskServer, type Json } from '../support/task-server.ts';
import { extended, taskClient } from '../support/task-client.ts';

/** One request of a client, as it came. */
interface Sent {
  readonly method: string;
  readonly params: Json;
  readonly headers: Headers;
  readonly at: number;
}

/** A client of a server over HTTP, and all that it sends. */
async function watched(
  t: TestContext,
  server: Server,
  options: ConnectOptions = {},
): Promise<{ readonly client: Client; readonly sent: readonly Sent[] }> {
  const handler = createHandler(server);
  t.after(() => handler.close());
  const sent: Sent[] = [];
  const fetch: Fetch = async (url, { signal, ...request }) => {
    const { method = '', params = {} } = JSON.parse(request.body ?? '{}') as Partial<Sent>;
    sent.push({ method, params, headers: new Headers(request.headers), at: performance.now() });
    return (await handler(new Request(url, { ...request, signal }))) as unknown as Awaited<ReturnType<Fetch>>;
  };
  const client = await connect(httpTransport('http://127.0.0.1/mcp', { fetch }), options);
  t.after(() => client.close());
  return { client, sent };
}

function callsOf(sent: readonly Sent[], method: string): readonly Sent[] {
  return sent.filter((one) => one.method === method);
}

test('a tool is called as a task only where the server and the tool say so [tasks-002, tasks-003, tasks-004, tasks-005, tasks-007]', async (t) => {
  const without = createServer({ name: 's', version: '1' });
  t.after(() => without.close());
  without.tool('plain', {}, () => 'x');
  const server = taskServer(t, () => 'x', { use: { support: 'required' }, tasks: { pollIntervalMs: 100 } });
  server.tool('plain', {}, () => 'x');
  for (const [one, tool, isTask] of [
    [without, 'plain', false],
    [server, 'plain', false],
    [server, 't', true],
  ] as const) {
    const { client, sent } = await watched(t, one, { revisions: ['2025-11-25'] });
    await client.listTools();
    await client.callTool(tool);
    const [call] = callsOf(sent, 'tools/call');
    assert.equal(call?.params['task'] !== undefined, isTask, tool);
    if (isTask) continue;
    await assert.rejects(client.startTask(tool), /task/);
    assert.equal(callsOf(sent, 'tools/call').length, 1, 'nothing was sent');
  }
});

test('over HTTP a client names the task of each request in a header, and asks in the interval that it is told, until the end [tasks-062, tasks-063, tasks-081, B16]', async (t) => {
  let polls = 0;
  let end: (text: string) => void = () => undefined;
  const server = taskServer(t, () => new Promise<string>((resolve) => (end = resolve)), {
    use: { pollIntervalMs: 150 },
  });
  const { client, sent } = await watched(t, server, { revisions: ['2026-07-28'] });
  const task = await client.startTask('t');
  const updates: unknown[] = [];
  for await (const { status } of task.updates()) {
    updates.push(status);
    if (++polls === 1) end('x');
  }
  await task.result();
  const gets = callsOf(sent, 'tasks/get');
  assert.ok(gets.length > 0);
  for (const { headers, params } of gets) assert.equal(headers.get('mcp-name'), params['taskId']);
  const times = [...callsOf(sent, 'tools/call'), ...gets].map(({ at }) => at);
  assert.ok(times.every((at, index) => index === 0 || at - (times[index - 1] ?? 0) >= 140));
  assert.equal(updates.at(-1), 'completed');
  assert.deepEqual(callsOf(sent, 'tasks/result'), []);
});

test('a revision that nobody knows is no revision: what claims it is refused, with those that there are [B12]', async (t) => {
  const server = taskServer(t, () => 'x');
  const client = await taskClient(server, { revision: '2026-07-28', capabilities: extended });
  const _meta = { 'io.modelcontextprotocol/protocolVersion': '2026-06-30' };
  const { code, data } = await client.ask('tools/call', { name: 't', _meta });
  assert.equal(code, -32022);
  assert.equal((data as { readonly requested: string }).requested, '2026-06-30');
  assert.equal((await beginTask(client))['resultType'], 'task');
});
