/** Handshake clients that are answered request by request, by processes that share nothing. */

import type { Fetch } from '../packages/parley/src/jsonrpc/fetch.ts';
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { createBridge } from '../packages/parley/src/bridge.ts';
import { connect } from '../packages/parley/src/client.ts';
import { createHandler } from '../packages/parley/src/http.ts';
import { listen } from '../packages/parley/src/node.ts';
import { createServer, type Server } from '../packages/parley/src/server.ts';
import { memoryTasks } from '../packages/parley/src/storage/memory-tasks.ts';
import { memoryTransport } from '../packages/parley/src/testing/memory-transport.ts';

const url = 'http://localhost/mcp';
const revisions = ['2025-03-26', '2025-06-18', '2025-11-25'] as const;
type Json = Readonly<Record<string, unknown>>;

function define(): Server {
  const server = createServer({ name: 's', version: '1' });
  server.tool('steps', {}, (_, ctx) => {
    ctx.progress(1, 2);
    ctx.log('error', 'nobody set a level');
    ctx.progress(2, 2);
    return 'done';
  });
  server.tool('ask', {}, async (_, ctx) => JSON.stringify(await ctx.roots()));
  server.resource('note://1', { name: 'note' }, () => 'text');
  return server;
}

/** Two processes that share nothing, each of which gets every other request. */
function inTurn(t: TestContext): { readonly fetch: Fetch; readonly asked: Request[] } {
  const handlers = [define(), define()].map((server) => createHandler(server, { sessions: false }));
  t.after(() => Promise.all(handlers.map((handler) => handler.close())));
  const asked: Request[] = [];
  const send = async (href: string, init: RequestInit): Promise<Response> => {
    const request = new Request(href, init);
    asked.push(request);
    const handler = handlers[asked.length % 2];
    assert.ok(handler);
    return await handler(request);
  };
  return { fetch: send as Fetch, asked };
}

function post(fetch: Fetch, body: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
  const request = {
    method: 'POST',
    headers: { accept: 'application/json, text/event-stream', 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  };
  // What is given back is what the handler made.
  return fetch(url, request as never) as unknown as Promise<Response>;
}

const opening = (protocolVersion: string): Json => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion, capabilities: { roots: {} }, clientInfo: { name: 'c', version: '1' } },
});

for (const revision of revisions)
  test(`our client of ${revision} lists, calls and hears progress, of whichever process`, async (t) => {
    const { fetch, asked } = inTurn(t);
    const client = await connect(url, { fetch, revisions: [revision] });
    assert.equal((await client.listTools()).length, 2);
    const heard: number[] = [];
    for (let calls = 0; calls < 3; calls++) {
      const { content } = await client.callTool('steps', {}, { onProgress: ({ progress }) => heard.push(progress) });
      assert.deepEqual(content, [{ type: 'text', text: 'done' }]);
    }
    assert.deepEqual(heard, [1, 2, 1, 2, 1, 2]);
    await client.request('ping', {});
    await client.close();
    assert.ok(asked.every((request) => request.headers.get('mcp-session-id') === null));
  });

for (const revision of revisions)
  test(`initialize of ${revision} declares what works without a session, and gives no id`, async (t) => {
    const { fetch } = inTurn(t);
    const opened = await post(fetch, opening(revision));
    assert.equal(opened.headers.get('mcp-session-id'), null);
    const { result } = (await opened.json()) as { readonly result: Json };
    assert.equal(result['protocolVersion'], revision);
    assert.deepEqual(result['capabilities'], { tools: {}, resources: {} });
  });

for (const [what, method, params] of [
  ['a level', 'logging/setLevel', { level: 'info' }],
  ['a watched resource', 'resources/subscribe', { uri: 'note://1' }],
] as const)
  test(`${what} would be forgotten, and is refused by name`, async (t) => {
    const { fetch } = inTurn(t);
    const answer = await post(
      fetch,
      { jsonrpc: '2.0', id: 1, method, params },
      { 'mcp-protocol-version': '2025-06-18' },
    );
    const { error } = (await answer.json()) as { readonly error: { readonly code: number; readonly message: string } };
    assert.equal(error.code, -32601);
    assert.ok(error.message.includes(method), error.message);
  });

