import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fakeEndpoint, type Fake, type FakeConversation } from '../../../../../../test/support/fake-endpoint.ts';
import { begin, settle, visit, type FakeVisit } from '../../../../../../test/support/fake-http.ts';
import { createHttpHandler, type HttpHandler } from './handler.ts';
import type { HttpOptions } from './exchanges/options.ts';

const ssePair = { sse: '/sse', messages: '/messages' };

interface Client {
  readonly fake: Fake;
  readonly handler: HttpHandler;
  readonly conversation: FakeConversation;
  readonly stream: FakeVisit;
  readonly endpoint: string;
  post(body: unknown, headers?: Record<string, string>): Promise<FakeVisit>;
}

async function open(options: HttpOptions = {}, headers: Record<string, string> = {}): Promise<Client> {
  const fake = fakeEndpoint();
  const handler = createHttpHandler(fake, { path: '/mcp', ssePair, ...options });
  const stream = begin(handler, { path: '/sse', headers });
  await settle();
  const endpoint = stream.frames[0]?.data ?? '';
  const [conversation] = fake.conversations;
  assert.ok(conversation);
  return {
    fake,
    handler,
    conversation,
    stream,
    endpoint,
    post: (body, own = {}) =>
      visit(handler, { path: endpoint, headers: { ...headers, ...own }, body: JSON.stringify(body) }),
  };
}

function initializing(protocolVersion: string): Record<string, unknown> {
  const params = { protocolVersion, capabilities: {}, clientInfo: { name: 'c', version: '1' } };
  return { jsonrpc: '2.0', id: 1, method: 'initialize', params };
}

/** What was sent on the stream after the first event. */
function messages({ stream }: Client): unknown[] {
  return stream.frames.slice(1).map(({ data = '' }): unknown => JSON.parse(data));
}

test('the stream begins with an endpoint event that says where to POST [sse-001] [sse-002] [sse-011]', async () => {
  const { stream } = await open();
  assert.equal(stream.headers['content-type'], 'text/event-stream');
  const [first, ...rest] = stream.frames;
  assert.equal(first?.event, 'endpoint');
  assert.match(first.data ?? '', /^\/messages\?sessionId=[0-9a-f]{48}$/);
  assert.deepEqual(rest, []);
});

test('a POST is accepted with 202 and answered on the stream by a message event [sse-007]', async () => {
  const client = await open();
  const answer = await client.post({ jsonrpc: '2.0', id: 7, method: 'echo' });
  assert.deepEqual([answer.status, answer.body], [202, undefined]);
  await settle();
  assert.deepEqual(messages(client), [{ jsonrpc: '2.0', id: 7, result: { method: 'echo' } }]);
  assert.equal(client.stream.frames[1]?.event, 'message');
});

for (const version of ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25']) {
  test(`any handshake revision may be spoken on it: ${version}`, async () => {
    const client = await open();
    await client.post(initializing(version));
    assert.equal(client.conversation.revision?.date, version);
    assert.equal((await client.post({ jsonrpc: '2.0', method: 'notifications/initialized' })).status, 202);
    const other = version === '2025-06-18' ? '2025-11-25' : '2025-06-18';
    const ping = { jsonrpc: '2.0', id: 2, method: 'ping' };
    assert.equal((await client.post(ping, { 'MCP-Protocol-Version': version })).status, 202);
    // 2024-11-05 has no such header: it is not compared.
    for (const header of [other, 'DRAFT', '', '2026-07-28'])
      assert.equal((await client.post(ping, { 'MCP-Protocol-Version': header })).status, 202);
    assert.equal(client.fake.received.length, 7);
  });
}

test('a header before initialize is not compared either', async () => {
  const client = await open();
  assert.equal((await client.post(initializing('2024-11-05'), { 'MCP-Protocol-Version': '2024-11-05' })).status, 202);
  assert.equal(client.conversation.revision?.date, '2024-11-05');
});

test('a stateless revision is not carried: 202 and an error on the stream', async () => {
  const client = await open();
  const _meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' };
  const answer = await client.post({ jsonrpc: '2.0', id: 2, method: 'tools/list', params: { _meta } });
  assert.equal(
    (await client.post({ jsonrpc: '2.0', id: 3, method: 'server/discover', params: { _meta } })).status,
    202,
  );
  assert.equal((await client.post({ jsonrpc: '2.0', method: 'notifications/x', params: { _meta } })).status, 202);
  assert.deepEqual([answer.status, answer.body], [202, undefined]);
  const errors = messages(client) as { id: number; error: { code: number; data?: { supported: string[] } } }[];
  assert.deepEqual(
    errors.map(({ id, error }) => [id, error.code]),
    [
      [2, -32022],
      [3, -32601],
    ],
  );
  assert.equal(errors[0]?.error.data?.supported.includes('2026-07-28'), false);
  assert.equal(client.fake.received.length, 0);
});

