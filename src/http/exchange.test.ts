import assert from 'node:assert/strict';
import { test } from 'node:test';
import { revisions } from '../protocol/revision.ts';
import { fakeEndpoint } from './fake-endpoint.test.ts';
import { begin, settle, visit, type FakeVisit, type Sent } from './fake-http.test.ts';
import { createHttpHandler } from './handler.ts';

const newest = '2026-07-28';
const handshakeOnly = revisions.filter((revision) => revision.era === 'handshake');
const statelessOnly = revisions.filter((revision) => revision.era === 'stateless');

function meta(version: unknown = newest): Record<string, unknown> {
  return { 'io.modelcontextprotocol/protocolVersion': version, 'io.modelcontextprotocol/clientCapabilities': {} };
}

interface Wish {
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  readonly claimed?: unknown;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly id?: number | string;
}

/** A request as a correct client of 2026-07-28 sends it, but for what a test changes. */
function call({ method = 'echo', params = {}, claimed = newest, headers = {}, id = 7 }: Wish = {}): Sent {
  const body = { jsonrpc: '2.0', id, method, params: claimed === null ? params : { ...params, _meta: meta(claimed) } };
  const name = params['name'] ?? params['uri'];
  return {
    headers: {
      'MCP-Protocol-Version': newest,
      'Mcp-Method': method,
      ...(typeof name === 'string' ? { 'Mcp-Name': name } : {}),
      ...headers,
    },
    body: JSON.stringify(body),
  };
}

function problem(answer: FakeVisit): { status: number | undefined; code: unknown; id: unknown; data: unknown } {
  const { error, id } = answer.json as { error: { code: number; data?: unknown }; id: unknown };
  return { status: answer.status, code: error.code, id, data: error.data };
}

function query(argumentsOfCall: Record<string, unknown>, headers: Record<string, string> = {}): Sent {
  return call({ method: 'tools/call', params: { name: 'query', arguments: argumentsOfCall }, headers });
}

const served = fakeEndpoint({
  headerParameters: [
    { name: 'Region', path: ['region'] },
    { name: 'Count', path: ['page', 'count'] },
    { name: 'Deep', path: ['__proto__', 'x'] },
    { name: 'Dry', path: ['dry'] },
  ],
});
const handler = createHttpHandler(served);

test('a request is answered with one JSON object [http-002] [http-017]', async () => {
  const answer = await visit(handler, call());
  assert.equal(answer.status, 200);
  assert.equal(answer.headers['content-type'], 'application/json');
  assert.deepEqual((answer.json as { id: unknown }).id, 7);
});

test('a notification ahead of the response makes a stream that the response ends [http-017] [http-054] [http-056]', async () => {
  const answer = await visit(handler, call({ method: 'notify' }));
  assert.equal(answer.headers['content-type'], 'text/event-stream');
  assert.deepEqual(answer.events, [
    { jsonrpc: '2.0', method: 'notifications/message', params: { data: 'working' } },
    { jsonrpc: '2.0', id: 7, result: { notified: true } },
  ]);
  assert.doesNotMatch(answer.written, /^(id|retry):/m);
});

test('a client that takes JSON alone gets JSON, and the loss of notifications is told', async () => {
  const errors: Error[] = [];
  const answer = await visit(
    createHttpHandler(served, { onError: (error) => errors.push(error) }),
    call({ method: 'notify', headers: { accept: 'application/json' } }),
  );
  assert.deepEqual(answer.json, { jsonrpc: '2.0', id: 7, result: { notified: true } });
  assert.equal(errors.length, 1);
});

test('a client that takes event streams alone gets one', async () => {
  const answer = await visit(handler, call({ headers: { accept: 'text/event-stream' } }));
  assert.equal(answer.events.length, 1);
});

test('a request of the server never travels in an exchange [http-055]', async () => {
  const answer = begin(handler, call({ method: 'ask' }));
  await settle();
  assert.equal(answer.written, '');
  answer.leave();
});

