import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import type { ExchangedToken } from '../../src/host/endpoint.ts';
import { memoryStore } from '../../src/store/memory/store.ts';
import type { Store } from '../../src/store/store.ts';
import { define, World } from './definition.ts';
import { startService, url, type Service, type ServiceOptions } from './service.ts';
import { Visit } from './speaker.ts';

const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2024-11-05', capabilities: {}, clientInfo: { name: 'c', version: '1' } },
};

interface Scene {
  readonly service: Service;
  readonly stream: Visit;
  /** The path that the client was told. */
  readonly path: string;
  post(at: number, path: string, body: unknown, authorization?: string): Promise<number>;
}

/** A stream that a client has opened at the first of three processes. */
async function scene(t: TestContext, options: ServiceOptions = {}): Promise<Scene> {
  const service = startService(t, define(new World()), {
    nodes: 3,
    ...options,
    http: {
      ssePair: { sse: '/sse', messages: '/messages' },
      authenticate: (request) => ({ principal: request.header('authorization') ?? 'nobody' }),
    },
  });
  const headers = { authorization: 'ada', 'content-type': 'application/json' };
  const accept = { authorization: 'ada', accept: 'text/event-stream' };
  const stream = new Visit((signal) => service.to(0)(new URL('/sse', url), { headers: accept, signal }));
  await stream.until(({ endpoint }) => endpoint !== undefined);
  const post = async (at: number, to: string, body: unknown, authorization = 'ada'): Promise<number> => {
    const answer = await service.to(at)(new URL(to, url), {
      method: 'POST',
      headers: { ...headers, authorization },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
    await answer.text();
    return answer.status;
  };
  return { service, stream, path: stream.endpoint ?? '', post };
}

test('what is POSTed at another process than that of the stream is answered on the stream', async (t) => {
  const { stream, path, post, service } = await scene(t);
  assert.equal(await post(1, path, initialize), 202);
  await stream.until(({ messages }) => messages.length === 1);
  assert.equal(await post(2, path, { jsonrpc: '2.0', method: 'notifications/initialized' }), 202);
  assert.equal(await post(1, path, { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'where' } }), 202);
  await stream.until(({ messages }) => messages.length === 2);
  assert.match(JSON.stringify(stream.messages[1]), /node 0/);
  assert.equal(await post(2, path, '{'), 400);
  assert.deepEqual(service.errors, []);
});

test('somebody else’s stream is at every process as one that nobody has', async (t) => {
  const { stream, path, post } = await scene(t);
  const [, process] = /-([0-9a-f]{18})$/.exec(path) ?? [];
  const madeUp = [`${'a'.repeat(48)}-${process}`, `${'a'.repeat(48)}-${'b'.repeat(18)}`, 'x', ''];
  for (const at of [0, 1, 2]) {
    assert.equal(await post(at, path, initialize, 'eve'), 404);
    for (const id of madeUp) assert.equal(await post(at, `/messages?sessionId=${id}`, initialize), 404);
  }
  assert.deepEqual(stream.messages, []);
});

test('a token that comes to another process gets nothing of one that says something else', async (t) => {
  const service = startService(
    t,
    (server) => {
      server.tool('mine', {}, async (_, { auth }) => {
        const got = await auth?.exchange?.({ audience: 'https://api.example' });
        return `${auth?.scopes?.[0]} gets ${got?.token}`;
      });
    },
    {
      http: {
        ssePair: { sse: '/sse', messages: '/messages' },
        authenticate: (request) => {
          const [scope = '', token = ''] = (request.header('authorization') ?? '').split('.');
          const exchange = async (): Promise<ExchangedToken> => ({
            token: `${scope}.${token}`,
            type: 'Bearer',
            scopes: [],
            expiresAt: undefined,
          });
          return { principal: 'ada', scopes: [scope], claims: { jti: token }, exchange };
        },
      },
    },
  );
  const accept = { authorization: 'wide.1', accept: 'text/event-stream' };
  const stream = new Visit((signal) => service.to(0)(new URL('/sse', url), { headers: accept, signal }));
  await stream.until(({ endpoint }) => endpoint !== undefined);
  const said = async (at: number, body: object, authorization: string): Promise<unknown> => {
    const before = stream.messages.length;
    const headers = { authorization, 'content-type': 'application/json' };
    const to = new URL(stream.endpoint ?? '', url);
    await service.to(at)(to, { method: 'POST', headers, body: JSON.stringify({ jsonrpc: '2.0', id: 9, ...body }) });
    await stream.until(({ messages }) => messages.length > before);
    return (stream.messages.at(-1) as { result: { content?: { text: string }[] } }).result.content?.[0]?.text;
  };
  const call = { method: 'tools/call', params: { name: 'mine' } };
  await said(0, initialize, 'wide.1');
  assert.equal(await said(1, call, 'wide.2'), 'wide gets wide.1');
  assert.equal(await said(1, call, 'narrow.3'), 'narrow gets undefined');
  assert.equal(await said(0, call, 'narrow.4'), 'narrow gets narrow.4');
  assert.equal(await said(1, call, 'narrow.5'), 'narrow gets narrow.4');
  assert.equal(await said(1, call, 'wide.6'), 'wide gets undefined');
  stream.leave();
});

test('a stream whose process is gone is no stream, and while the bus is away nobody says so', async (t) => {
  const { path, post, service } = await scene(t);
  service.nodes[1]?.away(true);
  assert.equal(await post(1, path, initialize), 503);
  service.nodes[1]?.away(false);
  service.nodes[0]?.crash();
  assert.equal(await post(1, path, initialize), 404);
});

test('a stream whose process is silent is not said to be gone, since it may live', async (t) => {
  const shared: Store = { ...memoryStore(), shared: true };
  let [isSilent, lost] = [false, 0];
  let tell = (): void => undefined;
  const isLost = new Promise<void>((resolve) => (tell = resolve));
  const publish: Store['bus']['publish'] = (channel, text) => {
    const { kind } = JSON.parse(text.slice(1)) as { readonly kind: string };
    if (!isSilent || kind !== 'post') return shared.bus.publish(channel, text);
    tell();
    return ++lost;
  };
  const storeOf = (): Store => ({ ...shared, bus: { ...shared.bus, publish } });
  const { stream, path, post } = await scene(t, { storeOf, isRemote: false });
  assert.equal(await post(1, path, initialize), 202);
  await stream.until(({ messages }) => messages.length === 1);
  t.mock.timers.enable({ apis: ['setTimeout'] });
  isSilent = true;
  const late = post(1, path, { jsonrpc: '2.0', method: 'notifications/initialized' });
  await isLost;
  t.mock.timers.tick(5_000);
  const status = await late;
  // What ends after the test takes its real time.
  t.mock.timers.reset();
  assert.equal(status, 503);
  isSilent = false;
  assert.equal(await post(1, path, { jsonrpc: '2.0', id: 2, method: 'ping' }), 202);
  await stream.until(({ messages }) => messages.length === 2);
});
