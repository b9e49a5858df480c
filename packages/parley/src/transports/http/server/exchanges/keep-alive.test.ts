import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { call, newest } from '../../../../../../../test/support/stateless-call.ts';
import { connect, request } from '../../../../../../../test/support/session-client.ts';
import { fakeEndpoint } from '../../../../../../../test/support/fake-endpoint.ts';
import { begin, settle, visit } from '../../../../../../../test/support/fake-http.ts';
import { createHttpHandler } from '../handler.ts';

const keepAliveIntervalMs = 1000;

/** Lets the whole time of a silence pass, in the two halves that are looked at. */
function pass(t: TestContext): void {
  t.mock.timers.tick(keepAliveIntervalMs / 2);
  t.mock.timers.tick(keepAliveIntervalMs / 2);
}

const response = { jsonrpc: '2.0', id: 7, result: { released: true } };

test('a call that takes long becomes an event stream with comments', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const fake = fakeEndpoint();
  const answer = begin(createHttpHandler(fake, { keepAliveIntervalMs }), call({ method: 'slow' }));
  await settle();
  t.mock.timers.tick(keepAliveIntervalMs / 2);
  assert.equal(answer.status, undefined);
  t.mock.timers.tick(keepAliveIntervalMs / 2);
  assert.equal(answer.headers['content-type'], 'text/event-stream');
  assert.equal(answer.written, ':\n\n');
  pass(t);
  pass(t);
  assert.match(answer.written, /^(?::\n\n){2,}$/);
  fake.conversations[0]?.release(7);
  await answer.done();
  assert.deepEqual(answer.events, [response]);
});

for (const version of ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25']) {
  test(`a call of a session of ${version} that takes long becomes an event stream`, async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const client = await connect(version, { keepAliveIntervalMs });
    const answer = client.post(request('slow', 7));
    await settle();
    pass(t);
    assert.equal(answer.headers['content-type'], 'text/event-stream');
    assert.match(answer.written, /:\n\n$/);
    client.fake.conversations[0]?.release(7);
    await answer.done();
    assert.deepEqual(answer.events, [response]);
  });
}

test('a batch that takes long becomes an event stream with each response', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const client = await connect('2025-03-26', { keepAliveIntervalMs });
  const answer = client.post([request('tools/list', 3), request('slow', 7)]);
  await settle();
  pass(t);
  client.fake.conversations[0]?.release(7);
  await answer.done();
  assert.deepEqual(
    answer.events.map((event) => (event as { id: unknown }).id),
    [3, 7],
  );
});

for (const accept of ['application/json', '*/*', undefined]) {
  test(`who accepts ${accept ?? 'nothing in words'} waits for JSON`, async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const fake = fakeEndpoint();
    const sent = call({ method: 'slow', headers: { accept } });
    const answer = begin(createHttpHandler(fake, { keepAliveIntervalMs }), sent);
    await settle();
    pass(t);
    pass(t);
    assert.equal(answer.status, undefined);
    fake.conversations[0]?.release(7);
    assert.deepEqual((await answer.done()).json, response);
  });
}

test('a call without a place for a stream gets one later, or JSON', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const fake = fakeEndpoint();
  const handler = createHttpHandler(fake, { keepAliveIntervalMs, maxStreams: 1 });
  const listening = begin(handler, call({ method: 'subscriptions/listen' }));
  await settle();
  const answer = begin(handler, call({ method: 'slow' }));
  await settle();
  pass(t);
  assert.equal(answer.status, undefined);
  listening.leave();
  pass(t);
  assert.equal(answer.headers['content-type'], 'text/event-stream');
  fake.conversations[1]?.release(7);
  await answer.done();
  assert.deepEqual(answer.events, [response]);
});

test('a call whose client left, or that was answered, becomes no stream', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const fake = fakeEndpoint();
  const handler = createHttpHandler(fake, { keepAliveIntervalMs });
  const left = begin(handler, call({ method: 'slow' }));
  await settle();
  left.leave();
  const failed = begin(handler, call({ method: 'explode' }));
  assert.equal((await failed.done()).status, 500);
  const answered = await visit(handler, { headers: { 'MCP-Protocol-Version': newest }, body: '{}' });
  pass(t);
  pass(t);
  assert.equal(left.status, undefined);
  assert.deepEqual([failed.status, failed.written, answered.status, answered.written], [500, '', 400, '']);
});
