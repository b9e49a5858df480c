import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fakeEndpoint, type Fake } from '../../../../../test/support/fake-endpoint.ts';
import { call } from '../../../../../test/support/stateless-call.ts';
import { begin, settle, visit, type FakeVisit, type Sent } from '../../../../../test/support/fake-http.ts';
import { createHttpHandler, type HttpHandler } from './server/handler.ts';
import type { HttpOptions } from './server/exchanges/options.ts';
import { initializing } from '../../../../../test/support/session-client.ts';

const ssePair = { sse: '/sse', messages: '/messages' };

/** A server that believes the name in `Authorization`; without one nobody is asked. */
function serve(options: HttpOptions = {}): { readonly handler: HttpHandler; readonly fake: Fake } {
  const fake = fakeEndpoint();
  const authenticate: HttpOptions['authenticate'] = (request) => ({ principal: request.header('authorization') ?? '' });
  return { fake, handler: createHttpHandler(fake, { path: '/mcp', ssePair, authenticate, ...options }) };
}

const initialize = initializing('2025-11-25');
const listen = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'subscriptions/listen',
  params: { _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' } },
});
const stateless = { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'subscriptions/listen' };

async function subscribe(handler: HttpHandler, authorization: string): Promise<FakeVisit> {
  const answer = begin(handler, { headers: { ...stateless, authorization }, body: listen });
  await settle();
  return answer;
}

async function openPair(handler: HttpHandler, authorization: string): Promise<FakeVisit> {
  const stream = begin(handler, { path: '/sse', headers: { authorization } });
  await settle();
  return stream;
}

test('one principal cannot take all streams, and gets its place back when one ends', async () => {
  const { handler } = serve({ maxStreamsPerPrincipal: 2 });
  const first = await subscribe(handler, 'greedy');
  assert.equal((await openPair(handler, 'greedy')).status, 200);
  const refused = await subscribe(handler, 'greedy');
  assert.deepEqual([refused.status, refused.headers['retry-after']], [429, '10']);
  assert.equal((await openPair(handler, 'greedy')).status, 429);
  assert.equal((await subscribe(handler, 'modest')).status, 200);
  first.leave();
  assert.equal((await subscribe(handler, 'greedy')).status, 200);
});

test('a listening stream of a session counts for its principal too', async () => {
  const { handler } = serve({ maxStreamsPerPrincipal: 1 });
  const opened = await visit(handler, { headers: { authorization: 'a' }, body: initialize });
  const headers = { authorization: 'a', 'Mcp-Session-Id': opened.headers['mcp-session-id'] };
  await subscribe(handler, 'a');
  assert.equal((await visit(handler, { headers })).status, 429);
});

test('one principal cannot take all sessions, of either transport, and gets its place back when one ends', async () => {
  const { handler } = serve({ maxSessionsPerPrincipal: 2 });
  const begun = (authorization: string): Promise<FakeVisit> =>
    visit(handler, { headers: { authorization }, body: initialize });
  const first = await begun('greedy');
  const pair = await openPair(handler, 'greedy');
  assert.equal((await begun('greedy')).status, 429);
  assert.equal((await openPair(handler, 'greedy')).status, 429);
  assert.equal((await begun('modest')).status, 200);
  pair.leave();
  assert.equal((await begun('greedy')).status, 200);
  const id = first.headers['mcp-session-id'];
  await visit(handler, { method: 'DELETE', headers: { authorization: 'greedy', 'Mcp-Session-Id': id } });
  assert.equal((await begun('greedy')).status, 200);
  assert.equal((await begun('greedy')).status, 429);
});

test('the session that is idle longest makes way, of whoever has the most', async () => {
  let now = 0;
  const { handler } = serve({ maxSessions: 6, now: () => now });
  const opened = async (authorization: string): Promise<string | undefined> => {
    now++;
    const { status, headers } = await visit(handler, { headers: { authorization }, body: initialize });
    assert.equal(status, 200);
    return headers['mcp-session-id'];
  };
  const used = async (authorization: string, id: string | undefined): Promise<number | undefined> => {
    now++;
    const body = JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'ping' });
    return (await visit(handler, { headers: { authorization, 'Mcp-Session-Id': id }, body })).status;
  };
  const modest = await opened('modest');
  const [first, second] = [await opened('greedy'), await opened('greedy')];
  const third = await opened('greedy');
  assert.equal(await used('greedy', first), 200);
  for (const other of ['other', 'another', 'new']) await opened(other);
  assert.equal(await used('greedy', second), 404);
  for (const id of [first, third]) assert.equal(await used('greedy', id), 200);
  assert.equal(await used('modest', modest), 200);
});

test('an idle session makes way for a stream of HTTP+SSE too', async () => {
  const { handler } = serve({ maxSessions: 4 });
  const first = await visit(handler, { headers: { authorization: 'greedy' }, body: initialize });
  for (const authorization of ['greedy', 'other', 'another'])
    await visit(handler, { headers: { authorization }, body: initialize });
  const pair = await openPair(handler, 'modest');
  assert.equal(pair.status, 200);
  const body = JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'ping' });
  const headers = { authorization: 'greedy', 'Mcp-Session-Id': first.headers['mcp-session-id'] };
  assert.equal((await visit(handler, { headers, body })).status, 404);
  for (const who of ['second', 'third', 'fourth']) assert.equal((await openPair(handler, who)).status, 200);
  assert.equal((await openPair(handler, 'fifth')).status, 503, 'streams that are open stay');
});

