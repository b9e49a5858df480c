import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createBridge } from '../packages/parley/src/bridge.ts';
import { connect } from '../packages/parley/src/client.ts';
import { createHandler, type FetchHandler } from '../packages/parley/src/transports/http/server/fetch.ts';
import { httpTransport } from '../packages/parley/src/transports/http/client/transport.ts';
import type { ServiceEvent } from '../packages/parley/src/server.ts';
import { revisions } from '../packages/parley/src/protocol/revision.ts';
import { createServer } from '../packages/parley/src/server/server.ts';
import { memoryStore } from '../packages/parley/src/storage/memory/store.ts';
import { StoreError, type Store } from '../packages/parley/src/storage/store.ts';
import { memoryTransport } from '../packages/parley/src/testing/memory-transport.ts';
import { connectInMemory } from '../packages/parley/src/testing/pair.ts';
import { listen } from '../packages/parley/src/transports/node/server/http.ts';
import { shakesHands } from './support/bridged.ts';

const info = { name: 's', version: '1' };
const typesOf = (events: readonly ServiceEvent[]): string[] => events.map(({ type }) => type);

for (const { date } of revisions) {
  test(`a session at ${date} is told of when it opens and when it ends, at a server and at a bridge`, async () => {
    const [ofServer, ofBridge]: ServiceEvent[][] = [[], []];
    const server = createServer(info, { onEvent: (event) => void ofServer?.push(event) });
    const bridge = await createBridge({
      upstream: memoryTransport(createServer(info)),
      onEvent: (event) => void ofBridge?.push(event),
    });
    for (const [served, events] of [
      [server, ofServer],
      [bridge, ofBridge],
    ] as const) {
      const client = await connectInMemory(served, { revision: date });
      await client.close();
      const [opened, ended] = events ?? [];
      if (!shakesHands(date)) {
        assert.deepEqual(events, []);
        continue;
      }
      assert.deepEqual(typesOf(events ?? []), ['session-opened', 'session-ended']);
      assert.ok(opened?.type === 'session-opened' && ended?.type === 'session-ended');
      assert.equal(opened.session, ended.session);
      assert.deepEqual([opened.revision, opened.transport], [date, 'inproc']);
      assert.ok(ended.lastedMs >= 0);
    }
    await bridge.close();
  });
}

test('what is refused over HTTP is told of with its reason, and nothing of what was said', async () => {
  const events: ServiceEvent[] = [];
  const server = createServer(info, { onEvent: (event) => void events.push(event) });
  const handler = createHandler(server, { onWarning: () => undefined });
  const url = 'http://127.0.0.1/mcp';
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const post = async (more: RequestInit, at = url): Promise<number> =>
    (await handler(new Request(at, { method: 'POST', headers, body: '{}', ...more }))).status;
  const statuses = [
    await post({}, 'http://evil.example/mcp'),
    await post({ body: '{"secret' }),
    await post({ headers: { ...headers, 'content-type': 'text/plain' } }),
    await post({
      headers: { ...headers, 'mcp-session-id': 'secret' },
      body: '{"jsonrpc":"2.0","id":1,"method":"ping"}',
    }),
  ];
  assert.deepEqual(statuses, [403, 400, 415, 404]);
  assert.deepEqual(
    events,
    (['forbidden', 'malformed', 'unacceptable', 'not-found'] as const).map((reason, at) => ({
      type: 'request-refused',
      reason,
      status: statuses[at],
    })),
  );
});

test('what is asked too often is told of over every transport, once', async (t) => {
  const events: ServiceEvent[] = [];
  const server = createServer(info, {
    onEvent: (event) => void (event.type === 'request-refused' && events.push(event)),
    rateLimits: { requests: { perSecond: 0.001, burst: 2 } },
    capabilities: { tools: {} },
  });
  const client = await connectInMemory(server);
  t.after(() => client.close());
  await client.listTools({ cache: 'refresh' });
  await assert.rejects(client.listTools({ cache: 'refresh' }));
  assert.deepEqual(events, [{ type: 'request-refused', reason: 'too-often', status: undefined }]);
});

