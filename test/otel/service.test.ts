import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { metrics } from '@opentelemetry/api';
import { connect } from '../../packages/parley/src/client.ts';
import { createHandler } from '../../packages/parley/src/transports/http/server/fetch.ts';
import { httpTransport } from '../../packages/parley/src/transports/http/client/transport.ts';
import { otel } from '../../packages/parley/src/otel.ts';
import type { MiddlewareContext } from '../../packages/parley/src/connection/middleware/middleware.ts';
import { createServer, type Server } from '../../packages/parley/src/server/server.ts';
import { memoryStore } from '../../packages/parley/src/storage/memory/store.ts';
import { StoreError, type Store } from '../../packages/parley/src/storage/store.ts';
import { connectInMemory } from '../../packages/parley/src/testing/pair.ts';
import { bridgeBefore, clientOf, serverAt } from '../support/bridged.ts';
import { telemetry, type Telemetry } from '../support/telemetry.ts';

const info = { name: 's', version: '1' };
const none = '{}';

/** The values of a metric; those of one series where it has one. */
async function valuesOf(of: Telemetry, name: string): Promise<Readonly<Record<string, number>>> {
  return (await of.own()).get(`parley.${name}`)?.values ?? {};
}

/** A promise, and what settles it. */
function signalled(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((settle) => (resolve = settle));
  return { promise, resolve };
}

async function connectOverHttp(server: Server, revision: '2025-11-25' | '2026-07-28') {
  const handler = createHandler(server, { onWarning: () => undefined });
  const transport = httpTransport('http://127.0.0.1/mcp', {
    fetch: (url, request) => handler(new Request(url, request)),
  });
  return await connect(transport, { revisions: [revision] });
}

test('sessions and running requests go up and down, and a call that is given up runs until it ends', async () => {
  const there = telemetry();
  const server = createServer(info);
  server.use(otel(there.options));
  const [begun, over] = [signalled(), signalled()];
  server.tool('wait', {}, async () => {
    begun.resolve();
    await over.promise;
    return 'x';
  });
  const client = await connectInMemory(server, { revision: '2025-06-18' });
  const ofSession = '{"mcp.protocol.version":"2025-06-18","network.transport":"inproc"}';
  const giving = new AbortController();
  const call = client.callTool('wait', {}, { signal: giving.signal });
  await begun.promise;
  assert.deepEqual(await valuesOf(there, 'sessions'), { [ofSession]: 1 });
  assert.deepEqual(await valuesOf(there, 'running'), { [none]: 1 });
  giving.abort();
  await assert.rejects(call);
  assert.deepEqual(await valuesOf(there, 'running'), { [none]: 1 });
  over.resolve();
  await setImmediate();
  await client.close();
  assert.deepEqual(await valuesOf(there, 'sessions'), { [ofSession]: 0 });
  assert.deepEqual(await valuesOf(there, 'running'), { [none]: 0 });
});

test('a provider that is registered late is told what is open by then', async (t) => {
  const there = telemetry();
  t.after(() => metrics.disable());
  const server = createServer(info);
  server.use(otel());
  const client = await connectInMemory(server, { revision: '2025-06-18' });
  await client.ping();
  if (there.options.meterProvider !== undefined) metrics.setGlobalMeterProvider(there.options.meterProvider);
  await client.ping();
  assert.deepEqual(Object.values(await valuesOf(there, 'sessions')), [1]);
  await client.close();
  assert.deepEqual(Object.values(await valuesOf(there, 'sessions')), [0]);
  assert.deepEqual(Object.values(await valuesOf(there, 'running')), [0]);
});

test('streams, events that are sent again and requests that are refused are counted over HTTP', async () => {
  const there = telemetry();
  const server = createServer(info);
  server.use(otel(there.options));
  server.tool('breaks', {}, (_, ctx) => {
    ctx.closeStream(0);
    return 'done';
  });
  const client = await connectOverHttp(server, '2025-11-25');
  await client.callTool('breaks');
  assert.deepEqual(await valuesOf(there, 'events.replayed'), { [none]: 1 });
  await client.close();
  await server.close();
  await setImmediate();
  assert.deepEqual(await valuesOf(there, 'streams'), { [none]: 0 });
  const handler = createHandler(server, { onWarning: () => undefined });
  await handler(new Request('http://evil.example/mcp', { method: 'POST', body: '{}' }));
  assert.deepEqual(await valuesOf(there, 'refused'), { '{"reason":"forbidden"}': 1 });
});

test('a stream whose reader is too slow is counted as cut', async () => {
  const there = telemetry();
  const server = createServer(info);
  server.use(otel(there.options));
  server.resource('file:///much', { name: 'much' }, () => 'x');
  const handler = createHandler(server, { maxStreamBufferBytes: 4096, onError: () => undefined });
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const method = 'subscriptions/listen';
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'c', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const params = { notifications: { resourceSubscriptions: ['file:///much'] }, _meta: meta };
  const answer = await handler(
    new Request('http://127.0.0.1/mcp', {
      method: 'POST',
      headers: { ...headers, 'mcp-protocol-version': '2026-07-28', 'mcp-method': method },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    }),
  );
  assert.equal(answer.status, 200);
  for (let at = 0; at < 64; at++) {
    server.resourceUpdated('file:///much');
    await setImmediate();
  }
  assert.deepEqual(await valuesOf(there, 'streams.cut'), { '{"reason":"slow"}': 1 });
  assert.deepEqual(await valuesOf(there, 'streams'), { [none]: 0 });
  await server.close();
});

