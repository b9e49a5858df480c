import assert from 'node:assert/strict';
import { test } from 'node:test';
import { broadcast, connect, initializing, request } from '../../../../../../../test/support/session-client.ts';
import { fakeEndpoint } from '../../../../../../../test/support/fake-endpoint.ts';
import { begin, settle, visit } from '../../../../../../../test/support/fake-http.ts';
import { createHttpHandler } from '../handler.ts';
import type { HttpOptions } from '../exchanges/options.ts';

for (const version of ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25']) {
  test(`initialize of ${version} opens a session that later requests belong to [http-001]`, async () => {
    const client = await connect(version);
    const answer = await client.post(request('tools/list')).done();
    assert.deepEqual([answer.status, answer.json], [200, { jsonrpc: '2.0', id: 2, result: { method: 'tools/list' } }]);
    assert.equal(client.fake.conversations.length, 1);
    assert.equal(answer.headers['mcp-session-id'], undefined);
  });
}

test('a session id is visible ASCII with at least 128 random bits [http-042] [http-043] [security-016] [security-017]', async () => {
  const ids = new Set<string>();
  for (let at = 0; at < 100; at++) {
    const { id } = await connect();
    assert.match(id, /^[\x21-\x7e]{32,}$/);
    ids.add(id);
  }
  assert.equal(ids.size, 100);
});

test('initialize that fails opens no session', async () => {
  const fake = fakeEndpoint();
  const answer = await visit(createHttpHandler(fake), { body: initializing('1999-01-01') });
  assert.equal(answer.headers['mcp-session-id'], undefined);
  assert.equal(fake.conversations[0]?.closed, true);
});

test('a second initialize in a session goes to its conversation, which lives on', async () => {
  const client = await connect();
  const answer = await begin(client.handler, {
    headers: { 'Mcp-Session-Id': client.id },
    body: initializing('2025-11-25', 9),
  }).done();
  assert.deepEqual([answer.status, (answer.json as { error: { code: number } }).error.code], [400, -32600]);
  assert.equal((await client.post(request('ping')).done()).status, 200);
});

test('a request without a session id is a bad request [http-046]', async () => {
  const { handler } = await connect();
  const answer = await visit(handler, { body: JSON.stringify(request('tools/list')) });
  assert.deepEqual([answer.status, (answer.json as { id: unknown }).id], [400, 2]);
  assert.equal((await visit(handler, {})).status, 400);
  assert.equal((await visit(handler, { method: 'DELETE' })).status, 400);
});

test('notifications and responses are accepted with 202 and no body [http-014]', async () => {
  const client = await connect();
  for (const message of [
    { jsonrpc: '2.0', method: 'notifications/initialized' },
    { jsonrpc: '2.0', id: 'none', result: {} },
  ]) {
    const answer = await client.post(message).done();
    assert.deepEqual([answer.status, answer.body], [202, undefined]);
  }
});

test('a notification to a session that does not exist is refused [http-016]', async () => {
  const client = await connect();
  const answer = await client
    .post({ jsonrpc: '2.0', method: 'notifications/initialized' }, { 'Mcp-Session-Id': 'other' })
    .done();
  assert.equal(answer.status, 404);
});

test('DELETE ends a session, which is not found afterwards [http-047]', async () => {
  const client = await connect();
  const stream = client.get();
  await settle();
  assert.equal(
    (await visit(client.handler, { method: 'DELETE', headers: { 'Mcp-Session-Id': client.id } })).status,
    204,
  );
  assert.equal(stream.ended, true);
  assert.equal(client.fake.conversations[0]?.closed, true);
  for (const method of ['POST', 'GET', 'DELETE']) {
    const answer = await visit(client.handler, {
      method,
      headers: { 'Mcp-Session-Id': client.id },
      body: method === 'POST' ? JSON.stringify(request('ping')) : undefined,
    });
    assert.equal(answer.status, 404);
  }
});

test("somebody else's session looks like one that never was [security-015] [security-018]", async () => {
  const authenticate: HttpOptions['authenticate'] = (incoming) => {
    const principal = incoming.header('authorization');
    return principal === undefined ? { status: 401, headers: { 'WWW-Authenticate': 'Bearer' } } : { principal };
  };
  const client = await connect('2025-11-25', { authenticate }, { authorization: 'alice' });
  assert.equal((await client.post(request('ping')).done()).status, 200);
  for (const method of ['POST', 'GET', 'DELETE']) {
    const body = method === 'POST' ? JSON.stringify(request('ping')) : undefined;
    const foreign = await visit(client.handler, {
      method,
      headers: { 'Mcp-Session-Id': client.id, authorization: 'mallory' },
      body,
    });
    const unknown = await visit(client.handler, {
      method,
      headers: { 'Mcp-Session-Id': 'f'.repeat(48), authorization: 'mallory' },
      body,
    });
    assert.equal(foreign.status, 404);
    assert.deepEqual([foreign.status, foreign.body, foreign.headers], [unknown.status, unknown.body, unknown.headers]);
    const nobody = await visit(client.handler, { method, headers: { 'Mcp-Session-Id': client.id }, body });
    assert.deepEqual([nobody.status, nobody.headers['www-authenticate']], [401, 'Bearer']);
  }
  assert.equal((await client.post(request('ping')).done()).status, 200);
});

