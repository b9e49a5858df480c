import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connect, request, type Client } from '../../../../../test/support/session-client.ts';
import { settle, visit, type FakeVisit } from '../../../../../test/support/fake-http.ts';

/** A session with a call that waits for an answer of its client, and a server that is being closed. */
async function draining(revision?: string): Promise<{
  readonly client: Client;
  readonly call: FakeVisit;
  readonly closed: Promise<void>;
}> {
  const client = await connect(revision, { drainTimeoutMs: 60_000 });
  const call = client.post(request('ask'));
  await call.until((so) => so.events.length === 1);
  return { client, call, closed: client.handler.close() };
}

const answer = { jsonrpc: '2.0', id: 'q', result: { roots: [] } };

for (const revision of ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25']) {
  test(`while draining the answer that a running call waits for is admitted in ${revision}`, async () => {
    const { client, call, closed } = await draining(revision);
    assert.equal((await client.post(answer).done()).status, 202);
    await closed;
    assert.deepEqual(call.events.at(-1), { jsonrpc: '2.0', id: 2, result: { answer } });
  });
}

test('while draining answers in a batch are admitted, and a batch with a request is not', async () => {
  const { client, closed } = await draining('2025-03-26');
  const refused = await client.post([answer, request('echo', 3)]).done();
  assert.equal(refused.status, 503);
  assert.match(String(refused.headers['retry-after']), /^[1-5]$/);
  assert.equal((await client.post([answer]).done()).status, 202);
  await closed;
});

test('while draining a cancellation is admitted', async () => {
  const { client, closed } = await draining();
  const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 2 } };
  assert.equal((await client.post(cancelled).done()).status, 202);
  assert.deepEqual(client.fake.received.at(-1), cancelled);
  await client.post(answer).done();
  await closed;
});

test('while draining a session may end, and what runs in it with it', async () => {
  const client = await connect('2025-11-25', { drainTimeoutMs: 60_000 });
  const call = client.post(request('slow'));
  await settle();
  const closed = client.handler.close();
  const headers = { 'Mcp-Session-Id': client.id };
  assert.equal((await visit(client.handler, { method: 'DELETE', headers })).status, 204);
  await closed;
  assert.equal(call.ended, true);
});

test('while draining a stream that broke is resumed, and has its response', async () => {
  const { client, call, closed } = await draining();
  call.leave();
  const id = call.frames.findLast((frame) => frame.id !== undefined)?.id ?? '';
  const resumed = client.get({ 'last-event-id': id });
  await settle();
  assert.equal((await client.post(answer).done()).status, 202);
  await resumed.done();
  assert.deepEqual(resumed.events, [{ jsonrpc: '2.0', id: 2, result: { answer } }]);
  await closed;
});

test('while draining nothing begins', async () => {
  const { client, closed } = await draining();
  for (const refused of [
    client.post(request('echo', 3)),
    client.post(request('initialize', 3), { 'Mcp-Session-Id': undefined as never }),
    client.get(),
    client.get({ 'Mcp-Session-Id': undefined as never }),
  ]) {
    await refused.done();
    assert.deepEqual([refused.status, refused.headers['connection']], [503, 'close']);
    const seconds = String(refused.headers['retry-after']);
    assert.match(seconds, /^[1-5]$/);
    // Who reads the error alone is told the same.
    const { error } = JSON.parse(refused.body ?? '') as { readonly error: { readonly data: unknown } };
    assert.deepEqual(error.data, { retryAfterMs: Number(seconds) * 1000 });
  }
  await client.post(answer).done();
  await closed;
});

test('after the drain nothing is admitted', async () => {
  const { client, closed } = await draining();
  await client.post(answer).done();
  await closed;
  for (const late of [client.post(answer), client.get({ 'last-event-id': 'x-1:1' })])
    assert.equal((await late.done()).status, 503);
});
