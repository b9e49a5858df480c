/** Requests that are not answered when their process is at the end of its drain. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createBridge } from '../src/bridge.ts';
import { createHttpHandler, type HttpHandler } from '../src/http/server/handler.ts';
import type { HttpOptions } from '../src/http/server/options.ts';
import { begin, visit, type FakeVisit, type Sent } from '../src/http/fake-http.test.ts';
import { createServer, type Server } from '../src/server.ts';
import { memoryTransport } from '../src/testing/memory-transport.ts';
import { memoryStore } from '../src/store/memory/store.ts';
import { call, newest } from './support/stateless-call.ts';

const unknown = {
  code: -32603,
  message: 'the process that ran the request was stopped; its outcome is not known',
};

interface Paying {
  readonly server: Server;
  /** Resolves when a payment was made, whose answer never comes. */
  readonly paid: Promise<void>;
}

function paying(options: Parameters<typeof createServer>[1] = {}): Paying {
  const server = createServer({ name: 's', version: '1' }, options);
  let made = (): void => undefined;
  const paid = new Promise<void>((resolve) => (made = resolve));
  const pay = async (): Promise<string> => {
    made();
    return await new Promise<string>(() => undefined);
  };
  server.tool('pay', {}, pay);
  server.tool('pay-aloud', {}, async (_, ctx) => {
    ctx.progress(1);
    return await pay();
  });
  return { server, paid };
}

/** The answer to a payment whose process is stopped while it is made. */
async function stopped(paid: Promise<void>, handler: HttpHandler, sent: Sent): Promise<FakeVisit> {
  const answer = begin(handler, sent);
  await paid;
  await handler.close({ drainMs: 0 });
  return await answer.done();
}

const pay = call({ method: 'tools/call', params: { name: 'pay' } });

test('a call that ran when its process was stopped is never told what invites to send it again', async () => {
  const { server, paid } = paying();
  const answer = await stopped(paid, createHttpHandler(server), pay);
  assert.deepEqual([answer.status, answer.json], [200, { jsonrpc: '2.0', id: 7, error: unknown }]);
  assert.equal(answer.headers['retry-after'], undefined);
});

test('a call that ran has the same on its stream', async () => {
  const { server, paid } = paying();
  const withProgress = JSON.parse(String(pay.body)) as { params: { name: string; _meta: Record<string, unknown> } };
  withProgress.params.name = 'pay-aloud';
  withProgress.params._meta['progressToken'] = 'p';
  const headers = { ...pay.headers, 'Mcp-Name': 'pay-aloud' };
  const answer = await stopped(paid, createHttpHandler(server), { headers, body: JSON.stringify(withProgress) });
  assert.deepEqual(answer.events.at(-1), { jsonrpc: '2.0', id: 7, error: unknown });
  assert.equal(answer.events.length, 2);
});

test('a call that ran at the server behind a bridge is told the same', async () => {
  const { server, paid } = paying();
  const bridge = await createBridge({ upstream: memoryTransport(server) });
  const answer = await stopped(paid, createHttpHandler(bridge), pay);
  assert.deepEqual([answer.status, answer.json], [200, { jsonrpc: '2.0', id: 7, error: unknown }]);
  await bridge.close();
});

test('a call that had not begun to run may be sent again', async () => {
  const limits = { take: () => new Promise<never>(() => undefined) };
  const { server } = paying({
    store: { ...memoryStore(), limits },
    rateLimits: { requests: { perSecond: 1, burst: 1 } },
  });
  const handler = createHttpHandler(server);
  const answer = begin(handler, pay);
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
  await handler.close({ drainMs: 0 });
  await answer.done();
  assert.equal(answer.status, 503);
  assert.match(String(answer.headers['retry-after']), /^[1-5]$/);
});

test('a call that ran is told the same where the server is closed before what serves it', async () => {
  const { server, paid } = paying();
  const answer = begin(createHttpHandler(server), pay);
  await paid;
  await server.close();
  assert.deepEqual((await answer.done()).json, { jsonrpc: '2.0', id: 7, error: unknown });
});

const settings: HttpOptions = { sessions: 'none' };

test('a call without a session that ran is told that its outcome is not known', async () => {
  const { server, paid } = paying();
  const body = { jsonrpc: '2.0', id: 3, method: 'tools/call', params: { name: 'pay' } };
  const headers = { 'MCP-Protocol-Version': '2025-11-25' };
  const answer = await stopped(paid, createHttpHandler(server, settings), { headers, body: JSON.stringify(body) });
  assert.deepEqual([answer.status, answer.json], [200, { jsonrpc: '2.0', id: 3, error: unknown }]);
});

test('of a batch without a session what was answered keeps its answer, and the rest is told', async () => {
  const { server, paid } = paying();
  const body = [
    { jsonrpc: '2.0', id: 3, method: 'ping' },
    { jsonrpc: '2.0', id: 4, method: 'tools/call', params: { name: 'pay' } },
  ];
  const headers = { 'MCP-Protocol-Version': '2025-03-26' };
  const answer = await stopped(paid, createHttpHandler(server, settings), { headers, body: JSON.stringify(body) });
  assert.deepEqual(answer.json, [
    { jsonrpc: '2.0', id: 3, result: {} },
    { jsonrpc: '2.0', id: 4, error: unknown },
  ]);
});

test('what comes after the end has the answer of new work', async () => {
  const { server } = paying();
  const handler = createHttpHandler(server);
  await handler.close({ drainMs: 0 });
  const late = await visit(handler, pay);
  assert.deepEqual([late.status, newest === late.request.header('mcp-protocol-version')], [503, true]);
});