test('a handler that asks its client hears that it cannot, and which capability that needs', async (t) => {
  const { fetch } = inTurn(t);
  const call = { jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 'ask', arguments: {} } };
  const answer = await post(fetch, call, { 'mcp-protocol-version': '2025-11-25' });
  const { error } = (await answer.json()) as { readonly error: { readonly message: string } };
  assert.match(
    error.message,
    /roots\/list cannot be asked: no sessions are stored here, so nothing is known at 2025-11-25/,
  );
  assert.deepEqual(error, { code: -32600, message: error.message, data: { requiredCapabilities: { roots: {} } } });
});

test('what is said to cancel a call finds no handler', async (t) => {
  const server = createServer({ name: 's', version: '1' });
  let end = (): void => undefined;
  server.tool('wait', {}, async (_, { signal }) => {
    await new Promise<void>((resolve) => (end = resolve));
    return String(signal.aborted);
  });
  const handler = createHandler(server, { sessions: false });
  t.after(() => handler.close());
  const send = ((href: string, init: RequestInit) => handler(new Request(href, init))) as unknown as Fetch;
  const version = { 'mcp-protocol-version': '2025-11-25' };
  const call = { jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 'wait', arguments: {} } };
  const answered = post(send, call, version);
  await new Promise((resolve) => void setImmediate(resolve));
  const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } };
  assert.equal((await post(send, cancelled, version)).status, 202);
  end();
  const { result } = (await (await answered).json()) as { readonly result: Json };
  assert.deepEqual(result['content'], [{ type: 'text', text: 'false' }]);
});

for (const [kept, store] of [
  ['are declared where a store keeps them', memoryTasks()],
  ['are not declared where no store keeps them', undefined],
] as const)
  test(`tasks ${kept}`, async (t) => {
    const server = createServer({ name: 's', version: '1' }, store && { tasks: { store } });
    server.tool('work', { task: 'optional' }, () => 'done');
    const handler = createHandler(server, { sessions: false });
    t.after(() => handler.close());
    const send = ((href: string, init: RequestInit) => handler(new Request(href, init))) as unknown as Fetch;
    const { result } = (await (await post(send, opening('2025-11-25'))).json()) as { readonly result: Json };
    assert.equal(Object.hasOwn(Object(result['capabilities']), 'tasks'), store !== undefined);
  });

test('a client that names no revision has that of before the header', async (t) => {
  const { fetch } = inTurn(t);
  const batch = [
    { jsonrpc: '2.0', id: 1, method: 'ping' },
    { jsonrpc: '2.0', method: 'notifications/initialized' },
    { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'steps', arguments: {} } },
  ];
  const answers = (await (await post(fetch, batch)).json()) as readonly { readonly id: number }[];
  assert.deepEqual(
    answers.map(({ id }) => id),
    [1, 2],
  );
  // The official servers take a batch in these versions too.
  for (const version of ['2025-06-18', '2025-11-25'])
    assert.deepEqual(await (await post(fetch, batch, { 'mcp-protocol-version': version })).json(), answers);
});

test('what a client says beside its requests is taken, and what belongs to a session is not there', async (t) => {
  const { fetch } = inTurn(t);
  const version = { 'mcp-protocol-version': '2025-06-18' };
  const said = { jsonrpc: '2.0', method: 'notifications/initialized' };
  assert.equal((await post(fetch, said, version)).status, 202);
  assert.equal((await post(fetch, said, { ...version, 'mcp-session-id': 'made-up' })).status, 404);
  assert.equal((await post(fetch, said, { 'mcp-protocol-version': '2024-10-07' })).status, 400);
  for (const method of ['GET', 'DELETE']) {
    const headers = { accept: 'text/event-stream', ...version };
    assert.equal((await fetch(url, { method, headers } as never)).status, 405, method);
  }
  assert.equal((await post(fetch, 'no message', version)).status, 400);
});

