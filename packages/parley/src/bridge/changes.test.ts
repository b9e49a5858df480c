/** Changes of lists and of single resources, on their way to whoever may know. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  bridgeBefore,
  bridgeTo,
  clientOf,
  lineOver,
  pairs,
  serverAt,
  type Pair,
} from '../../../../test/support/bridged.ts';
import { open, settle, type Json } from '../../../../test/support/raw.ts';
import { scriptedUpstream, type Scripted } from '../../../../test/support/scripted-upstream.ts';
import { until } from '../../../../test/support/turns.ts';
import type { Client } from '../client/api/client.ts';
import type { SubscriptionEvent, Topics } from '../client/api/subscription.ts';
import { memoryTransport } from '../testing/memory-transport.ts';
import { metaKey } from '../protocol/meta.ts';
import type { Server } from '../server/server.ts';
import { scriptedTransport, type ScriptedPeer, type ScriptedTransport, type SentMessage } from '../testing/scripted.ts';

function createUpstream(up: Pair['up']): Server {
  const server = serverAt(up);
  server.tool('first', {}, () => 'first');
  server.prompt('first', {}, () => 'first');
  server.resource('memo:one', { name: 'one' }, () => 'first');
  server.resource('memo:two', { name: 'two' }, () => 'second');
  return server;
}

/** Subscribes a client; gives what it hears. */
async function ears(client: Client, topics: Topics): Promise<SubscriptionEvent[]> {
  const heard: SubscriptionEvent[] = [];
  await client.subscribe(topics, (event) => heard.push(event));
  return heard;
}

const everything: Topics = { tools: true, prompts: true, resources: true };

for (const { down, up } of pairs) {
  describe(`a client at ${down} before a server at ${up}`, () => {
    it('hears that each list changed', async (t) => {
      const server = createUpstream(up);
      const client = await clientOf(t, await bridgeBefore(t, server), down);
      const heard = await ears(client, everything);
      for (const kind of ['tools', 'prompts', 'resources'] as const) {
        server.changed(kind);
        await until(() => heard.length > 0);
        await settle();
        assert.deepEqual(heard.splice(0), [{ type: 'list', list: kind }]);
      }
    });

    it('hears of changes once, also after it used the server', async (t) => {
      const server = createUpstream(up);
      const client = await clientOf(t, await bridgeBefore(t, server), down);
      await client.listTools();
      const heard = await ears(client, everything);
      server.tool('second', {}, () => 'second');
      await until(() => heard.length > 0);
      await settle();
      assert.deepEqual(heard, [{ type: 'list', list: 'tools' }]);
      assert.equal((await client.listTools()).length, 2);
    });

    it('hears of the resource that it watches, and of no other [resources-005]', async (t) => {
      const server = createUpstream(up);
      const bridge = await bridgeBefore(t, server);
      const client = await clientOf(t, bridge, down);
      const heard: SubscriptionEvent[] = [];
      const subscription = await client.subscribe({ updates: ['memo:one'] }, (event) => heard.push(event));
      assert.deepEqual(subscription.honored, { updates: ['memo:one'] });
      const other = await ears(await clientOf(t, bridge, down), { updates: ['memo:two'] });
      server.resourceUpdated('memo:two');
      server.resourceUpdated('memo:one');
      await until(() => heard.length > 0 && other.length > 0);
      await settle();
      assert.deepEqual(heard, [{ type: 'update', uri: 'memo:one' }]);
      assert.deepEqual(other, [{ type: 'update', uri: 'memo:two' }]);
      await subscription.close();
      server.resourceUpdated('memo:one');
      server.resourceUpdated('memo:two');
      await until(() => other.length > 1);
      assert.equal(heard.length, 1);
    });

    it('hears on when the server died and came back, and that it may have missed something', async (t) => {
      const server = createUpstream(up);
      const line = lineOver(memoryTransport(server));
      t.mock.timers.enable({ apis: ['setTimeout'] });
      // Closing takes a turn of the real clock.
      t.after(() => t.mock.timers.reset());
      const client = await clientOf(t, await bridgeTo(t, line.transport), down);
      await client.listTools();
      const lists = await ears(client, everything);
      const resources = await ears(client, { updates: ['memo:one'] });
      line.cut();
      await until(() => {
        t.mock.timers.tick(1000);
        return resources.length > 0 && lists.length >= 3;
      });
      assert.deepEqual(resources.splice(0)[0], { type: 'update', uri: 'memo:one' });
      assert.deepEqual(
        new Set(lists.splice(0).map((event) => 'list' in event && event.list)),
        new Set(['tools', 'prompts', 'resources']),
      );
      server.resourceUpdated('memo:one');
      server.changed('prompts');
      await until(() => resources.length > 0 && lists.length > 0);
      assert.deepEqual(resources[0], { type: 'update', uri: 'memo:one' });
      assert.deepEqual(lists[0], { type: 'list', list: 'prompts' });
    });
  });
}

