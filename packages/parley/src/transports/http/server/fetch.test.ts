import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as after } from 'node:timers/promises';
import { fakeEndpoint } from '../../../../../../test/support/fake-endpoint.ts';
import { settle } from '../../../../../../test/support/fake-http.ts';
import { createHandler } from './fetch.ts';

function call(method: string, signal?: AbortSignal): Request {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  return new Request('http://localhost/mcp', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'mcp-protocol-version': '2026-07-28', 'mcp-method': method },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { _meta } }),
    ...(signal === undefined ? {} : { signal }),
  });
}

test('a request gets a whole response', async () => {
  const response = await createHandler(fakeEndpoint())(call('echo'));
  assert.equal(response.headers.get('content-type'), 'application/json');
  assert.equal(((await response.json()) as { id: number }).id, 1);
});

test('a stream is a readable stream that ends after the response', async () => {
  const response = await createHandler(fakeEndpoint())(call('notify'));
  assert.equal(response.headers.get('content-type'), 'text/event-stream');
  assert.equal((await response.text()).split('\n\n').length, 3);
});

test('cancelling the stream cancels the request', async () => {
  const fake = fakeEndpoint();
  const response = await createHandler(fake)(call('subscriptions/listen'));
  await response.body?.cancel();
  await settle();
  assert.equal(fake.conversations[0]?.closed, true);
});

test('aborting the request cancels it', async () => {
  const fake = fakeEndpoint();
  const controller = new AbortController();
  const answer = createHandler(fake)(call('slow', controller.signal));
  while (fake.conversations.length === 0) await new Promise((resolve) => setImmediate(resolve));
  controller.abort();
  await answer;
  assert.equal(fake.conversations[0]?.closed, true);
});

for (const sent of [0, 3])
  test(`a stream whose request is aborted ends for who still reads it, after ${sent} more events`, async (t) => {
    const fake = fakeEndpoint();
    const controller = new AbortController();
    const response = await createHandler(fake)(call('subscriptions/listen', controller.signal));
    const event = { jsonrpc: '2.0', method: 'notifications/tools/list_changed' } as const;
    for (let count = 0; count < sent; count++) fake.conversations[0]?.link.send(event, 1);
    controller.abort();
    // Something between handler and platform that passes the stream on waits for its end.
    const text = await Promise.race([response.text(), after(1_000, undefined, { signal: t.signal })]);
    assert.equal(text?.split('list_changed').length, sent + 1);
    assert.equal(fake.conversations[0]?.closed, true);
  });

