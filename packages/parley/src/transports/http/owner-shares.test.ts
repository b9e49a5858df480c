/** Limits that each owner shares with others: its principal, or its network address. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fakeEndpoint } from '../../../../../test/support/fake-endpoint.ts';
import { begin, settle, visit, type FakeVisit, type Sent } from '../../../../../test/support/fake-http.ts';
import { createHttpHandler, type HttpHandler } from './server/handler.ts';
import type { HttpOptions } from './server/exchanges/options.ts';
import { initializing } from '../../../../../test/support/session-client.ts';

const ssePair = { sse: '/sse', messages: '/messages' };
const greedy = { remoteAddress: '192.0.2.9' };
const modest = { remoteAddress: '192.0.2.1' };

const initialize = initializing('2025-11-25');
const listen = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'subscriptions/listen',
  params: { _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' } },
});

function serve(options: HttpOptions = {}): HttpHandler {
  return createHttpHandler(fakeEndpoint(), { path: '/mcp', ssePair, ...options });
}

async function sent(handler: HttpHandler, what: Sent): Promise<FakeVisit> {
  const answer = begin(handler, what);
  await settle();
  return answer;
}

/** Opens a session, and a stream of it. */
async function openSession(handler: HttpHandler, from: Sent): Promise<FakeVisit> {
  const opened = await visit(handler, { ...from, body: initialize });
  if (opened.status !== 200) return opened;
  return await sent(handler, { ...from, headers: { 'Mcp-Session-Id': opened.headers['mcp-session-id'] } });
}

const openings: Readonly<Record<string, (handler: HttpHandler, from: Sent) => Promise<FakeVisit>>> = {
  sessions: openSession,
  'HTTP+SSE streams': (handler, from) => sent(handler, { ...from, path: '/sse' }),
  subscriptions: (handler, from) =>
    sent(handler, {
      ...from,
      headers: { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'subscriptions/listen' },
      body: listen,
    }),
};

describe('one address takes half, and others find places', () => {
  for (const [what, open] of Object.entries(openings))
    test(what, async () => {
      const handler = serve({ maxSessions: 8, maxStreams: 8 });
      const statuses: (number | undefined)[] = [];
      let last: FakeVisit | undefined;
      for (let at = 0; at < 6; at++) statuses.push((last = await open(handler, greedy)).status);
      assert.deepEqual(statuses, [200, 200, 200, 200, 429, 429]);
      assert.match(last?.body ?? '', /too many (sessions|event streams) are open for one address/);
      assert.equal(last?.headers['retry-after'], '10');
      for (const status of [200, 200, 429]) assert.equal((await open(handler, modest)).status, status);
      const others = ['192.0.2.2', '192.0.2.3', '192.0.2.4'];
      const more = await Promise.all(others.map((remoteAddress) => open(handler, { remoteAddress })));
      assert.deepEqual(
        more.map(({ status }) => status).toSorted((one = 0, other = 0) => one - other),
        [200, 200, 503],
      );
    });
});

test('addresses of IPv6 with one first half have one share', async () => {
  const handler = serve({ maxSessions: 2 });
  assert.equal((await openSession(handler, { remoteAddress: '2001:db8::1' })).status, 200);
  assert.equal((await openSession(handler, { remoteAddress: '2001:db8::2' })).status, 429);
  assert.equal((await openSession(handler, { remoteAddress: '2001:db8:1::1' })).status, 200);
});

test('principals behind one address have shares of their own', async () => {
  const authenticate: HttpOptions['authenticate'] = (request) => ({ principal: request.header('x-who') ?? '' });
  const handler = serve({ authenticate, maxSessions: 4, maxRequests: 4 });
  const open = async (who: string): Promise<number | undefined> =>
    (await visit(handler, { ...greedy, headers: { 'x-who': who }, body: initialize })).status;
  for (const who of ['ann', 'bob', 'cid', 'dan']) assert.equal(await open(who), 200, who);
});

test('an owner with its share of idle sessions loses the one that is idle longest', async () => {
  const handler = serve({ maxSessions: 4 });
  const ids: (string | undefined)[] = [];
  for (let at = 0; at < 3; at++)
    ids.push((await visit(handler, { ...greedy, body: initialize })).headers['mcp-session-id']);
  const body = JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'ping' });
  const statuses: (number | undefined)[] = [];
  for (const id of ids)
    statuses.push((await visit(handler, { ...greedy, headers: { 'Mcp-Session-Id': id }, body })).status);
  assert.deepEqual(statuses, [404, 200, 200]);
});

describe('requests in flight', () => {
  const ping = JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'ping' });

  test('of one address that wait for their authentication take half', async () => {
    const handler = serve({ authenticate: () => new Promise(() => undefined), maxRequests: 4 });
    const waiting = [await sent(handler, greedy), await sent(handler, greedy)];
    const refused = await sent(handler, { ...greedy, body: ping });
    assert.equal(refused.status, 429);
    assert.match(refused.body ?? '', /too many requests are being answered for one address/);
    assert.deepEqual(
      [...waiting, await sent(handler, modest)].map(({ status }) => status),
      [undefined, undefined, undefined],
    );
  });

  test('of one principal take half, from however many addresses', async () => {
    const released: (() => void)[] = [];
    const authenticate: HttpOptions['authenticate'] = async (request) => {
      if (request.header('x-who') === 'slow') await new Promise<void>((resolve) => released.push(resolve));
      return { principal: request.header('x-who') ?? '' };
    };
    const handler = serve({ authenticate, maxRequests: 4 });
    const slow = (remoteAddress: string): Promise<FakeVisit> =>
      sent(handler, { remoteAddress, headers: { 'x-who': 'slow' }, body: ping });
    for (const address of ['192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.4']) await slow(address);
    assert.equal((await sent(handler, { ...greedy, body: ping })).status, 503, 'all places are taken');
    for (const release of released) release();
    await settle();
    assert.notEqual((await sent(handler, { ...greedy, headers: { 'x-who': 'quick' }, body: ping })).status, 503);
  });

  test('that go on with a session have places again, of which one address takes half', async () => {
    const handler = serve({ authenticate: () => new Promise(() => undefined), maxRequests: 2 });
    const going = { ...greedy, headers: { 'Mcp-Session-Id': 'x'.repeat(48) }, body: ping };
    const statuses = [];
    for (let at = 0; at < 3; at++) statuses.push((await sent(handler, going)).status);
    assert.deepEqual(statuses, [undefined, undefined, 429]);
    assert.equal((await sent(handler, { ...modest, body: ping })).status, undefined);
  });
});