for (const up of ['2025-11-25', '2026-07-28'] as const) {
  describe(`a stateless client before a server at ${up}`, () => {
    it('is told first what it may listen to, and names every message [subs-002] [subs-004] [subs-006] [meta-019]', async (t) => {
      const server = createUpstream(up);
      const raw = await open(await bridgeBefore(t, server), '2026-07-28');
      const notifications = {
        toolsListChanged: true,
        resourceSubscriptions: ['memo:one', 'memo:one'],
        taskIds: ['no'],
      };
      const result = raw.send('subscriptions/listen', { notifications }, 'mine');
      await until(() => raw.heard.length > 0);
      server.changed('tools');
      server.changed('prompts');
      server.resourceUpdated('memo:one');
      await until(() => raw.heard.length > 2);
      const [first, ...rest] = raw.take();
      assert.equal(first?.['method'], 'notifications/subscriptions/acknowledged');
      const agreed = { toolsListChanged: true, resourceSubscriptions: ['memo:one'] };
      assert.deepEqual(paramsOf(first), { notifications: agreed, _meta: { [metaKey.subscriptionId]: 'mine' } });
      assert.deepEqual(
        new Set(rest.map(({ method }) => method)),
        new Set(['notifications/tools/list_changed', 'notifications/resources/updated']),
      );
      for (const message of rest) assert.deepEqual(metaOf(message), { [metaKey.subscriptionId]: 'mine' });
      await raw.notify('notifications/cancelled', { requestId: 'mine' });
      assert.equal(await result, undefined);
      server.changed('tools');
      await settle();
      assert.deepEqual(raw.take(), []);
    });

    it('is answered when its edge shuts down', async (t) => {
      const raw = await open(await bridgeBefore(t, createUpstream(up)), '2026-07-28');
      const notifications = { toolsListChanged: true, resourceSubscriptions: ['memo:one'] };
      const listening = raw.result('subscriptions/listen', { notifications }, 7);
      await until(() => raw.heard.length === 1);
      raw.conversation.end?.();
      assert.equal(Object((await listening)['_meta'])[metaKey.subscriptionId], 7);
    });

    it('is answered when the bridge closes', async (t) => {
      const bridge = await bridgeBefore(t, createUpstream(up));
      const raw = await open(bridge, '2026-07-28');
      const listening = [{ toolsListChanged: true }, { resourceSubscriptions: ['memo:one'] }].map((notifications, id) =>
        raw.result('subscriptions/listen', { notifications }, id),
      );
      await until(() => raw.heard.length === 2);
      await bridge.close();
      const results = await Promise.all(listening);
      assert.deepEqual(
        results.map((result) => Object(result['_meta'])[metaKey.subscriptionId]),
        [0, 1],
      );
    });

    it('that watches nothing more leaves no connection behind', async (t) => {
      const line = lineOver(memoryTransport(createUpstream(up)));
      const client = await clientOf(t, await bridgeTo(t, line.transport), '2026-07-28');
      const subscription = await client.subscribe({ updates: ['memo:one'] }, () => undefined);
      // It is told of what the calls of its client change, on their connection.
      assert.equal(line.open, 1);
      await subscription.close();
      await until(() => line.open === 1);
    });
  });
}

it('a server that watches nothing is not said to', async (t) => {
  const server = serverAt('2025-06-18');
  server.tool('only', {}, () => 'tool');
  const bridge = await bridgeBefore(t, server);
  const raw = await open(bridge, '2025-06-18');
  assert.equal((await raw.error('resources/subscribe', { uri: 'memo:one' })).code, -32601);
  const stateless = await open(bridge, '2026-07-28');
  void stateless.send('subscriptions/listen', { notifications: { resourceSubscriptions: ['memo:one'] } }, 1);
  await until(() => stateless.heard.length > 0);
  assert.deepEqual(paramsOf(stateless.take()[0])['notifications'], {});
});

it('unknown keys of a notification reach every client', async (t) => {
  const { transport, say } = scripted();
  const bridge = await bridgeTo(t, transport);
  const [session, stateless] = [await open(bridge, '2025-06-18'), await open(bridge, '2026-07-28')];
  void stateless.send('subscriptions/listen', { notifications: { toolsListChanged: true } }, 1);
  await until(() => stateless.take().length > 0);
  await session.result('tools/list');
  say({
    jsonrpc: '2.0',
    method: 'notifications/tools/list_changed',
    params: { more: 1, _meta: { 'x.example/y': [2] } },
  });
  await until(() => session.heard.length > 0 && stateless.heard.length > 0);
  assert.deepEqual(session.take().map(paramsOf), [{ more: 1, _meta: { 'x.example/y': [2] } }]);
  assert.deepEqual(stateless.take().map(paramsOf), [
    { more: 1, _meta: { 'x.example/y': [2], [metaKey.subscriptionId]: 1 } },
  ]);
});

