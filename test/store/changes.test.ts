/** Changes that are made in one process of a server and heard in another. */

import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { createServer, type Server } from '../../packages/parley/src/server.ts';
import { memoryStore } from '../../packages/parley/src/storage/memory/store.ts';
import { StoreError, type Store } from '../../packages/parley/src/storage/store.ts';
import type { ServerParts } from '../../packages/parley/src/server/parts/parts.ts';
import { SharedChanges, type ChangesHere } from '../../packages/parley/src/server/processes/changes.ts';
import { handshakeDates, open, settle, statelessDate, type Json, type Raw } from '../support/raw.ts';

const uri = 'memo://one';
const everything = { toolsListChanged: true, promptsListChanged: true, resourceSubscriptions: [uri] };

function process(store: Store, errors: unknown[] = []): Server {
  const server = createServer(
    { name: 'one of several', version: '1' },
    { store, onError: (error) => errors.push(error) },
  );
  server.tool('first', {}, () => 'x');
  server.prompt('prompt', {}, () => 'x');
  server.resource(uri, { name: 'one' }, () => 'x');
  return server;
}

/** A client that listens, once it was told what it hears. */
async function listener(server: Server, notifications: Json = everything): Promise<Raw> {
  const client = await open(server, statelessDate);
  void client.send('subscriptions/listen', { notifications }, 'listen');
  for (let turns = 0; turns < 50 && client.heard.length === 0; turns++) await settle();
  assert.equal(client.take()[0]?.['method'], 'notifications/subscriptions/acknowledged');
  return client;
}

function methods(client: Raw): readonly unknown[] {
  return client.take().map(({ method }) => method);
}

/** Lets changes be told: no time passes but this. */
function clock(t: TestContext): (ms: number) => Promise<void> {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  return async (ms) => {
    await settle();
    t.mock.timers.tick(ms);
    await settle();
  };
}

/** Closes servers while the clock stands still but for this. */
async function end(pass: (ms: number) => Promise<void>, ...servers: readonly Server[]): Promise<void> {
  const closed = Promise.all(servers.map((server) => server.close()));
  for (let turns = 0; turns < 5; turns++) await pass(1);
  await closed;
}

describe('a change in one of several processes', () => {
  it('is heard by listeners of the others, and of a list once, where all change alike', async (t) => {
    const store = memoryStore();
    const servers = [process(store), process(store), process(store)];
    const clients = await Promise.all(servers.map((server) => listener(server)));
    const pass = clock(t);
    await pass(200);
    for (const client of clients) client.take();
    for (const server of servers) server.tool('second', {}, () => 'x');
    await pass(100);
    for (const client of clients) assert.deepEqual(methods(client), ['notifications/tools/list_changed']);
    servers[0]?.tool('third', {}, () => 'x');
    await pass(100);
    for (const client of clients) assert.deepEqual(methods(client), ['notifications/tools/list_changed']);
    await pass(10_000);
    for (const client of clients) assert.deepEqual(methods(client), []);
    await end(pass, ...servers);
  });

  it('is heard by those who watch the resource, and by nobody when they left', async () => {
    const store = memoryStore();
    const subscribed = new Set<string>();
    const subscribe: Store['bus']['subscribe'] = async (channel, ...rest) => {
      const end = await store.bus.subscribe(channel, ...rest);
      subscribed.add(channel);
      return () => {
        subscribed.delete(channel);
        return end();
      };
    };
    const [here, there] = [process(store), process({ ...store, bus: { ...store.bus, subscribe } })];
    const client = await listener(there, { resourceSubscriptions: [uri] });
    const session = await open(there, handshakeDates[0] ?? '2025-11-25');
    await session.result('resources/subscribe', { uri });
    here.resourceUpdated(uri);
    here.resourceUpdated('memo://another');
    await settle();
    for (const each of [client, session]) {
      const [update] = each.take();
      assert.deepEqual([update?.['method'], Object(update?.['params']).uri], ['notifications/resources/updated', uri]);
    }
    assert.equal(subscribed.size, 2);
    await session.result('resources/unsubscribe', { uri });
    await client.notify('notifications/cancelled', { requestId: 'listen' });
    await settle();
    assert.deepEqual([...subscribed], ['changes one of several']);
    for (const server of [here, there]) await server.close();
    assert.equal(subscribed.size, 0);
  });

  it('is told when a process begins, or ends, whose lists are others', async (t) => {
    const store = memoryStore();
    const old = process(store);
    const client = await listener(old);
    const pass = clock(t);
    await pass(200);
    client.take();
    const same = process(store);
    await pass(200);
    assert.deepEqual(methods(client), []);
    const another = process(store);
    another.tool('second', {}, () => 'x');
    await pass(200);
    assert.deepEqual(methods(client), ['notifications/tools/list_changed']);
    await end(pass, another);
    await pass(200);
    assert.deepEqual(methods(client), ['notifications/tools/list_changed']);
    await end(pass, old, same);
  });

  it('is told of anything after a gap, within 5 seconds', async (t) => {
    const store = memoryStore();
    const gaps: (() => void)[] = [];
    const subscribe: Store['bus']['subscribe'] = (channel, hear, onGap) => {
      gaps.push(onGap);
      return store.bus.subscribe(channel, hear, onGap);
    };
    const server = process({ ...store, bus: { ...store.bus, subscribe } });
    const client = await listener(server);
    const pass = clock(t);
    await pass(200);
    client.take();
    for (const onGap of gaps) onGap();
    await pass(5_000);
    const told = new Set(methods(client));
    assert.equal(told.has('notifications/tools/list_changed'), true);
    assert.equal(told.has('notifications/prompts/list_changed'), true);
    assert.equal(told.has('notifications/resources/updated'), true);
    await end(pass, server);
  });

  it('is published again until the bus is there, and listeners are told what they missed', async (t) => {
    const pass = clock(t);
    const store = memoryStore();
    let isAway = true;
    const away = (): void => {
      if (isAway) throw new StoreError('unavailable', 'the store does not answer');
    };
    const bus: Store['bus'] = {
      publish: (...text) => (away(), store.bus.publish(...text)),
      subscribe: (...subscription) => (away(), store.bus.subscribe(...subscription)),
    };
    const errors: unknown[] = [];
    const [here, there] = [process({ ...store, bus }, errors), process(store)];
    const [deaf, client] = [await listener(here), await listener(there)];
    await pass(200);
    for (const each of [deaf, client]) each.take();
    here.tool('second', {}, () => 'x');
    here.resourceUpdated(uri);
    await pass(1_000);
    assert.deepEqual(methods(client), []);
    assert.deepEqual(
      new Set(methods(deaf)),
      new Set(['notifications/resources/updated', 'notifications/tools/list_changed']),
    );
    isAway = false;
    await pass(2_000);
    await pass(5_000);
    assert.deepEqual(
      new Set(methods(client)),
      new Set(['notifications/resources/updated', 'notifications/tools/list_changed']),
    );
    // What others changed meanwhile is not known.
    assert.equal(new Set(methods(deaf)).has('notifications/prompts/list_changed'), true);
    assert.equal(errors.length, 1);
    await end(pass, here, there);
  });

  it('is nothing that somebody else says on its channels', async (t) => {
    const store = memoryStore();
    const server = process(store);
    const client = await listener(server);
    const pass = clock(t);
    await pass(200);
    client.take();
    const texts = [
      '',
      'null',
      '[]',
      '{"lists":1}',
      '{"lists":{"tools":1,"none":{"is":"x"}}}',
      '{"uri":5}',
      '{"uri":"x"}',
    ];
    for (const text of texts) await store.bus.publish('changes one of several', text);
    await pass(10_000);
    assert.deepEqual(methods(client), []);
    await end(pass, server);
  });
});