test('streams and the end of a server are told of', async () => {
  const events: ServiceEvent[] = [];
  const server = createServer(info, { onEvent: (event) => void events.push(event) });
  server.tool('steps', {}, (_, ctx) => {
    ctx.progress(1, 2);
    return 'done';
  });
  const { url, close } = await listen(server, { port: 0 });
  const client = await connect(url, { revisions: ['2026-07-28'] });
  await client.callTool('steps', {}, { onProgress: () => undefined });
  await client.close();
  await close();
  assert.deepEqual(typesOf(events), ['stream-opened', 'stream-ended', 'drain-begun', 'drain-over']);
  await server.close();
});

test('a stream that a client takes up again is told of', async (t) => {
  const events: ServiceEvent[] = [];
  const server = createServer(info, { onEvent: (event) => void events.push(event) });
  server.tool('breaks', {}, (_, ctx) => {
    ctx.closeStream(0);
    return 'done';
  });
  const handler = createHandler(server);
  const transport = httpTransport('http://127.0.0.1/mcp', {
    fetch: (url, request) => handler(new Request(url, request)),
  });
  const client = await connect(transport, { revisions: ['2025-11-25'] });
  t.after(() => client.close());
  await client.callTool('breaks');
  assert.ok(events.some((event) => event.type === 'stream-resumed' && !event.isMoved));
});

test('a store that is away is told of once, and once that it is back; gaps of its bus too', async () => {
  const events: ServiceEvent[] = [];
  const inner = memoryStore();
  let isAway = false;
  let gap: (() => void) | undefined;
  const store: Store = {
    ...inner,
    shared: false,
    records: inner.records,
    events: inner.events,
    limits: inner.limits,
    bus: {
      publish: (channel, text) => inner.bus.publish(channel, text),
      subscribe: (channel, hear, onGap) => {
        gap = onGap;
        return inner.bus.subscribe(channel, hear, onGap);
      },
    },
    check: () => {
      if (isAway) throw new StoreError('unavailable', 'away');
    },
    close: () => inner.close(),
  };
  const server = createServer(info, { store, onEvent: (event) => void events.push(event) });
  const given = server.endpoint.store;
  assert.ok(given);
  await given.bus.subscribe(
    'a',
    () => undefined,
    () => undefined,
  );
  isAway = true;
  assert.throws(() => given.check());
  assert.throws(() => given.check());
  isAway = false;
  await given.check();
  await given.check();
  gap?.();
  assert.deepEqual(typesOf(events), ['store-lost', 'store-back', 'bus-gap']);
  await server.close();
});

test('a store that is full is told of once until what it refused goes again for a while, whatever is read meanwhile', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let isFull = false;
  const inner = memoryStore();
  const refuse = (): void => {
    if (isFull) throw new StoreError('full', 'no room');
  };
  const records = {
    ...inner.records,
    add: async (...asked: Parameters<Store['records']['add']>) => {
      refuse();
      return await inner.records.add(...asked);
    },
  };
  const events: ServiceEvent[] = [];
  const server = createServer(info, {
    store: { ...inner, records, check: refuse },
    onEvent: (event) => void events.push(event),
  });
  const given = server.endpoint.store;
  assert.ok(given);
  isFull = true;
  for (let time = 0; time < 2; time++) {
    await assert.rejects(async () => await given.records.add('a', 'text', 1000));
    assert.throws(() => given.check());
    await given.records.get('a');
  }
  assert.deepEqual(typesOf(events), ['store-full']);
  isFull = false;
  await given.records.get('a');
  assert.deepEqual(typesOf(events), ['store-full']);
  await given.check();
  await given.records.add('a', 'text', 1000);
  t.mock.timers.tick(4_999);
  assert.deepEqual(typesOf(events), ['store-full']);
  t.mock.timers.tick(1);
  assert.deepEqual(typesOf(events), ['store-full', 'store-roomy']);
  t.mock.timers.reset();
  await server.close();
});