/** What is used of the client classes of the official SDKs, whose own types differ from one to the next. */
interface Official {
  connect(transport: unknown): Promise<void>;
  listTools(): Promise<{ readonly tools: readonly unknown[] }>;
  callTool(params: object, schema?: unknown, options?: object): Promise<unknown>;
  readResource(params: object): Promise<{ readonly contents: readonly { readonly text?: string }[] }>;
  setLoggingLevel(level: string): Promise<unknown>;
  subscribeResource(params: object): Promise<unknown>;
  close(): Promise<void>;
}

/** What a client is told that wants something for which there must be a session. */
async function refusalsOf(client: Official): Promise<readonly string[]> {
  const wishes = [
    () => client.setLoggingLevel('info'),
    () => client.subscribeResource({ uri: 'note://1' }),
    () =>
      client
        .callTool({ name: 'ask', arguments: {} })
        .then((result) => Promise.reject(new Error(JSON.stringify(result)))),
  ];
  return await Promise.all(
    wishes.map((wish) =>
      wish().then(
        () => 'done',
        (error: unknown) => String(error),
      ),
    ),
  );
}

for (const [what, load] of [
  ['SDK 1.12.0', () => loaded('sdk-1.12.0/client/index.js', 'sdk-1.12.0/client/streamableHttp.js')],
  ['SDK 1.20.0', () => loaded('sdk-1.20.0/client/index.js', 'sdk-1.20.0/client/streamableHttp.js')],
  ['SDK 1.32.2', () => loaded('sdk-1.32.2/client/index.js', 'sdk-1.32.2/client/streamableHttp.js')],
  ['client 2.4', () => loaded('@modelcontextprotocol/client', '@modelcontextprotocol/client')],
] as const)
  test(`${what} is served over HTTP without a session, and told by name what needs one`, async (t) => {
    const listening = await listen(define(), { port: 0, sessions: false });
    t.after(() => listening.close());
    const { Client, Transport } = await load();
    const client = new Client(
      { name: 'c', version: '1' },
      { capabilities: { roots: {} }, versionNegotiation: { mode: 'legacy' } },
    );
    await client.connect(new Transport(new URL(listening.url)));
    assert.equal((await client.listTools()).tools.length, 2);
    const heard: unknown[] = [];
    const onprogress = ({ progress }: { readonly progress: number }): void => void heard.push(progress);
    const options: readonly [unknown, object] = [undefined, { onprogress }];
    // The second client has no place for a schema.
    const more = what === 'client 2.4' ? options.slice(1) : options;
    const result = (await client.callTool({ name: 'steps', arguments: {} }, ...(more as never[]))) as Json;
    assert.deepEqual(result['content'], [{ type: 'text', text: 'done' }]);
    assert.deepEqual(heard, [1, 2]);
    const { contents } = await client.readResource({ uri: 'note://1' });
    assert.equal(contents[0]?.text, 'text');
    const [level, watched, asked] = await refusalsOf(client);
    assert.match(level ?? '', /logging/);
    assert.match(watched ?? '', /resources\/subscribe|resource subscriptions/);
    assert.match(asked ?? '', /roots/);
    await client.close();
  });

async function loaded(
  file: string,
  transport: string,
): Promise<{
  readonly Client: new (info: object, options: object) => Official;
  readonly Transport: new (url: URL) => object;
}> {
  const [index, http] = (await Promise.all([import(file), import(transport)])) as readonly Record<string, unknown>[];
  return { Client: index?.['Client'] as never, Transport: http?.['StreamableHTTPClientTransport'] as never };
}

test('clients of 2026-07-28 are served beside it as ever', async (t) => {
  const { fetch } = inTurn(t);
  const client = await connect(url, { fetch, revisions: ['2026-07-28'] });
  assert.equal(client.revision, '2026-07-28');
  assert.equal((await client.listTools()).length, 2);
  await client.close();
});

test('what cannot be without sessions is refused at once', async (t) => {
  const server = define();
  const ssePair = { sse: '/sse', messages: '/messages' };
  assert.throws(() => createHandler(server, { sessions: false, ssePair }), /no place for ssePair/);
  assert.throws(() => createHandler(server, { sessions: 'some' as never }), /sessions is true or false, not "some"/);
  const bridge = await createBridge({ upstream: memoryTransport(server) });
  t.after(() => bridge.close());
  assert.throws(() => createHandler(bridge, { sessions: false }), /sessions: false is for servers; a bridge/);
});