test('every request is asked who it comes from [http-006] [security-014] [security-019]', async () => {
  let asked = 0;
  const client = await connect('2025-11-25', {
    authenticate: () => ({ principal: `alice`, scopes: [String(asked++)] }),
  });
  await client.post(request('ping')).done();
  await client.post(request('ping')).done();
  assert.equal(asked, 3);
});

test('a check of authorization that throws is an internal error, and nothing is dispatched', async () => {
  const fake = fakeEndpoint();
  const answer = await visit(createHttpHandler(fake, { authenticate: () => Promise.reject(new Error('down')) }), {
    body: initializing('2025-11-25'),
  });
  assert.equal(answer.status, 500);
  assert.equal(fake.received.length, 0);
});

test('sessions expire when idle, but not while a stream is open', async () => {
  let now = 0;
  const client = await connect('2025-11-25', { now: () => now, sessionIdleTimeoutMs: 1000 });
  now = 900;
  assert.equal((await client.post(request('ping')).done()).status, 200);
  now = 1800;
  const stream = client.get();
  await settle();
  now = 9000;
  assert.equal((await client.post(request('ping')).done()).status, 200);
  stream.leave();
  now = 10_100;
  assert.equal((await client.post(request('ping')).done()).status, 404);
  assert.equal(client.fake.conversations[0]?.closed, true);
});

test('sessions are bounded in number, and one that is in use does not make way', async () => {
  const client = await connect('2025-11-25', { maxSessions: 1 });
  const stream = client.get();
  await settle();
  const refused = await visit(client.handler, { body: initializing('2025-11-25') });
  assert.deepEqual([refused.status, refused.headers['retry-after']], [503, '10']);
  stream.leave();
  await settle();
  assert.equal((await visit(client.handler, { body: initializing('2025-11-25') })).status, 200);
  assert.equal((await client.post(request('ping')).done()).status, 404);
});

for (const [header, status] of [
  ['2025-06-18', 200],
  // What a session negotiated is its own affair: known revisions pass, unknown and unreadable ones do not.
  ['2025-11-25', 200],
  ['2024-11-05', 200],
  ['2026-07-28', 200],
  ['1999-01-01', 400],
  ['nonsense', 400],
  ['', 400],
] as const) {
  test(`a session of 2025-06-18 answers version header ${header} with ${status} [http-053]`, async () => {
    const client = await connect('2025-06-18');
    assert.equal((await client.post(request('ping'), { 'MCP-Protocol-Version': header }).done()).status, status);
  });
}

test('a stream opens for a client that says its newest revision there, and the session ends for one that does', async () => {
  for (const newest of ['2025-11-25', '2026-07-28']) {
    const client = await connect('2025-06-18');
    const stream = client.get({ 'MCP-Protocol-Version': newest });
    await settle();
    assert.deepEqual([stream.status, stream.headers['content-type']], [200, 'text/event-stream']);
    const headers = { 'Mcp-Session-Id': client.id, 'MCP-Protocol-Version': newest };
    assert.equal((await visit(client.handler, { method: 'DELETE', headers })).status, 204);
  }
  const client = await connect('2025-06-18');
  for (const unknown of ['1999-01-01', 'nonsense']) {
    const headers = { 'Mcp-Session-Id': client.id, 'MCP-Protocol-Version': unknown };
    for (const method of ['GET', 'DELETE'])
      assert.equal((await visit(client.handler, { method, headers })).status, 400);
  }
});

test('a message in a session that claims a stateless revision itself is none of the session', async () => {
  const client = await connect('2025-06-18');
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const body = { jsonrpc: '2.0', id: 2, method: 'ping', params: { _meta } };
  const headers = { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'ping' };
  await client.post(body, headers).done();
  assert.equal(client.fake.conversations.length, 2);
});

test('without a version header a session is what it negotiated [http-052]', async () => {
  const client = await connect('2025-11-25');
  assert.equal((await client.post(request('ping')).done()).status, 200);
});

test('a batch of 2025-03-26 is answered with an array of its responses [http-017]', async () => {
  const client = await connect('2025-03-26');
  const answer = await client
    .post([request('a', 1), { jsonrpc: '2.0', method: 'notifications/x' }, request('b', 2)])
    .done();
  assert.deepEqual(answer.json, [
    { jsonrpc: '2.0', id: 1, result: { method: 'a' } },
    { jsonrpc: '2.0', id: 2, result: { method: 'b' } },
  ]);
});

