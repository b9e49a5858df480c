import assert from 'node:assert/strict';
import { test } from 'node:test';
import { call, handler, meta, newest, problem, served } from '../../../../../../test/support/stateless-call.ts';
import { revisions } from '../../../protocol/revision.ts';
import { fakeEndpoint } from '../../../../../../test/support/fake-endpoint.ts';
import { begin, settle, visit } from '../../../../../../test/support/fake-http.ts';
import { createHttpHandler } from './handler.ts';

const handshakeOnly = revisions.filter((revision) => revision.era === 'handshake');
const statelessOnly = revisions.filter((revision) => revision.era === 'stateless');

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

test('server/discover is no method where no stateless revision is served', async () => {
  const only = createHttpHandler(fakeEndpoint({ revisions: handshakeOnly }));
  const answer = await visit(only, call({ method: 'server/discover' }));
  assert.deepEqual([problem(answer).status, problem(answer).code], [400, -32601]);
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
  assert.deepEqual([second.status, second.headers['retry-after']], [503, '10']);
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
    createHttpHandler(fake, { maxStreamBufferBytes: 1000, onError: (error) => errors.push(error) }),
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

test('one message may be larger than what may wait, and the next comes when it was read', async () => {
  const fake = fakeEndpoint();
  const answer = begin(
    createHttpHandler(fake, { maxStreamBufferBytes: 1000 }),
    call({ method: 'subscriptions/listen' }),
  );
  await answer.until((so) => so.events.length === 1);
  const send = (data: string): void =>
    fake.conversations[0]?.link.send({ jsonrpc: '2.0', method: 'notifications/message', params: { data } }, 7);
  answer.stalled = true;
  send('x'.repeat(5000));
  assert.equal(answer.destroyed, false);
  answer.stalled = false;
  send('small');
  assert.equal(answer.destroyed, false);
  answer.leave();
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

test('closing without patience ends a subscription that does not end by itself', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const fake = fakeEndpoint();
  const closing = createHttpHandler(fake);
  const listening = begin(closing, call({ method: 'subscriptions/listen' }));
  await listening.until((so) => so.events.length === 1);
  Object.assign(fake.conversations[0] ?? {}, { end: () => undefined });
  const closed = closing.close({ drainTimeoutMs: 10 });
  await settle();
  assert.equal(listening.ended, false);
  t.mock.timers.tick(10);
  await closed;
  await settle();
  assert.deepEqual([listening.ended, fake.conversations[0]?.closed], [true, true]);
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