test('a store is measured by what it is asked, its failures by their reasons, and gaps of its bus are counted', async () => {
  const there = telemetry();
  const inner = memoryStore({ maxRecords: 1 });
  let gap: (() => void) | undefined;
  const store: Store = {
    ...inner,
    bus: {
      publish: (channel, text) => {
        if (channel === 'a') throw new StoreError('unavailable', 'away');
        return inner.bus.publish(channel, text);
      },
      subscribe: async (channel, hear, onGap) => {
        gap = onGap;
        return await inner.bus.subscribe(channel, hear, onGap);
      },
    },
  };
  const server = createServer(info, { store });
  await setImmediate();
  const given = server.endpoint.store;
  assert.ok(given);
  await given.records.add('before', 'anybody listens', 1000);
  server.use(otel(there.options));
  assert.throws(() => given.records.add('another', 'x', 1000));
  assert.throws(() => given.bus.publish('a', 'b'));
  await given.bus.subscribe(
    'a',
    () => undefined,
    () => undefined,
  );
  const writer = await given.events.open('session').write('stream', 'about');
  await writer.append('one');
  await writer.append('two', true);
  await given.limits.take('k', { perSecond: 1, burst: 1 });
  gap?.();
  await setImmediate();
  // What the processes of a server tell each other goes over the bus too.
  const {
    '{"op":"bus.publish"}': published,
    '{"op":"bus.subscribe"}': _,
    ...asked
  } = await valuesOf(there, 'store.duration');
  assert.ok(published);
  assert.deepEqual(asked, {
    '{"op":"records.add"}': 1,
    '{"op":"events.write"}': 1,
    '{"op":"events.append"}': 2,
    '{"op":"limits.take"}': 1,
  });
  assert.deepEqual(await valuesOf(there, 'store.errors'), {
    '{"op":"records.add","error.type":"full"}': 1,
    '{"op":"bus.publish","error.type":"unavailable"}': 1,
  });
  assert.deepEqual(await valuesOf(there, 'bus.gaps'), { [none]: 1 });
  await server.close();
});

test('a change is measured by how many it was told to, at a server and at a bridge', async (t) => {
  const [there, between] = [telemetry(), telemetry()];
  const server = serverAt('2025-11-25');
  server.use(otel(there.options));
  const tool = server.tool('a', {}, () => 'x');
  const bridge = await bridgeBefore(t, server);
  bridge.use(otel(between.options));
  const heard = [signalled(), signalled()];
  for (const { resolve } of heard) {
    const client = await clientOf(t, bridge, '2025-06-18');
    client.use('notifications/tools/list_changed', (_, next) => {
      resolve();
      return next();
    });
  }
  tool.update({ description: 'new' });
  await Promise.all(heard.map(({ promise }) => promise));
  for (const one of [there, between])
    assert.ok((Object.values(await valuesOf(one, 'fanout.size'))[0] ?? 0) >= 1, 'a change was told');
});

test('a call that waits at a bridge for its client to come back is parked until then', async (t) => {
  const between = telemetry();
  const server = serverAt('2025-11-25');
  server.tool('ask', {}, async (_, ctx) => {
    const { action } = await ctx.elicit({ message: 'Go on?', schema: { type: 'object', properties: {} } });
    return action;
  });
  const bridge = await bridgeBefore(t, server);
  bridge.use(otel(between.options));
  const whileAsked: Readonly<Record<string, number>>[] = [];
  const client = await clientOf(t, bridge, '2026-07-28', {
    onElicit: async () => {
      whileAsked.push(await valuesOf(between, 'parked'));
      return { action: 'accept', content: {} };
    },
  });
  await client.callTool('ask');
  assert.deepEqual(whileAsked, [{ [none]: 1 }]);
  assert.deepEqual(await valuesOf(between, 'parked'), { [none]: 0 });
});

test('a hundred thousand made-up names make 50 series at most', async () => {
  const there = telemetry();
  const { tracerProvider: _, ...measured } = there.options;
  const middleware = otel(measured);
  const passing: MiddlewareContext = {
    side: 'server',
    direction: 'received',
    kind: 'request',
    method: '',
    params: {},
    meta: {},
    revision: '2026-07-28',
    requestId: 1,
    session: undefined,
    transport: 'tcp',
    protocol: 'http',
    auth: undefined,
    address: undefined,
    known: false,
    signal: new AbortController().signal,
  };
  const signal = { aborted: false, addEventListener: () => undefined, removeEventListener: () => undefined } as never;
  const methods = ['tools/call', 'prompts/get', 'resources/read'];
  for (let made = 0; made < 100_000; made++) {
    const name = `made-up-${made}`;
    const method = methods[made % 4] ?? `made.up/${made}`;
    middleware({ ...passing, signal, method, params: { name, uri: name } }, () => ({}));
  }
  const [points, own] = [await there.points(), await there.own()];
  const series = points.length + [...own.values()].reduce((all, { values }) => all + Object.keys(values).length, 0);
  assert.ok(series <= 50, `${series} series`);
  assert.doesNotMatch(JSON.stringify([points, [...own]]), /made.up/);
});