test('a batch whose requests send messages is a stream with one response for each [http-020]', async () => {
  const client = await connect('2025-03-26');
  const answer = await client.post([request('a', 1), request('notify', 2), request('c', 3)]).done();
  const ids = answer.events.map((event) => (event as { id?: number }).id).filter((id) => id !== undefined);
  assert.deepEqual(new Set(ids), new Set([1, 2, 3]));
  assert.equal(ids.length, 3);
  assert.equal(answer.events.length, 4);
});

test('a batch without requests is accepted with 202', async () => {
  const client = await connect('2025-03-26');
  assert.equal((await client.post([{ jsonrpc: '2.0', method: 'notifications/x' }]).done()).status, 202);
});

for (const [title, version, size] of [
  ['that is empty', '2025-03-26', 0],
  ['that is too large', '2025-03-26', 101],
  ['that is empty, after 2025-03-26', '2025-06-18', 0],
] as const) {
  test(`a batch ${title} is an invalid request`, async () => {
    const client = await connect(version);
    const before = client.fake.received.length;
    const answer = await client.post(Array.from({ length: size }, (_, at) => request('ping', at))).done();
    assert.deepEqual([answer.status, (answer.json as { error: { code: number } }).error.code], [400, -32600]);
    assert.equal(client.fake.received.length, before);
  });
}

for (const version of ['2024-11-05', '2025-06-18', '2025-11-25'])
  test(`a batch of ${version} is taken, as by the official servers`, async () => {
    const client = await connect(version);
    const answer = await client.post([request('ping', 1), request('ping', 2)]).done();
    const ids = (answer.json as { id: number }[]).map(({ id }) => id);
    assert.deepEqual([answer.status, ids], [200, [1, 2]]);
  });

test('initialize in a batch with another message is refused', async () => {
  const fake = fakeEndpoint();
  const initialize = initializing('2025-03-26');
  const answer = await visit(createHttpHandler(fake), { body: `[${initialize},${initialize}]` });
  assert.equal(answer.status, 400);
  assert.equal(fake.received.length, 0);
});

for (const [version, id] of [
  ['2025-03-26', null],
  ['2025-11-25', undefined],
] as const) {
  test(`unreadable JSON in a session of ${version} is a parse error whose id is ${String(id)} [http-115]`, async () => {
    const client = await connect(version);
    const answer = await begin(client.handler, { headers: { 'Mcp-Session-Id': client.id }, body: '{' }).done();
    const body = answer.json as { id?: unknown; error: { code: number } };
    assert.deepEqual([answer.status, body.error.code, body.id], [400, -32700, id]);
  });
}

test('an unknown method in a session is a JSON-RPC error with status 200', async () => {
  const client = await connect();
  const answer = await client.post(request('unknown/method')).done();
  assert.deepEqual([answer.status, (answer.json as { error: { code: number } }).error.code], [200, -32601]);
});

test('two sessions with the same ids in flight do not see each other', async () => {
  const fake = fakeEndpoint();
  const handler = createHttpHandler(fake);
  const ids = await Promise.all(
    [1, 2].map(
      async () => (await visit(handler, { body: initializing('2025-11-25') })).headers['mcp-session-id'] ?? '',
    ),
  );
  const streams = ids.map((id) => begin(handler, { headers: { 'Mcp-Session-Id': id } }));
  const answers = ids.map((id) =>
    begin(handler, { headers: { 'Mcp-Session-Id': id }, body: JSON.stringify(request('slow', 5)) }),
  );
  await settle();
  fake.conversations[0]?.link.send({ ...broadcast, params: { to: 0 } });
  fake.conversations[1]?.release(5);
  await answers[1]?.done();
  assert.deepEqual([answers[0]?.ended, streams[0]?.events.length, streams[1]?.events.length], [false, 1, 0]);
});

test('a message that is no JSON is told to the owner and harms nobody', async () => {
  const client = await connect();
  client.fake.conversations[0]?.link.send({ ...broadcast, params: { big: 1n } });
  assert.equal(client.errors.length, 1);
  assert.equal((await client.post(request('ping')).done()).status, 200);
});

test('closing ends sessions and their streams', async () => {
  const client = await connect();
  const stream = client.get();
  await settle();
  await client.handler.close();
  assert.equal(stream.ended, true);
  assert.equal(client.fake.conversations[0]?.closed, true);
});

test('what waits for a stream is not given to a client that left before it was opened', async () => {
  for (const events of [undefined, 'none'] as const) {
    let letIn: () => void = () => undefined;
    const gates: Promise<void>[] = [];
    const client = await connect('2025-06-18', {
      ...(events === undefined ? {} : { events }),
      authenticate: async () => {
        await gates[0];
        return { principal: 'somebody' };
      },
    });
    client.fake.conversations[0]?.link.send(broadcast);
    gates.push(new Promise((resolve) => (letIn = resolve)));
    const gone = client.get();
    gone.leave();
    letIn();
    await settle();
    const back = client.get();
    await settle();
    assert.deepEqual(back.events, [broadcast]);
  }
});