test('what is refused after a POST was read is 202 and an error on the stream', async () => {
  const client = await open();
  await client.post(initializing('2025-03-26'));
  const refused = async (body: string): Promise<unknown> => {
    const answer = await visit(client.handler, { path: client.endpoint, body });
    assert.deepEqual([answer.status, answer.body], [202, undefined]);
    const { id, error } = messages(client).at(-1) as { id: unknown; error: { code: number } };
    return [id, error.code];
  };
  assert.deepEqual(await refused('{"jsonrpc":'), [null, -32700]);
  assert.deepEqual(await refused('{"id":7,"method":"echo"}'), [7, -32600]);
  assert.deepEqual(await refused('[]'), [null, -32600]);
  // Each element of a batch is looked at like a message of its own.
  const _meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' };
  assert.deepEqual(
    await refused(JSON.stringify([{ jsonrpc: '2.0', id: 8, method: 'tools/list', params: { _meta } }])),
    [8, -32022],
  );
  assert.equal(client.fake.received.length, 1);
});

test('requests of the server travel on the stream, and their answers by POST', async () => {
  const client = await open();
  void client.post({ jsonrpc: '2.0', id: 2, method: 'ask' });
  await settle();
  assert.deepEqual(messages(client), [{ jsonrpc: '2.0', id: 'q', method: 'roots/list' }]);
  const answer = { jsonrpc: '2.0', id: 'q', result: { roots: [] } };
  assert.equal((await client.post(answer)).status, 202);
  await settle();
  assert.deepEqual(messages(client)[1], { jsonrpc: '2.0', id: 2, result: { answer } });
});

test('a batch of 2025-03-26 is answered message by message, since older clients read one at a time', async () => {
  const client = await open();
  await client.post(initializing('2025-03-26'));
  const batch = [
    { jsonrpc: '2.0', id: 2, method: 'a' },
    { jsonrpc: '2.0', method: 'notifications/x' },
    { jsonrpc: '2.0', id: 3, method: 'b' },
  ];
  assert.equal((await client.post(batch)).status, 202);
  await settle();
  assert.deepEqual(
    messages(client).map((message) => (message as { id: number }).id),
    [1, 2, 3],
  );
});

test('a batch of any other revision is a bad request', async () => {
  const client = await open();
  await client.post(initializing('2024-11-05'));
  assert.equal((await client.post([{ jsonrpc: '2.0', id: 2, method: 'a' }])).status, 202);
  assert.match(JSON.stringify(messages(client).at(-1)), /this revision has no batches/);
});

test('the end of the stream ends the conversation and everything that runs', async () => {
  const client = await open();
  void client.post({ jsonrpc: '2.0', id: 2, method: 'slow' });
  await settle();
  client.stream.leave();
  assert.equal(client.conversation.closed, true);
  assert.equal((await client.post({ jsonrpc: '2.0', id: 3, method: 'echo' })).status, 404);
});

for (const [title, path] of [
  ['without a session', '/messages'],
  ['of an unknown session', '/messages?sessionId=abc'],
  ['with a prototype name', '/messages?sessionId=__proto__'],
] as const) {
  test(`a POST ${title} is answered with 404`, async () => {
    const { handler, fake } = await open();
    const answer = await visit(handler, { path, body: '{"jsonrpc":"2.0","id":1,"method":"echo"}' });
    assert.equal(answer.status, 404);
    assert.equal(fake.received.length, 0);
  });
}

test('a session is bound to who opened it, and looks unknown to everybody else [security-018]', async () => {
  const fake = fakeEndpoint();
  const handler = createHttpHandler(fake, {
    ssePair,
    authenticate: (request) => ({ principal: request.header('authorization') ?? '' }),
  });
  const stream = begin(handler, { path: '/sse', headers: { authorization: 'one' } });
  await settle();
  const path = stream.frames[0]?.data ?? '';
  const post = (authorization: string): Promise<FakeVisit> =>
    visit(handler, { path, headers: { authorization }, body: '{"jsonrpc":"2.0","id":1,"method":"echo"}' });
  assert.deepEqual([(await post('other')).status, fake.received.length], [404, 0]);
  assert.equal((await post('one')).status, 202);
});