test('a client that leaves cancels its request, and nothing more is sent [cancel-014] [http-060] [http-061] [http-062]', async () => {
  const fake = fakeEndpoint();
  const answer = begin(createHttpHandler(fake), call({ method: 'slow' }));
  await settle();
  answer.leave();
  await settle();
  assert.equal(fake.conversations[0]?.closed, true);
  assert.equal(answer.status, undefined);
  assert.equal(answer.written, '');
});

test('a client that left while it was being authenticated starts nothing, and takes no place', async () => {
  const fake = fakeEndpoint();
  let admit: (auth: { principal: string }) => void = () => undefined;
  const authenticate = (): Promise<{ principal: string }> => new Promise((resolve) => (admit = resolve));
  const busy = createHttpHandler(fake, { authenticate, maxRequests: 1 });
  const left = begin(busy, call({ method: 'subscriptions/listen' }));
  left.leave();
  admit({ principal: 'p' });
  await settle();
  assert.deepEqual(fake.received, []);
  const next = begin(busy, call());
  admit({ principal: 'p' });
  assert.equal((await next.done()).status, 200);
});

test('a conversation is closed once its exchange is over', async () => {
  const fake = fakeEndpoint();
  await visit(createHttpHandler(fake), call());
  assert.equal(fake.conversations[0]?.closed, true);
});

test('a notification is accepted with 202 and no body [http-015]', async () => {
  const body = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/x', params: { _meta: meta() } });
  const answer = await visit(handler, { headers: { 'MCP-Protocol-Version': newest }, body });
  assert.deepEqual([answer.status, answer.body], [202, undefined]);
});

test('a notification whose header contradicts it is refused [http-016]', async () => {
  const body = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/x', params: { _meta: meta() } });
  const answer = await visit(handler, { headers: { 'MCP-Protocol-Version': newest, 'Mcp-Method': 'other' }, body });
  assert.deepEqual(problem(answer), { status: 400, code: -32020, id: undefined, data: undefined });
});