/** A handshake server with tools, which says what it is told to in every conversation. */
function scripted(): { readonly transport: ScriptedTransport; readonly say: (message: Json) => void } {
  const transport = scriptedTransport('memory', (sent, peer) => {
    const { id, method } = sent.message;
    const capabilities = { tools: { listChanged: true } };
    const serverInfo = { name: 'scripted', version: '1' };
    if (method === 'server/discover') peer.refuse(sent, { code: -32601, message: 'unknown' });
    else if (method === 'initialize') peer.reply(sent, { protocolVersion: '2025-06-18', capabilities, serverInfo });
    else if (id !== undefined) peer.reply(sent, { tools: [] });
  });
  return { transport, say: (message) => transport.peers.forEach((peer) => peer.send(message)) };
}

function paramsOf(message: Json | undefined): Json {
  // What a server of ours sends was checked against its schema.
  return message?.['params'] as Json;
}

function metaOf(message: Json): Json {
  return paramsOf(message)['_meta'] as Json;
}

describe('a server that watches only what it likes', () => {
  const answers: Scripted['answers'] = {
    'resources/subscribe': (sent, peer) => {
      const known = Object(sent.message['params'])['uri'] === 'memo:one';
      if (known) peer.reply(sent, {});
      else peer.refuse(sent, { code: -32602, message: 'no such resource' });
    },
    'resources/unsubscribe': {},
  };
  const capabilities = { resources: { subscribe: true } };

  it('is an error to the session that asks for something else, as often as it does', async (t) => {
    const raw = await open(
      await bridgeTo(t, scriptedUpstream({ up: '2025-11-25', capabilities, answers })),
      '2025-06-18',
    );
    for (let tries = 0; tries < 2; tries++) {
      const error = await raw.error('resources/subscribe', { uri: 'memo:two' });
      assert.deepEqual(error, { code: -32602, message: 'the upstream server would not watch "memo:two"' });
    }
    assert.deepEqual(await raw.result('resources/subscribe', { uri: 'memo:one' }), {});
    assert.deepEqual(await raw.result('resources/subscribe', { uri: 'memo:one' }), {});
    assert.deepEqual(await raw.result('resources/unsubscribe', { uri: 'memo:none' }), {});
  });

  it('is said to watch the rest to a stateless client, parts of it too', async (t) => {
    const upstream = scriptedUpstream({ up: '2025-11-25', capabilities, answers });
    const raw = await open(await bridgeTo(t, upstream), '2026-07-28');
    const notifications = { resourceSubscriptions: ['memo:two', 'memo:one'] };
    void raw.send('subscriptions/listen', { notifications }, 1);
    await until(() => raw.heard.length > 0);
    assert.deepEqual(paramsOf(raw.take()[0])['notifications'], { resourceSubscriptions: ['memo:one'] });
    const params = { uri: 'memo:one/part', more: 1 };
    upstream.peers.at(-1)?.send({ jsonrpc: '2.0', method: 'notifications/resources/updated', params });
    await until(() => raw.heard.length > 0);
    assert.deepEqual(paramsOf(raw.take()[0]), { ...params, _meta: { [metaKey.subscriptionId]: 1 } });
  });
});

it('an update that comes at once waits for the acknowledgement of its stream [subs-002]', async (t) => {
  const { answers } = listening((_, peer, _meta) => {
    const params = { uri: 'memo:one', _meta };
    peer.send({ jsonrpc: '2.0', method: 'notifications/resources/updated', params });
  });
  const raw = await open(
    await bridgeTo(t, scriptedUpstream({ up: '2026-07-28', capabilities: watching, answers })),
    '2026-07-28',
  );
  void raw.send('subscriptions/listen', { notifications: { resourceSubscriptions: ['memo:one'] } }, 1);
  await until(() => raw.heard.length > 1);
  assert.deepEqual(raw.methods, ['notifications/subscriptions/acknowledged', 'notifications/resources/updated']);
});