test('two conversations with the same ids do not see each other', async () => {
  const fake = fakeEndpoint();
  const handler = createHttpHandler(fake, { ssePair });
  const streams = [begin(handler, { path: '/sse' }), begin(handler, { path: '/sse' })];
  await settle();
  const [one, other] = streams.map((stream) => stream.frames[0]?.data ?? '');
  assert.notEqual(one, other);
  await visit(handler, { path: one ?? '', body: '{"jsonrpc":"2.0","id":1,"method":"one"}' });
  await visit(handler, { path: other ?? '', body: '{"jsonrpc":"2.0","id":1,"method":"other"}' });
  await settle();
  const heard = streams.map(
    (stream) => (JSON.parse(stream.frames[1]?.data ?? '') as { result: { method: string } }).result.method,
  );
  assert.deepEqual(heard, ['one', 'other']);
});

test('conversations are bounded in number, and one that ends makes room', async () => {
  const client = await open({ maxSessions: 1 });
  const refused = await visit(client.handler, { path: '/sse' });
  assert.deepEqual([refused.status, refused.headers['retry-after']], [503, '10']);
  client.stream.leave();
  const next = begin(client.handler, { path: '/sse' });
  await settle();
  assert.equal(next.status, 200);
});

test('a silent stream is kept open by comments', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { stream } = await open({ keepAliveIntervalMs: 1000 });
  t.mock.timers.tick(1000);
  t.mock.timers.tick(1000);
  assert.match(stream.written, /\n\n:\n\n$/);
  stream.leave();
});

test('a reader that is too slow is cut off, and its conversation ends', async () => {
  const client = await open({ maxStreamBufferBytes: 1000 });
  client.stream.stalled = true;
  for (let at = 0; at < 100; at++) client.conversation.link.send({ jsonrpc: '2.0', method: 'notifications/x' });
  assert.equal(client.stream.destroyed, true);
  assert.ok(client.stream.written.length < 1200);
  assert.equal(client.conversation.closed, true);
});

test('closing waits for what is being answered, and then ends the streams', async () => {
  const client = await open();
  void client.post({ jsonrpc: '2.0', id: 2, method: 'slow' });
  await settle();
  const closed = client.handler.close();
  await settle();
  client.conversation.release(2);
  await closed;
  assert.deepEqual(messages(client), [{ jsonrpc: '2.0', id: 2, result: { released: true } }]);
  assert.deepEqual([client.stream.ended, client.conversation.closed], [true, true]);
});

test('what would begin while the server drains is refused on the stream, and answers are taken', async () => {
  const client = await open();
  void client.post({ jsonrpc: '2.0', id: 2, method: 'ask' });
  await settle();
  const closed = client.handler.close();
  assert.equal((await client.post({ jsonrpc: '2.0', id: 3, method: 'echo' })).status, 202);
  const { id, error } = messages(client).at(-1) as { id: number; error: { data: { retryAfterMs: number } } };
  assert.equal(id, 3);
  // All of them come back, and not all at once.
  assert.ok([1000, 2000, 3000, 4000, 5000].includes(error.data.retryAfterMs), String(error.data.retryAfterMs));
  const answer = { jsonrpc: '2.0', id: 'q', result: { roots: [] } };
  assert.equal((await client.post(answer)).status, 202);
  await closed;
  assert.deepEqual(messages(client).at(-1), { jsonrpc: '2.0', id: 2, result: { answer } });
});

test('a slash at the end of a path makes no difference, and another path names the right one', async () => {
  const { handler } = await open();
  for (const path of ['/mcp', '/mcp/', '/mcp/?a=1']) {
    const { status } = await visit(handler, { path, body: '{"jsonrpc":"2.0","id":1,"method":"ping"}' });
    assert.notEqual(status, 404, path);
  }
  const stream = begin(handler, { path: '/sse/' });
  await settle();
  assert.match(stream.frames[0]?.data ?? '', /^\/messages\?/);
  for (const path of ['/', '/mcp//', '/mcp/x', '/other']) {
    const answer = await visit(handler, { path, body: '{}' });
    assert.equal(answer.status, 404, path);
    assert.match(answer.body ?? '', /the MCP server is at \/mcp/);
  }
});

test('without its paths the older transport is not served [sse-012]', async () => {
  const handler = createHttpHandler(fakeEndpoint(), { path: '/mcp' });
  assert.equal((await visit(handler, { path: '/sse' })).status, 404);
  assert.equal((await visit(handler, { path: '/messages?sessionId=x', body: '{}' })).status, 404);
});

for (const [title, options] of [
  ['the same twice', { ssePair: { sse: '/x', messages: '/x' } }],
  ['that of the endpoint', { path: '/sse', ssePair }],
  ['no path', { ssePair: { sse: 'sse', messages: '/messages' } }],
  ['one with a query', { ssePair: { sse: '/sse', messages: '/messages?a=b' } }],
] as const) {
  test(`its paths cannot be ${title}`, () => {
    assert.throws(() => createHttpHandler(fakeEndpoint(), options), TypeError);
  });
}