const refused: readonly (readonly [title: string, sent: Sent, status: number, code: number])[] = [
  [
    'a version header that is missing [http-070] [http-074]',
    call({ headers: { 'MCP-Protocol-Version': undefined } }),
    400,
    -32020,
  ],
  ['a version header unlike the body [http-066]', call({ claimed: 'v999.0.0' }), 400, -32020],
  [
    'a handshake version header with a stateless body [http-066]',
    call({ headers: { 'MCP-Protocol-Version': '2025-11-25' } }),
    400,
    -32020,
  ],
  ['a handshake version in the body under a stateless header', call({ claimed: '2025-11-25' }), 400, -32020],
  [
    'an Mcp-Method header that is missing [http-074] [http-076]',
    call({ headers: { 'Mcp-Method': undefined } }),
    400,
    -32020,
  ],
  ['an Mcp-Method header unlike the body [http-075]', call({ headers: { 'Mcp-Method': 'tools/list' } }), 400, -32020],
  ['an Mcp-Method header in another case [http-078]', call({ headers: { 'Mcp-Method': 'Echo' } }), 400, -32020],
  [
    'an Mcp-Name header that is missing [http-074]',
    call({ method: 'tools/call', params: { name: 'a' }, headers: { 'Mcp-Name': undefined } }),
    400,
    -32020,
  ],
  [
    'an Mcp-Name header unlike the tool [http-075]',
    call({ method: 'tools/call', params: { name: 'a' }, headers: { 'Mcp-Name': 'b' } }),
    400,
    -32020,
  ],
  [
    'an Mcp-Name header unlike the uri [http-075]',
    call({ method: 'resources/read', params: { uri: 'a://b' }, headers: { 'Mcp-Name': 'a://c' } }),
    400,
    -32020,
  ],
  [
    'an Mcp-Name header unlike the prompt [http-075]',
    call({ method: 'prompts/get', params: { name: 'a' }, headers: { 'Mcp-Name': 'b' } }),
    400,
    -32020,
  ],
  [
    'an Mcp-Name header unlike the task',
    call({ method: 'tasks/get', params: { taskId: 't' }, headers: { 'Mcp-Name': 'u' } }),
    400,
    -32020,
  ],
  [
    'an Mcp-Name header without a name to mirror',
    call({ method: 'tools/call', headers: { 'Mcp-Name': 'a' } }),
    400,
    -32020,
  ],
  [
    'an Mcp-Name header that came twice',
    call({ method: 'tools/call', params: { name: 'a' }, headers: { 'Mcp-Name': 'a, a' } }),
    400,
    -32020,
  ],
  [
    'a sentinel in capitals is no encoding [http-095]',
    call({ method: 'tools/call', params: { name: 'a' }, headers: { 'Mcp-Name': '=?BASE64?YQ==?=' } }),
    400,
    -32020,
  ],
  [
    'a sentinel with a broken alphabet [http-079]',
    call({ method: 'tools/call', params: { name: 'a' }, headers: { 'Mcp-Name': '=?base64?Y*==?=' } }),
    400,
    -32020,
  ],
  ['an argument without its header [http-098]', query({ region: 'eu' }), 400, -32020],
  ['an empty argument without its header [http-098]', query({ region: '' }), 400, -32020],
  [
    'a header unlike its argument [http-099] [http-100] [http-107]',
    query({ region: 'eu' }, { 'Mcp-Param-Region': 'us' }),
    400,
    -32020,
  ],
  [
    'a header in another case than its argument [http-078]',
    query({ region: 'eu' }, { 'Mcp-Param-Region': 'EU' }),
    400,
    -32020,
  ],
  ['a header for an absent argument', query({}, { 'Mcp-Param-Region': 'eu' }), 400, -32020],
  ['a header for a null argument', query({ region: null }, { 'Mcp-Param-Region': 'null' }), 400, -32020],
  [
    'a header with bytes that no header may have [http-101]',
    query({ region: 'é' }, { 'Mcp-Param-Region': 'é' }),
    400,
    -32020,
  ],
  [
    'a header with broken padding [http-101]',
    query({ region: 'Hello' }, { 'Mcp-Param-Region': '=?base64?SGVsbG8?=' }),
    400,
    -32020,
  ],
  [
    'an integer past the safe range [http-087]',
    query({ page: { count: 9_007_199_254_740_992 } }, { 'Mcp-Param-Count': '9007199254740993' }),
    400,
    -32020,
  ],
  ['a header that is another number', query({ page: { count: 42 } }, { 'Mcp-Param-Count': '0x2a' }), 400, -32020],
  [
    'a version nobody knows',
    call({ claimed: 'v999.0.0', headers: { 'MCP-Protocol-Version': 'v999.0.0' } }),
    400,
    -32022,
  ],
  [
    'a version nobody knows in the header alone',
    call({ claimed: null, headers: { 'MCP-Protocol-Version': 'v999.0.0' } }),
    400,
    -32022,
  ],
  ['a stateless header without _meta', call({ claimed: null }), 400, -32602],
  ['server/discover without _meta', call({ method: 'server/discover', claimed: null }), 400, -32602],
  ['a method that is not implemented [http-068]', call({ method: 'unknown/method' }), 404, -32601],
];
for (const [title, sent, status, code] of refused) {
  test(`refused with its id: ${title} [http-115]`, async () => {
    const answer = problem(await visit(handler, sent));
    assert.deepEqual([answer.status, answer.code, answer.id], [status, code, 7]);
  });
}