test('a reader that takes nothing is cut off at the limit', async () => {
  const fake = fakeEndpoint();
  const response = await createHandler(fake, { maxStreamBufferBytes: 1000 })(call('subscriptions/listen'));
  for (let sent = 0; sent < 100; sent++)
    fake.conversations[0]?.link.send({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' }, 1);
  assert.equal(fake.conversations[0]?.closed, true);
  await assert.rejects(response.text());
});

test('a request that was aborted while it was being authenticated starts nothing', async () => {
  const fake = fakeEndpoint();
  const controller = new AbortController();
  const authenticate = async (): Promise<{ principal: string }> => {
    controller.abort();
    return { principal: 'p' };
  };
  const response = await createHandler(fake, { authenticate })(call('subscriptions/listen', controller.signal));
  await settle();
  assert.equal(response.status, 499);
  assert.deepEqual(fake.received, []);
});

test('a reader of the HTTP+SSE pair that is cut off gives its place back', async () => {
  const fake = fakeEndpoint();
  const ssePair = { sse: '/sse', messages: '/messages' };
  const handler = createHandler(fake, { ssePair, maxSessions: 1, maxStreamBufferBytes: 1000 });
  const connect = (): Promise<Response> => handler(new Request('http://localhost/sse'));
  assert.equal((await connect()).status, 200);
  for (let sent = 0; sent < 100; sent++)
    fake.conversations[0]?.link.send({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
  assert.equal(fake.conversations[0]?.closed, true);
  assert.equal((await connect()).status, 200);
});

test('a session whose stream was cut off expires like any other', async () => {
  const fake = fakeEndpoint();
  let now = 0;
  const handler = createHandler(fake, {
    maxSessions: 1,
    maxStreamBufferBytes: 1000,
    sessionIdleTimeoutMs: 1000,
    now: () => now,
  });
  const initialize = (): Promise<Response> =>
    handler(
      new Request('http://localhost/mcp', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 0,
          method: 'initialize',
          params: { protocolVersion: '2025-06-18' },
        }),
      }),
    );
  const session = (await initialize()).headers.get('mcp-session-id') ?? '';
  const listen = await handler(new Request('http://localhost/mcp', { headers: { 'mcp-session-id': session } }));
  assert.equal(listen.status, 200);
  for (let sent = 0; sent < 100; sent++)
    fake.conversations[0]?.link.send({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
  await assert.rejects(listen.text());
  now = 1001;
  assert.equal((await initialize()).status, 200);
});

test('the host of the URL counts where there is no Host header', async () => {
  const handler = createHandler(fakeEndpoint());
  const request = call('echo');
  assert.equal((await handler(new Request('http://evil.example/mcp', request))).status, 403);
});

for (const [title, refusal] of [
  ['a header that is no Latin-1', { status: 401, headers: { 'WWW-Authenticate': 'Bearer realm="größer → kleiner"' } }],
  ['a header with a line break', { status: 401, headers: { 'X-Why': 'one\r\ntwo' } }],
  ['204 with a body', { status: 204, body: '{}' }],
  ['a status that does not exist', { status: 1000 }],
] as const) {
  test(`where no Response can be made, with ${title}, the answer is 500, and its owner is told`, async () => {
    const errors: Error[] = [];
    const handler = createHandler(fakeEndpoint(), {
      authenticate: () => refusal,
      onError: (error) => errors.push(error),
    });
    const response = await handler(call('echo'));
    assert.equal(response.status, 500);
    assert.equal(((await response.json()) as { error: { code: number } }).error.code, -32603);
    assert.ok(errors[0]?.cause instanceof Error);
  });
}

test('bodyTimeoutMs of 0 lets a body take its time', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const fake = fakeEndpoint();
  let goOn = (): void => undefined;
  const body = new ReadableStream({
    start: (to) => {
      to.enqueue(new TextEncoder().encode('{"jsonrpc":"2.0",'));
      goOn = () => {
        to.enqueue(new TextEncoder().encode('"method":"notifications/x"}'));
        to.close();
      };
    },
  });
  const headers = { 'content-type': 'application/json', 'mcp-protocol-version': '2026-07-28' };
  const sent = { method: 'POST', headers, body, duplex: 'half' };
  const answer = createHandler(fake, { bodyTimeoutMs: 0 })(new Request('http://localhost/mcp', sent));
  await new Promise((resolve) => setImmediate(resolve));
  t.mock.timers.tick(86_400_000);
  goOn();
  assert.notEqual((await answer).status, 408);
});

test('a body that does not arrive in time is answered with 408', async () => {
  const fake = fakeEndpoint();
  let cancelled = false;
  const body = new ReadableStream({
    start: (to) => to.enqueue(new Uint8Array([123])),
    cancel: () => void (cancelled = true),
  });
  const headers = { 'content-type': 'application/json', 'mcp-protocol-version': '2026-07-28' };
  // A field of Node's own, which the standard's type lacks.
  const sent = { method: 'POST', headers, body, duplex: 'half' };
  const request = new Request('http://localhost/mcp', sent);
  const response = await createHandler(fake, { bodyTimeoutMs: 20 })(request);
  assert.equal(response.status, 408);
  assert.match(await response.text(), /the body did not arrive in time/);
  assert.deepEqual([cancelled, fake.received], [true, []]);
});