it('changes are followed again some time after the server ended the stream', async (t) => {
  let end = (): void => undefined;
  const { answers, begun } = listening((sent, peer, _meta) => {
    end = () => peer.reply(sent, { resultType: 'complete', _meta });
  });
  t.mock.timers.enable({ apis: ['setTimeout'] });
  t.after(() => t.mock.timers.reset());
  const capabilities = { tools: { listChanged: true } };
  const raw = await open(
    await bridgeTo(t, scriptedUpstream({ up: '2026-07-28', capabilities, answers })),
    '2025-11-25',
  );
  await until(() => begun() === 1);
  end();
  for (let turns = 0; turns < 10; turns++) await settle();
  assert.equal(begun(), 1);
  assert.deepEqual(raw.methods, []);
  t.mock.timers.tick(30_000);
  await until(() => raw.heard.length > 0);
  assert.equal(begun(), 2);
  assert.deepEqual(raw.methods, ['notifications/tools/list_changed']);
});

it('a stateless server without listen streams is asked for one once, with a warning', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  t.after(() => t.mock.timers.reset());
  const warnings: string[] = [];
  const upstream = scriptedUpstream({ up: '2026-07-28', capabilities: { tools: { listChanged: true } } });
  await bridgeTo(t, upstream, { warnings });
  await until(() => warnings.length > 0);
  t.mock.timers.tick(60_000);
  for (let turns = 0; turns < 10; turns++) await settle();
  assert.equal(upstream.methods.filter((method) => method === 'subscriptions/listen').length, 1);
  assert.deepEqual(warnings, ["the upstream's changes cannot be followed: no subscriptions/listen"]);
});

for (const up of ['2025-06-18', '2026-07-28'] as const) {
  it(`a session that watches no longer is told no longer, before a server at ${up} [resources-006]`, async (t) => {
    const server = createUpstream(up);
    const raw = await open(await bridgeBefore(t, server), '2025-03-26');
    await raw.result('resources/subscribe', { uri: 'memo:one' });
    await raw.result('resources/subscribe', { uri: 'memo:two' });
    await raw.result('resources/unsubscribe', { uri: 'memo:one' });
    server.resourceUpdated('memo:one');
    server.resourceUpdated('memo:two');
    await until(() => raw.heard.length > 0);
    assert.deepEqual(raw.take().map(paramsOf), [{ uri: 'memo:two' }]);
  });

  it(`a watch that could not begin can be asked for again, before a server at ${up}`, async (t) => {
    const line = lineOver(memoryTransport(createUpstream(up)));
    const raw = await open(await bridgeTo(t, line.transport), '2025-06-18');
    line.down = true;
    // Before a stateless server it is the connection of all clients.
    line.cut();
    const error = await raw.error('resources/subscribe', { uri: 'memo:one' });
    assert.deepEqual(error, { code: -32603, message: 'the upstream server failed: the server cannot be reached' });
    line.down = false;
    assert.deepEqual(await raw.result('resources/subscribe', { uri: 'memo:one' }), {});
  });
}

it('a stateless server that ends a watch is asked for it again, and one that refuses it then ends it for its client', async (t) => {
  let end = (): void => undefined;
  const { listen, begun } = listening((sent, peer, _meta) => {
    end = () => peer.reply(sent, { resultType: 'complete', _meta });
  });
  let isRefused = false;
  const answering = (sent: SentMessage, peer: ScriptedPeer): void => {
    if (isRefused) peer.refuse(sent, { code: -32602, message: 'no more' });
    else listen(sent, peer);
  };
  const bridge = await bridgeTo(
    t,
    scriptedUpstream({ up: '2026-07-28', capabilities: watching, answers: { 'subscriptions/listen': answering } }),
  );
  const raw = await open(bridge, '2026-07-28');
  const told = raw.result('subscriptions/listen', { notifications: { resourceSubscriptions: ['memo:one'] } }, 1);
  await until(() => raw.take().length > 0);
  end();
  await until(() => raw.take().some(({ method }) => method === 'notifications/resources/updated'));
  assert.equal(begun(), 2);
  isRefused = true;
  end();
  assert.equal(Object((await told)['_meta'])[metaKey.subscriptionId], 1);
});

const watching = { resources: { subscribe: true } };

/** A stateless server that acknowledges whatever it is asked to tell, and then does something more. */
function listening(then: (sent: SentMessage, peer: ScriptedPeer, meta: Json) => void): {
  readonly answers: NonNullable<Scripted['answers']>;
  readonly listen: (sent: SentMessage, peer: ScriptedPeer) => void;
  readonly begun: () => number;
} {
  let begun = 0;
  const listen = (sent: SentMessage, peer: ScriptedPeer): void => {
    begun++;
    const _meta = { [metaKey.subscriptionId]: sent.message['id'] };
    const { notifications } = Object(sent.message['params']);
    peer.send({ jsonrpc: '2.0', method: 'notifications/subscriptions/acknowledged', params: { notifications, _meta } });
    then(sent, peer, _meta);
  };
  return { answers: { 'subscriptions/listen': listen }, listen, begun: () => begun };
}