const taken: readonly (readonly [title: string, sent: Sent])[] = [
  [
    'an encoded name that matches once decoded [http-079]',
    call({ method: 'tools/call', params: { name: 'a' }, headers: { 'Mcp-Name': '=?base64?YQ==?=' } }),
  ],
  [
    'a task that its header names',
    call({ method: 'tasks/get', params: { taskId: 't' }, headers: { 'Mcp-Name': 't' } }),
  ],
  ['an argument that its header mirrors', query({ region: 'eu' }, { 'mcp-param-region': 'eu' })],
  ['an encoded argument [http-079]', query({ region: 'Hello' }, { 'Mcp-Param-Region': '=?base64?SGVsbG8=?=' })],
  [
    'half a sentinel is plain text',
    query({ region: '=?base64?SGVsbG8=' }, { 'Mcp-Param-Region': '=?base64?SGVsbG8=' }),
  ],
  ['an empty argument with an empty header', query({ region: '' }, { 'Mcp-Param-Region': '' })],
  ['a null argument without a header [http-097]', query({ region: null })],
  ['an absent argument without a header [http-097]', query({})],
  ['an integer of the same value [http-102]', query({ page: { count: 42 } }, { 'Mcp-Param-Count': '42.0' })],
  ['a boolean', query({ dry: true }, { 'Mcp-Param-Dry': 'true' })],
  ['a header nobody asked for', query({}, { 'Mcp-Param-Other': 'x' })],
  ['a session id, which is ignored [http-112]', call({ headers: { 'Mcp-Session-Id': 'nonsense' } })],
  ['Last-Event-ID, which is ignored [http-113]', call({ headers: { 'Last-Event-ID': '5' } })],
  ['header names in any case [http-077]', call({ headers: { 'mcp-METHOD': 'echo' } })],
];
for (const [title, sent] of taken) {
  test(`accepted: ${title}`, async () => {
    const answer = await visit(handler, sent);
    assert.equal(answer.status, 200, answer.body);
    assert.equal(answer.headers['mcp-session-id'], undefined);
  });
}

test('an unknown version is answered with those that are spoken [http-067]', async () => {
  const answer = await visit(handler, call({ claimed: 'v999.0.0', headers: { 'MCP-Protocol-Version': 'v999.0.0' } }));
  assert.deepEqual(problem(answer).data, {
    supported: revisions.map(({ date }) => date).toReversed(),
    requested: 'v999.0.0',
  });
});

test('a version that this server does not speak is unsupported too [http-067]', async () => {
  const answer = await visit(createHttpHandler(fakeEndpoint({ revisions: handshakeOnly })), call());
  assert.deepEqual([problem(answer).status, problem(answer).code], [400, -32022]);
});

for (const method of ['GET', 'DELETE']) {
  test(`${method} under a stateless version is not allowed [http-111]`, async () => {
    const answer = await visit(handler, { method, headers: { 'MCP-Protocol-Version': newest } });
    assert.deepEqual([answer.status, answer.headers['allow']], [405, 'POST, OPTIONS']);
  });
  test(`${method} is not allowed where only stateless revisions are spoken [http-111]`, async () => {
    const answer = await visit(createHttpHandler(fakeEndpoint({ revisions: statelessOnly })), { method });
    assert.equal(answer.status, 405);
  });
}

test('initialize is told what is spoken where only stateless revisions are', async () => {
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: 7,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25' },
  });
  const answer = await visit(createHttpHandler(fakeEndpoint({ revisions: statelessOnly })), { body });
  assert.deepEqual(problem(answer), {
    status: 400,
    code: -32022,
    id: 7,
    data: { supported: [newest], requested: '2025-11-25' },
  });
});

test('a request without a version header is refused where only stateless revisions are spoken [http-070]', async () => {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'tools/list' });
  const answer = await visit(createHttpHandler(fakeEndpoint({ revisions: statelessOnly })), { body });
  assert.deepEqual([problem(answer).status, problem(answer).code], [400, -32020]);
});

for (const [title, body] of [
  ['a response', { jsonrpc: '2.0', id: 1, result: {} }],
  ['a batch', [{ jsonrpc: '2.0', id: 1, method: 'ping' }]],
] as const) {
  test(`${title} is no message of an exchange`, async () => {
    const answer = await visit(handler, { headers: { 'MCP-Protocol-Version': newest }, body: JSON.stringify(body) });
    assert.deepEqual([problem(answer).status, problem(answer).code], [400, -32600]);
    assert.equal(Object.hasOwn(answer.json as object, 'id'), false);
  });
}

