import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createConnect } from '../../packages/parley/src/client/connect.ts';
import type { Client } from '../../packages/parley/src/client/api/client.ts';
import type { Middleware, MiddlewareContext } from '../../packages/parley/src/connection/middleware/middleware.ts';
import { revisions } from '../../packages/parley/src/protocol/revision.ts';
import { createServer, type Server } from '../../packages/parley/src/server/server.ts';
import { connectInMemory } from '../../packages/parley/src/testing/pair.ts';
import { createBridge } from '../../packages/parley/src/bridge.ts';
import { memoryTransport } from '../../packages/parley/src/testing/memory-transport.ts';
import { ways } from '../support/ways.ts';
import { pairs, serverAt, shakesHands } from '../support/bridged.ts';
import { connected, handshake } from '../support/connected-client.ts';

function served(server: Server = createServer({ name: 's', version: '1' })): Server {
  server.tool('ask', {}, async (_, ctx) => {
    const roots = await ctx.roots();
    return String(roots.length);
  });
  server.tool('echo', { input: { type: 'object' } }, (args, ctx) =>
    JSON.stringify([args, ctx.meta['com.example/a'] ?? null]),
  );
  server.tool('steps', {}, (_, ctx) => {
    ctx.progress(1);
    return 'done';
  });
  return server;
}

const shown = ({ side, direction, kind, method }: MiddlewareContext): string =>
  `${side} ${direction} ${kind} ${method}`;

const all =
  (seen: string[]): Middleware =>
  (passing, next) => {
    seen.push(shown(passing));
    return next();
  };

for (const { date } of revisions) {
  for (const { name, reach } of ways) {
    test(`a request passes once at ${date} over ${name}, however many rounds it takes`, async (t) => {
      const client = await createConnect({ http: () => assert.fail() })(reach(served()), {
        revisions: [date],
        roots: [],
      });
      t.after(() => client.close());
      const seen: string[] = [];
      client.use(all(seen));
      await client.callTool('ask');
      assert.equal(seen.filter((one) => one === 'client sent request tools/call').length, 1);
      const asks = shakesHands(date);
      assert.equal(seen.filter((one) => one === 'client received request roots/list').length, asks ? 1 : 0);
    });
  }
}

async function clientOf(options: Parameters<typeof connectInMemory>[1] = {}): Promise<Client> {
  return await connectInMemory(served(), { roots: [], ...options });
}

test('params and _meta of a request are changed', async () => {
  const client = await clientOf();
  client.use('tools/call', ({ params, meta }, next) => {
    assert.equal(meta['com.example/a'], 1);
    return next({ ...params, arguments: { own: true }, _meta: { ...meta, 'com.example/a': 2 } });
  });
  const result = await client.callTool('echo', { given: true }, { meta: { 'com.example/a': 1 } });
  assert.deepEqual(result.content, [{ type: 'text', text: '[{"own":true},2]' }]);
  await client.close();
});

test('a request that middleware spoiled is not sent, and says so', async () => {
  const client = await clientOf();
  client.use('tools/call', (_passing, next) => next({ name: 7 }));
  await assert.rejects(client.callTool('echo'), { name: 'TypeError', message: /changed the params of tools\/call/ });
  client.use('prompts/list', () => undefined as never);
  await assert.rejects(client.request('prompts/list'), { name: 'TypeError', message: /returned no result/ });
  await client.close();
});

test('a result that middleware made is read like one of the server', async () => {
  const client = await clientOf();
  client.use('tools/call', () => ({ content: 'garbage' }));
  await assert.rejects(client.callTool('echo'));
  await client.close();
});

test('the answer to a request of the server is changed, or stays as it is', async () => {
  for (const date of ['2025-06-18', '2025-11-25'] as const) {
    const client = await clientOf({ revision: date, roots: [{ uri: 'file:///a' }] });
    const asked = async (): Promise<unknown> => (await client.callTool('ask')).content;
    const says = (text: string): unknown => [{ type: 'text', text }];
    let extra: readonly object[] = [];
    client.use('roots/list', async (_passing, next) => {
      const result = await next();
      return extra.length === 0 ? result : { ...result, roots: [...(result['roots'] as object[]), ...extra] };
    });
    assert.deepEqual(await asked(), says('1'));
    extra = [{ uri: 'file:///b' }, { uri: 'file:///c' }];
    assert.deepEqual(await asked(), says('3'));
    await client.close();
  }
});

test('what the cache has passes nothing', async () => {
  const server = createServer({ name: 's', version: '1' }, { cache: { ttlMs: 60_000, cacheScope: 'public' } });
  const client = await connectInMemory(served(server));
  const seen: string[] = [];
  client.use(all(seen));
  await client.listTools();
  await client.listTools();
  assert.deepEqual(seen, ['client sent request tools/list']);
  await client.close();
});

test('the id of a request is known once it was sent', async () => {
  const client = await clientOf();
  const ids: unknown[] = [];
  client.use(async (passing, next) => {
    ids.push(passing.requestId);
    const result = await next();
    ids.push(typeof passing.requestId);
    return result;
  });
  await client.ping();
  assert.deepEqual(ids, [undefined, 'number']);
  await client.close();
});

test('notifications pass in both directions, and are changed or kept back', async () => {
  const heard: unknown[] = [];
  const { client, peer, transport } = await connected(undefined, {
    revision: handshake,
    options: { onNotification: (method, params) => void heard.push([method, params]) },
  });
  client.use(async ({ method, params, kind }, next) => {
    if (kind !== 'notification') return await next();
    await Promise.resolve();
    return method === 'com.example/kept' ? {} : await next({ ...params, seen: true });
  });
  peer.send({ jsonrpc: '2.0', method: 'com.example/kept' });
  peer.send({ jsonrpc: '2.0', method: 'com.example/told', params: { a: 1 } });
  await client.notify('com.example/kept', {});
  await client.notify('com.example/told', { b: 1 });
  assert.deepEqual(heard, [['com.example/told', { a: 1, seen: true }]]);
  const sent = transport.sent
    .map(({ message }) => message)
    .filter(({ method }) => String(method).startsWith('com.example/'));
  assert.deepEqual(
    sent.map(({ params }) => params),
    [{ b: 1, seen: true }],
  );
  await client.close();
});

test('the session of a handshake connection ends with it', async () => {
  const client = await clientOf({ revision: handshake });
  let ended = 0;
  let session: MiddlewareContext['session'];
  client.use((passing, next) => {
    ({ session } = passing);
    session?.onEnd(() => ended++);
    return next();
  });
  await client.ping();
  assert.equal(ended, 0);
  await client.close();
  assert.equal(ended, 1);
  // Who listens later hears it at once.
  session?.onEnd(() => ended++);
  assert.equal(ended, 2);
});

for (const { down, up } of pairs) {
  test(`what a bridge carries from ${up} to ${down} passes towards both sides`, async (t) => {
    const bridge = await createBridge({ upstream: memoryTransport(served(serverAt(up))), onWarning: () => undefined });
    t.after(() => bridge.close());
    const seen: string[] = [];
    bridge.use(all(seen));
    const client = await connectInMemory(bridge, { revision: down, roots: [] });
    t.after(() => client.close());
    await client.callTool('steps', {}, { onProgress: () => undefined });
    const wanted = [
      'server received request tools/call',
      'client sent request tools/call',
      'client received notification notifications/progress',
      'server sent notification notifications/progress',
    ];
    assert.deepEqual(
      seen.filter((one) => wanted.includes(one)),
      wanted,
    );
  });
}