test('a store that refuses some keys and takes others is full until it took all of them for a while', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const inner = memoryStore();
  let fullFor = (key: string): boolean => Number(key) % 2 === 0;
  const records = {
    ...inner.records,
    put: (...asked: Parameters<Store['records']['put']>) => {
      if (fullFor(asked[0])) throw new StoreError('full', 'no room');
      return inner.records.put(...asked);
    },
  };
  const events: ServiceEvent[] = [];
  const server = createServer(info, { store: { ...inner, records }, onEvent: (event) => void events.push(event) });
  const given = server.endpoint.store;
  assert.ok(given);
  const round = async (): Promise<void> => {
    for (let key = 0; key < 4; key++)
      await Promise.resolve()
        .then(() => given.records.put(String(key), 'text', 1000))
        .catch(() => undefined);
  };
  for (let times = 0; times < 5; times++) {
    await round();
    t.mock.timers.tick(4_000);
  }
  assert.deepEqual(typesOf(events), ['store-full']);
  fullFor = () => false;
  await round();
  t.mock.timers.tick(5_000);
  assert.deepEqual(typesOf(events), ['store-full', 'store-roomy']);
  await round();
  t.mock.timers.tick(5_000);
  assert.deepEqual(typesOf(events), ['store-full', 'store-roomy']);
  t.mock.timers.reset();
  await server.close();
});

test('a store that lost what it had kept is told of once by each process', async () => {
  let store: Store = { ...memoryStore(), shared: true };
  const late = <Part extends object>(part: () => Part): Part =>
    new Proxy(part(), { get: (_, name) => Reflect.get(part(), name) as unknown });
  const given: Store = { ...store, records: late(() => store.records) };
  const events: ServiceEvent[] = [];
  const servers = [1, 2].map(() =>
    createServer(info, {
      store: given,
      rounds: { keys: [new Uint8Array(32)] },
      onEvent: (event) => void events.push(event),
    }),
  );
  const look = async (): Promise<void> => {
    for (const { endpoint } of servers) await endpoint.store?.check();
    await new Promise((resolve) => setImmediate(resolve));
  };
  await look();
  await look();
  assert.deepEqual(typesOf(events), []);
  store = { ...memoryStore(), shared: true };
  await look();
  await look();
  assert.deepEqual(typesOf(events), ['store-emptied', 'store-emptied']);
  for (const server of servers) await server.close();
});

test('a listener that throws, or rejects, changes nothing', async () => {
  for (const onEvent of [
    () => assert.fail('no disk'),
    (async () => {
      throw new Error('no disk');
    }) as unknown as () => void,
  ]) {
    const server = createServer(info, { onEvent });
    server.tool('echo', {}, () => 'x');
    const client = await connectInMemory(server, { revision: '2025-11-25' });
    assert.equal((await client.callTool('echo')).isError ?? false, false);
    await client.close();
  }
});

test('what serves over HTTP tells the listeners of the server, where it has none of its own', async () => {
  const heard: unknown[] = [];
  const store = { ...memoryStore(), shared: true };
  const away = (): Promise<never> => Promise.reject(new StoreError('unavailable', 'away'));
  const records = { ...store.records, add: away, put: away };
  const server = createServer(info, {
    store: { ...store, records },
    rounds: { keys: [new Uint8Array(32)] },
    onError: (error, where) => heard.push([where, (error as Error).message]),
    onWarning: (message) => heard.push(message),
  });
  const own: string[] = [];
  const body = {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } },
  };
  const open = async (handler: FetchHandler, host: string): Promise<Response> =>
    await handler(
      new Request(`http://${host}/mcp`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
        body: JSON.stringify(body),
      }),
    );
  const handler = createHandler(server);
  assert.equal((await open(handler, 'localhost')).status, 503);
  assert.deepEqual(heard, [['serving over HTTP', 'the store of sessions could not be used']]);
  assert.equal((await open(handler, 'elsewhere.example')).status, 403);
  assert.match(String(heard[1]), /elsewhere\.example/);
  const other = createHandler(server, { onError: (error) => own.push(error.message) });
  await open(other, 'localhost');
  assert.deepEqual([own.length, heard.length], [1, 2]);
  await Promise.all([handler.close(), other.close()]);
  await server.close();
});

test('what serves a bridge over HTTP tells the listeners of the bridge', async () => {
  const heard: string[] = [];
  const bridge = await createBridge({
    upstream: memoryTransport(createServer(info)),
    onWarning: (message) => void heard.push(message),
  });
  const handler = createHandler(bridge);
  const refused = await handler(new Request('http://elsewhere.example/mcp', { method: 'POST', body: '{}' }));
  assert.equal(refused.status, 403);
  assert.match(heard.join('\n'), /elsewhere\.example/);
  await handler.close();
  await bridge.close();
});
