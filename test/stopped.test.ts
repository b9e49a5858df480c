/** Requests that are not answered when their process is at the end of its drain. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createBridge } from '../packages/parley/src/bridge.ts';
import { createHttpHandler, type HttpHandler } from '../packages/parley/src/transports/http/server/handler.ts';
import type { HttpOptions } from '../packages/parley/src/transports/http/server/exchanges/options.ts';
import { begin, visit, type FakeVisit, type Sent } from './support/fake-http.ts';
import { createServer, type Server, type ServerOptions } from '../packages/parley/src/server.ts';
import { memoryTransport } from '../packages/parley/src/testing/memory-transport.ts';
import { memoryStore } from '../packages/parley/src/storage/memory/store.ts';
import { initializing } from './support/session-client.ts';
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

function paying(options: ServerOptions = {}): Paying {
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

/** Options of a server that shares its sessions with other processes. */
function together(): ServerOptions {
  return { store: { ...memoryStore(), shared: true }, rounds: { keys: [new Uint8Array(32)] } };
}

/** The answer to a payment whose process is stopped while it is made. */
async function stopped(paid: Promise<void>, handler: HttpHandler, sent: Sent): Promise<FakeVisit> {
  const answer = begin(handler, sent);
  await paid;
  await handler.close({ drainTimeoutMs: 0 });
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
  await handler.close({ drainTimeoutMs: 0 });
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

const settings: HttpOptions = { sessions: false };

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

/** A payment in a session of its own, with what else a test has it say. */
async function inSession(
  handler: HttpHandler,
  version: string,
  say: (params: Record<string, unknown>) => unknown,
): Promise<Sent> {
  const opened = await visit(handler, { body: initializing(version) });
  const headers = { 'Mcp-Session-Id': opened.headers['mcp-session-id'], 'MCP-Protocol-Version': version };
  return { headers, body: JSON.stringify(say({ name: 'pay' })) };
}

const single = (params: unknown): object => ({ jsonrpc: '2.0', id: 3, method: 'tools/call', params });

for (const shared of [false, true]) {
  const where = shared ? 'with a shared store' : 'without a store';

  test(`a call in a session ${where} that ran is told that its outcome is not known`, async () => {
    const { server, paid } = paying(shared ? together() : {});
    const handler = createHttpHandler(server);
    const answer = await stopped(paid, handler, await inSession(handler, '2025-11-25', single));
    assert.deepEqual([answer.status, answer.json], [200, { jsonrpc: '2.0', id: 3, error: unknown }]);
  });

  for (const version of ['2025-03-26', '2025-11-25'])
    test(`a stream of ${version} in a session ${where} ends with that`, async () => {
      const { server, paid } = paying(shared ? together() : {});
      const handler = createHttpHandler(server);
      const aloud = (params: Record<string, unknown>): unknown =>
        single({ ...params, name: 'pay-aloud', _meta: { progressToken: 'p' } });
      const answer = await stopped(paid, handler, await inSession(handler, version, aloud));
      assert.deepEqual(answer.events.slice(1), [{ jsonrpc: '2.0', id: 3, error: unknown }]);
    });
}

for (const shared of [false, true])
  test(`a stream that cannot be resumed, in a session ${shared ? 'with a shared store' : 'without a store'}, ends with that too`, async () => {
    const { server, paid } = paying(shared ? together() : {});
    const handler = createHttpHandler(server, { events: 'none' });
    const aloud = (params: Record<string, unknown>): unknown =>
      single({ ...params, name: 'pay-aloud', _meta: { progressToken: 'p' } });
    const answer = await stopped(paid, handler, await inSession(handler, '2025-11-25', aloud));
    assert.deepEqual(answer.events.slice(1), [{ jsonrpc: '2.0', id: 3, error: unknown }]);
  });

const ping = { jsonrpc: '2.0', id: 2, method: 'ping' };

test('of a batch in a session what was answered keeps its answer, and the rest is told', async () => {
  const { server, paid } = paying();
  const handler = createHttpHandler(server);
  const answer = await stopped(
    paid,
    handler,
    await inSession(handler, '2025-03-26', (params) => [ping, single(params)]),
  );
  assert.deepEqual(answer.json, [
    { jsonrpc: '2.0', id: 2, result: {} },
    { jsonrpc: '2.0', id: 3, error: unknown },
  ]);
});

test('so is a batch whose answer is a stream by then', async () => {
  const { server, paid } = paying();
  const handler = createHttpHandler(server);
  const aloud = (params: Record<string, unknown>): unknown => [
    single({ ...params, name: 'pay-aloud', _meta: { progressToken: 'p' } }),
  ];
  const answer = await stopped(paid, handler, await inSession(handler, '2025-03-26', aloud));
  assert.deepEqual(answer.events.slice(1), [{ jsonrpc: '2.0', id: 3, error: unknown }]);
});

for (const others of [0, 2])
  test(`each of a batch of ${1 + others} whose answer is a stream that other processes know is told once`, async () => {
    const { server, paid } = paying(together());
    const handler = createHttpHandler(server);
    const aloud = (params: Record<string, unknown>): unknown => [
      single({ ...params, name: 'pay-aloud', _meta: { progressToken: 'p' } }),
      ...Array.from({ length: others }, (_, at) => ({ ...single({ ...params, name: 'pay' }), id: 4 + at })),
    ];
    const answer = await stopped(paid, handler, await inSession(handler, '2025-03-26', aloud));
    const told = answer.events.filter((event) => 'id' in Object(event));
    assert.deepEqual(
      told.map((event) => Object(event)['id'] as unknown).toSorted((one, other) => Number(one) - Number(other)),
      [3, 4, 5].slice(0, 1 + others),
    );
    for (const event of told) assert.deepEqual(Object(event)['error'], unknown);
  });

for (const shared of [false, true])
  test(`what a batch was answered before it was a stream is not lost ${shared ? 'with a shared store' : 'without a store'}`, async () => {
    const { server, paid } = paying(shared ? together() : {});
    const handler = createHttpHandler(server);
    const aloud = (params: Record<string, unknown>): unknown => [
      ping,
      single({ ...params, name: 'pay-aloud', _meta: { progressToken: 'p' } }),
    ];
    const answer = await stopped(paid, handler, await inSession(handler, '2025-03-26', aloud));
    const told = answer.events.filter((event) => 'id' in Object(event));
    assert.deepEqual(
      told.toSorted((one, other) => Number(Object(one)['id']) - Number(Object(other)['id'])),
      [
        { jsonrpc: '2.0', id: 2, result: {} },
        { jsonrpc: '2.0', id: 3, error: unknown },
      ],
    );
  });

test('what had not begun to run of a batch in a session may be sent again', async () => {
  let isSlow = false;
  let take = (): void => undefined;
  const memory = memoryStore();
  const taken = new Promise<{ readonly ok: true }>((resolve) => (take = () => resolve({ ok: true })));
  const limits = {
    take: (...given: Parameters<typeof memory.limits.take>) => (isSlow ? taken : memory.limits.take(...given)),
  };
  const { server } = paying({ store: { ...memory, limits }, rateLimits: { requests: { perSecond: 100 } } });
  const handler = createHttpHandler(server);
  const sent = await inSession(handler, '2025-03-26', (params) => [single(params)]);
  isSlow = true;
  const answer = begin(handler, sent);
  await new Promise((resolve) => setImmediate(resolve));
  await handler.close({ drainTimeoutMs: 0 });
  take();
  await answer.done();
  const [told] = answer.json as readonly { readonly id: number; readonly error: { readonly message: string } }[];
  assert.deepEqual([told?.id, told?.error.message], [3, 'the server is shutting down']);
});

test('a call over HTTP+SSE that ran is told on its stream', async () => {
  const { server, paid } = paying();
  const handler = createHttpHandler(server, { ssePair: { sse: '/sse', messages: '/messages' } });
  const stream = begin(handler, { path: '/sse' });
  await stream.until((so) => so.frames.length > 0);
  const path = stream.frames[0]?.data ?? '';
  await visit(handler, { path, body: initializing('2024-11-05') });
  await visit(handler, { path, body: JSON.stringify(single({ name: 'pay' })) });
  await paid;
  await handler.close({ drainTimeoutMs: 0 });
  assert.deepEqual(JSON.parse(stream.frames.at(-1)?.data ?? ''), { jsonrpc: '2.0', id: 3, error: unknown });
});

test('a call that ran is not told to come again where its id came a second time, of which it is still being found out whether it may', async () => {
  let isSlow = false;
  const memory = memoryStore();
  const take: typeof memory.limits.take = (...given) =>
    isSlow ? new Promise(() => undefined) : memory.limits.take(...given);
  const store = { ...memory, limits: { take } };
  const { server, paid } = paying({ store, rateLimits: { requests: { perSecond: 100 } } });
  const handler = createHttpHandler(server);
  const sent = await inSession(handler, '2025-11-25', single);
  const first = begin(handler, sent);
  await paid;
  isSlow = true;
  begin(handler, sent);
  await new Promise((resolve) => setImmediate(resolve));
  await handler.close({ drainTimeoutMs: 0 });
  const answer = await first.done();
  assert.deepEqual([answer.status, answer.json], [200, { jsonrpc: '2.0', id: 3, error: unknown }]);
});

test('what leaves nothing behind is told to come again, though it ran', async () => {
  const { server } = paying();
  let read = (): void => undefined;
  const reading = new Promise<void>((resolve) => (read = resolve));
  server.resource('memo:slow', { name: 'slow' }, async () => {
    read();
    return await new Promise<string>(() => undefined);
  });
  const handler = createHttpHandler(server);
  const answer = await stopped(reading, handler, call({ method: 'resources/read', params: { uri: 'memo:slow' } }));
  assert.equal(answer.status, 503);
  assert.match(answer.headers['retry-after'] ?? '', /^[1-5]$/);
});

for (const shared of [false, true])
  test(`so is it on a stream in a session ${shared ? 'with a shared store' : 'without a store'}`, async () => {
    const { server } = paying(shared ? together() : {});
    let read = (): void => undefined;
    const reading = new Promise<void>((resolve) => (read = resolve));
    server.resource('memo:slow', { name: 'slow' }, async (_, ctx) => {
      ctx.progress(1);
      read();
      return await new Promise<string>(() => undefined);
    });
    const handler = createHttpHandler(server);
    const params = { uri: 'memo:slow', _meta: { progressToken: 'p' } };
    const reads = (): unknown => ({ jsonrpc: '2.0', id: 3, method: 'resources/read', params });
    const answer = await stopped(reading, handler, await inSession(handler, '2025-11-25', reads));
    const told = Object(answer.events.at(-1)) as { id?: unknown; error?: { message?: string } };
    assert.deepEqual([told.id, told.error?.message], [3, 'the server is shutting down']);
  });

test('what comes after the end has the answer of new work', async () => {
  const { server } = paying();
  const handler = createHttpHandler(server);
  await handler.close({ drainTimeoutMs: 0 });
  const late = await visit(handler, pay);
  assert.deepEqual([late.status, newest === late.request.header('mcp-protocol-version')], [503, true]);
});