test('a subscription needs a client that takes event streams', async () => {
  const answer = await visit(
    handler,
    call({ method: 'subscriptions/listen', headers: { accept: 'application/json' } }),
  );
  assert.deepEqual([answer.status, problem(answer).id], [406, 7]);
});

test('a subscription lasts until its client leaves', async () => {
  const fake = fakeEndpoint();
  const answer = begin(createHttpHandler(fake), call({ method: 'subscriptions/listen' }));
  await answer.until((so) => so.events.length === 1);
  answer.leave();
  await settle();
  assert.equal(fake.conversations[0]?.closed, true);
});

test('a stream beyond the limit is refused and frees its place when it ends', async () => {
  const limited = createHttpHandler(fakeEndpoint(), { maxStreams: 1 });
  const first = begin(limited, call({ method: 'subscriptions/listen' }));
  await first.until((so) => so.events.length === 1);
  const second = await visit(limited, call({ method: 'subscriptions/listen' }));
  assert.deepEqual([second.status, second.headers['retry-after']], [503, '1']);
  first.leave();
  await settle();
  const third = begin(limited, call({ method: 'subscriptions/listen' }));
  await third.until((so) => so.events.length === 1);
  third.leave();
});

test('a reader that is too slow is cut off', async () => {
  const fake = fakeEndpoint();
  const errors: Error[] = [];
  const answer = begin(
    createHttpHandler(fake, { maxStreamBuffer: 1000, onError: (error) => errors.push(error) }),
    call({ method: 'subscriptions/listen' }),
  );
  await answer.until((so) => so.events.length === 1);
  answer.stalled = true;
  for (let sent = 0; sent < 100; sent++)
    fake.conversations[0]?.link.send({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' }, 7);
  assert.equal(answer.destroyed, true);
  assert.ok(answer.written.length < 1200);
  await settle();
  assert.equal(fake.conversations[0]?.closed, true);
  assert.equal(errors.length, 1);
});

test('requests beyond the limit are told to come back', async () => {
  const fake = fakeEndpoint();
  const limited = createHttpHandler(fake, { maxRequests: 1 });
  const first = begin(limited, call({ method: 'slow' }));
  await settle();
  const second = await visit(limited, call());
  assert.deepEqual([second.status, second.headers['retry-after']], [503, '1']);
  fake.conversations[0]?.release(7);
  assert.equal((await first.done()).status, 200);
  await settle();
  assert.equal((await visit(limited, call())).status, 200);
});

test('closing waits for what is being answered, ends subscriptions and refuses the rest', async () => {
  const fake = fakeEndpoint();
  const closing = createHttpHandler(fake);
  const listening = begin(closing, call({ method: 'subscriptions/listen' }));
  const slow = begin(closing, call({ method: 'slow' }));
  await settle();
  const closed = closing.close();
  await listening.done();
  assert.equal((await visit(closing, call())).status, 503);
  fake.conversations[1]?.release(7);
  await closed;
  assert.deepEqual((await slow.done()).json, { jsonrpc: '2.0', id: 7, result: { released: true } });
});

test('a bug of the server is an internal error without its stack, told to the owner', async () => {
  const errors: Error[] = [];
  const answer = await visit(
    createHttpHandler(served, { onError: (error) => errors.push(error) }),
    call({ method: 'explode' }),
  );
  assert.deepEqual(
    [answer.status, answer.json],
    [500, { jsonrpc: '2.0', error: { code: -32603, message: 'internal error' } }],
  );
  assert.equal(errors.length, 1);
});

test('clients with the same id do not see each other', async () => {
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, at) =>
      visit(handler, call({ method: at % 2 === 0 ? 'notify' : 'echo', params: { at }, id: 1 })),
    ),
  );
  for (const [at, answer] of answers.entries()) {
    if (at % 2 === 0) assert.equal(answer.events.length, 2);
    else assert.equal((answer.json as { result: { params: { at: number } } }).result.params.at, at);
  }
});