describe('what a process watches of the others', () => {
  it('is looked through once for a gap of all of it and not at all where one resource is left, however much it is', async () => {
    const uris = Array.from({ length: 500 }, (_, number) => `memo://${number}`);
    const none = { values: () => [] };
    const parts = { tools: none, prompts: none, resources: none, templates: none, options: { onError: assert.fail } };
    const gaps: (() => void)[] = [];
    const ended: string[] = [];
    const bus: Store['bus'] = {
      publish: () => 0,
      subscribe(channel, _hear, onGap) {
        gaps.push(onGap);
        return () => void ended.push(channel);
      },
    };
    let looked = 0;
    const told: string[] = [];
    const here: ChangesHere = {
      tellList: () => undefined,
      tellUpdate: (uri) => told.push(uri),
      get watched() {
        looked++;
        return new Map(uris.map((uri) => [uri, true]));
      },
    };
    const changes = new SharedChanges(parts as unknown as ServerParts, { name: 'a', bus, here });
    await changes.listen(uris);
    for (const onGap of gaps) onGap();
    for (const uri of uris.slice(1)) changes.left(uri);
    await settle();
    // A gap is looked after a moment later, which may be over by now.
    assert.ok(looked <= 1, `it was looked through ${looked} times`);
    assert.equal(ended.length, uris.length - 1);
    await changes.close();
  });

  it('is left where its client went away before it was heard', async () => {
    const store = memoryStore();
    const heard = new Set<string>();
    let free = (): void => undefined;
    const wait = new Promise<void>((resolve) => (free = resolve));
    const subscribe: Store['bus']['subscribe'] = async (channel, hear, onGap) => {
      await wait;
      const end = await store.bus.subscribe(channel, hear, onGap);
      heard.add(channel);
      return async () => {
        heard.delete(channel);
        await end();
      };
    };
    const server = process({ ...store, bus: { ...store.bus, subscribe } });
    const client = await open(server, '2025-06-18');
    const asked = client.send('resources/subscribe', { uri });
    client.conversation.close();
    free();
    await asked;
    for (let turns = 0; turns < 20; turns++) await settle();
    assert.deepEqual([...heard], ['changes one of several']);
    await server.close();
  });
});