test('nobody makes way for a principal that has all of its own sessions', async () => {
  const { handler } = serve({ maxSessions: 2, maxSessionsPerPrincipal: 1 });
  const begun = (authorization: string): Promise<FakeVisit> =>
    visit(handler, { headers: { authorization }, body: initialize });
  const other = await begun('other');
  await begun('greedy');
  assert.equal((await begun('greedy')).status, 503);
  const id = other.headers['mcp-session-id'];
  const body = JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'ping' });
  assert.equal((await visit(handler, { headers: { authorization: 'other', 'Mcp-Session-Id': id }, body })).status, 200);
});

test('initialize that fails takes no place', async () => {
  const { handler } = serve({ maxSessions: 1 });
  for (let at = 0; at < 3; at++)
    assert.notEqual((await visit(handler, { body: initialize.replace('2025-11-25', '1999-01-01') })).status, 503);
  assert.equal((await visit(handler, { body: initialize })).status, 200);
});

test('without authorization nobody is counted', async () => {
  const fake = fakeEndpoint();
  const handler = createHttpHandler(fake, { maxStreamsPerPrincipal: 1, maxSessionsPerPrincipal: 1 });
  for (let at = 0; at < 3; at++) {
    assert.equal((await visit(handler, { body: initialize })).status, 200);
    const answer = begin(handler, { headers: stateless, body: listen });
    await settle();
    assert.equal(answer.status, 200);
  }
});

test('thousands of streams leave nothing behind when they are gone', async () => {
  const { handler, fake } = serve({ maxRequests: 4000, maxStreams: 4000, maxStreamsPerPrincipal: 2000 });
  for (let round = 0; round < 2; round++) {
    const streams = await Promise.all(Array.from({ length: 2000 }, () => subscribe(handler, 'a')));
    assert.ok(streams.every(({ status }) => status === 200));
    assert.equal((await subscribe(handler, 'a')).status, 429);
    for (const stream of streams) stream.leave();
    await settle();
    assert.ok(fake.conversations.every(({ closed }) => closed));
  }
});

test('stalled listeners cost a bounded amount each, and are cut off', async () => {
  const { handler, fake } = serve({ maxStreamBufferBytes: 10_000 });
  const streams = await Promise.all(Array.from({ length: 10 }, () => subscribe(handler, 'a')));
  for (const stream of streams) stream.stalled = true;
  for (let at = 0; at < 100_000; at++)
    for (const { link } of fake.conversations)
      link.send({ jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri: `file:///${at}` } }, 1);
  for (const { destroyed, written } of streams) assert.ok(destroyed && written.length < 10_200);
});

test('closing gives subscriptions their response before it ends the rest', async () => {
  const { handler, fake } = serve();
  const stream = await subscribe(handler, 'a');
  const [conversation] = fake.conversations;
  assert.ok(conversation);
  conversation.end = () => conversation.release(1);
  await handler.close();
  assert.deepEqual(stream.events.at(-1), { jsonrpc: '2.0', id: 1, result: { released: true } });
  assert.deepEqual([stream.ended, conversation.closed], [true, true]);
});

test('closing ends a subscription that does not end when it is asked to', async () => {
  const { handler, fake } = serve({ drainTimeoutMs: 1 });
  const stream = await subscribe(handler, 'a');
  const [conversation] = fake.conversations;
  assert.ok(conversation);
  conversation.end = () => undefined;
  await handler.close();
  assert.deepEqual([stream.ended, conversation.closed], [true, true]);
});

test('a request whose stream lost its client still counts as being answered until it is', async () => {
  const { handler, fake } = serve({ maxRequests: 1 });
  const opened = await visit(handler, { headers: { authorization: 'a' }, body: initialize });
  await settle();
  const headers = { authorization: 'a', 'Mcp-Session-Id': opened.headers['mcp-session-id'] };
  const ask = (id: number): FakeVisit =>
    begin(handler, { headers, body: JSON.stringify({ jsonrpc: '2.0', id, method: 'slow' }) });
  const first = ask(1);
  await settle();
  const [conversation] = fake.conversations;
  conversation?.link.send({ jsonrpc: '2.0', method: 'notifications/message', params: { data: 'working' } }, 1);
  const second = ask(2);
  await settle();
  assert.equal(second.status, undefined, 'an open stream takes no place of a request');
  second.leave();
  conversation?.release(2);
  await settle();
  first.leave();
  assert.equal((await ask(3).done()).status, 503);
  conversation?.release(1);
  await settle();
  const last = ask(4);
  await settle();
  conversation?.release(4);
  assert.equal((await last.done()).status, 200);
});

test('what a server has no room for is 503 and says when to come back, however it is asked', async () => {
  const { handler } = serve();
  const full = (id: number): string => JSON.stringify({ jsonrpc: '2.0', id, method: 'full', params: {} });
  const refused = async (sent: Sent): Promise<void> => {
    const answer = await visit(handler, sent);
    assert.deepEqual([answer.status, answer.headers['retry-after']], [503, '3']);
    const { error } = answer.json as { error: unknown };
    assert.deepEqual(error, { code: -32603, message: 'no room', data: { retryAfterMs: 2500 } });
  };
  await refused(call({ method: 'full' }));
  await refused(call({ method: 'full', headers: { accept: 'text/event-stream' } }));
  await refused({ body: initialize.replace(/"clientInfo":\{.*?\}/, '"clientInfo":"late"') });
  const opened = await visit(handler, { body: initialize });
  await refused({ headers: { 'Mcp-Session-Id': opened.headers['mcp-session-id'] }, body: full(2) });
});
