/** Several servers as one while they come, go, are slow and change. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { clientOf, lineOver } from '../../../../../test/support/bridged.ts';
import { frontOf, namedServer } from '../../../../../test/support/fronted.ts';
import { open, settle } from '../../../../../test/support/raw.ts';
import { scriptedUpstream } from '../../../../../test/support/scripted-upstream.ts';
import { passing, until } from '../../../../../test/support/turns.ts';
import { createBridge } from '../../bridge.ts';
import type { Client } from '../../client/api/client.ts';
import type { SubscriptionEvent, Topics } from '../../client/api/subscription.ts';
import type { Transport } from '../../jsonrpc/transport.ts';
import { factsOf } from '../../jsonrpc/transport-facts.ts';
import { memoryTransport } from '../../testing/memory-transport.ts';
import { metaKey } from '../../protocol/meta.ts';
import type { RevisionDate } from '../../protocol/revision.ts';
import type { Server } from '../../server/server.ts';

/** A server with a tool, a prompt and two resources of its own. */
function single(name: string, date: RevisionDate = '2025-11-25'): Server {
  const server = namedServer(name, date);
  server.tool(`tool-${name}`, {}, () => name);
  server.prompt(`prompt-${name}`, {}, () => name);
  for (const at of [1, 2]) server.resource(`${name}:${at}`, { name: `${name} ${at}` }, () => name);
  return server;
}

async function toolsOf(client: Client): Promise<readonly string[]> {
  return (await client.listTools()).map(({ name }) => name);
}

async function ears(client: Client, topics: Topics): Promise<SubscriptionEvent[]> {
  const heard: SubscriptionEvent[] = [];
  await client.subscribe(topics, (event) => heard.push(event));
  return heard;
}

/** A way on which answers to one method wait for a gate. */
function gated(transport: Transport, method: string) {
  const held: (() => void)[] = [];
  const gate = { isOpen: true, waiting: () => held.length, letThrough: () => held.splice(0).forEach((run) => run()) };
  const way: Transport = {
    ...factsOf(transport),
    open: async (receiver) => {
      const asked = new Set<unknown>();
      const channel = await transport.open({
        ...receiver,
        problem: (error) => receiver.problem(error),
        closed: (error) => receiver.closed(error),
        message: (value, about) => {
          const id = typeof value === 'object' && value !== null && 'id' in value ? value.id : undefined;
          if (asked.delete(id) && !gate.isOpen) held.push(() => receiver.message(value, about));
          else receiver.message(value, about);
        },
      });
      return {
        close: () => channel.close(),
        send: async (message, options) => {
          if (!Array.isArray(message) && 'method' in message && message.method === method && 'id' in message)
            asked.add(message.id);
          await channel.send(message, options);
        },
      };
    },
  };
  return { gate, way };
}

const lists: Topics = { tools: true, prompts: true, resources: true };

for (const down of ['2025-11-25', '2026-07-28'] as const) {
  describe(`a client at ${down}`, () => {
    it('is served by the servers that are there, and hears of one that comes later', async (t) => {
      const line = lineOver(memoryTransport(single('late')));
      line.down = true;
      const warnings: string[] = [];
      t.mock.timers.enable({ apis: ['setTimeout'] });
      t.after(() => t.mock.timers.reset());
      const bridge = await frontOf(t, { there: single('there'), late: line.transport }, { warnings });
      const client = await clientOf(t, bridge, down);
      assert.deepEqual(await toolsOf(client), ['tool-there']);
      await assert.rejects(client.callTool('late__tool-late'), { code: -32603, message: /"late" cannot be reached/ });
      await assert.rejects(client.callTool('tool-late'), {
        message: 'unknown tool "tool-late" (not reached now: late)',
      });
      assert.deepEqual(warnings, [
        'late cannot be reached, and its part is missing until it is: the server cannot be started',
      ]);
      assert.deepEqual(
        bridge.upstreams.map(({ name, state, failure }) => [name, state, failure !== undefined]),
        [
          ['there', 'ready', false],
          ['late', 'failing', true],
        ],
      );
      const heard = await ears(client, lists);
      line.down = false;
      await passing(
        () => heard.length >= 3,
        () => t.mock.timers.tick(1000),
      );
      assert.deepEqual(await toolsOf(client), ['tool-there', 'tool-late']);
      assert.deepEqual((await client.callTool('tool-late')).content, [{ type: 'text', text: 'late' }]);
      assert.deepEqual(
        bridge.upstreams.map(({ state, facts }) => [state, facts?.server?.name]),
        [
          ['ready', 'there'],
          ['ready', 'late'],
        ],
      );
    });

    it('does not wait long for a slow list, and hears when it is there', async (t) => {
      const { gate, way } = gated(memoryTransport(single('slow')), 'tools/list');
      const warnings: string[] = [];
      t.mock.timers.enable({ apis: ['setTimeout'] });
      t.after(() => t.mock.timers.reset());
      const bridge = await frontOf(t, { quick: single('quick'), slow: way }, { warnings, serverTimeoutMs: 100 });
      const client = await clientOf(t, bridge, down);
      const heard = await ears(client, { tools: true });
      gate.isOpen = false;
      const listed = toolsOf(client);
      await until(() => gate.waiting() > 0);
      t.mock.timers.tick(100);
      assert.deepEqual(await listed, ['tool-quick']);
      assert.deepEqual(warnings, ['slow did not answer tools/list within 100 ms: its part is missing']);
      gate.letThrough();
      await until(() => heard.length > 0);
      // What came late stands in while the server is slow again.
      const again = toolsOf(client);
      await until(() => gate.waiting() > 0);
      t.mock.timers.tick(100);
      assert.deepEqual(await again, ['tool-quick', 'tool-slow']);
      heard.splice(0);
      gate.letThrough();
      for (let turn = 0; turn < 5; turn++) await settle();
      assert.deepEqual(heard, []);
    });

    it('is not shown what came late before once the server answered in time', async (t) => {
      const slow = single('slow');
      const line = lineOver(memoryTransport(slow));
      const { gate, way } = gated(line.transport, 'tools/list');
      t.mock.timers.enable({ apis: ['setTimeout'] });
      t.after(() => t.mock.timers.reset());
      const bridge = await frontOf(t, { quick: single('quick'), slow: way }, { serverTimeoutMs: 100 });
      const client = await clientOf(t, bridge, down, { cache: 'bypass' });
      const heard = await ears(client, { tools: true });
      gate.isOpen = false;
      const listed = toolsOf(client);
      await until(() => gate.waiting() > 0);
      t.mock.timers.tick(100);
      assert.deepEqual(await listed, ['tool-quick']);
      gate.letThrough();
      await until(() => heard.length > 0);
      gate.isOpen = true;
      slow.tool('newer', {}, () => 'newer');
      assert.deepEqual(await toolsOf(client), ['tool-quick', 'tool-slow', 'newer']);
      line.down = true;
      line.cut();
      let lost: readonly string[] | undefined;
      void toolsOf(client).then((names) => (lost = names));
      await passing(
        () => lost !== undefined,
        () => t.mock.timers.tick(1000),
      );
      assert.deepEqual(lost, ['tool-quick']);
    });

    it('sees the others while one is lost, and hears when that is back', async (t) => {
      const line = lineOver(memoryTransport(single('lost')));
      const warnings: string[] = [];
      // Closing takes a turn of the real clock.
      t.mock.timers.enable({ apis: ['setTimeout'] });
      t.after(() => t.mock.timers.reset());
      const bridge = await frontOf(t, { there: single('there'), lost: line.transport }, { warnings });
      const client = await clientOf(t, bridge, down);
      assert.equal((await toolsOf(client)).length, 2);
      const heard = await ears(client, { tools: true });
      line.down = true;
      line.cut();
      let listed: readonly string[] | undefined;
      void toolsOf(client).then((names) => (listed = names));
      await passing(
        () => listed !== undefined,
        () => t.mock.timers.tick(1000),
      );
      assert.deepEqual(listed, ['tool-there']);
      assert.equal(bridge.upstreams[1]?.state, 'failing');
      line.down = false;
      await passing(
        () => heard.length > 0 && bridge.upstreams[1]?.state === 'ready',
        () => t.mock.timers.tick(1000),
      );
      assert.deepEqual(await toolsOf(client), ['tool-there', 'tool-lost']);
    });

    it('hears of changes of every server and of the resources that it watches in each', async (t) => {
      const [left, right] = [single('left'), single('right', '2026-07-28')];
      const client = await clientOf(t, await frontOf(t, { left, right }), down);
      const heard: SubscriptionEvent[] = [];
      const subscription = await client.subscribe({ tools: true, updates: ['left:1', 'right:2'] }, (event) =>
        heard.push(event),
      );
      assert.deepEqual(subscription.honored, { tools: true, updates: ['left:1', 'right:2'] });
      for (const server of [left, right]) {
        const { name } = server.info;
        server.changed('tools');
        await until(() => heard.length > 0);
        assert.deepEqual(heard.splice(0), [{ type: 'list', list: 'tools' }]);
        for (const at of [1, 2]) server.resourceUpdated(`${name}:${at}`);
        await until(() => heard.length > 0);
        await settle();
        assert.deepEqual(heard.splice(0), [{ type: 'update', uri: name === 'left' ? 'left:1' : 'right:2' }]);
      }
      await subscription.close();
    });
  });
}

describe('a listen stream', () => {
  it('lets others have their turn while the owners of many resources are looked for', async (t) => {
    const server = single('one', '2026-07-28');
    server.resourceTemplate('one:{a}/{b}', { name: 'pair' }, () => 'pair');
    const client = await clientOf(t, await frontOf(t, { one: server, two: single('two') }), '2026-07-28');
    let turns = 0;
    let counting = true;
    const count = (): void => {
      turns++;
      if (counting) setImmediate(count);
    };
    count();
    const updates = Array.from({ length: 500 }, (_, at) => `one:${at}/${at}`);
    const subscription = await client.subscribe({ updates }, () => undefined);
    counting = false;
    assert.equal(subscription.honored.updates?.length, 500);
    assert.ok(turns >= 500, `there were ${turns} turns`);
  });

  it('is acknowledged once, and outlives a server', async (t) => {
    const line = lineOver(memoryTransport(single('left')));
    const right = single('right');
    const bridge = await frontOf(t, { left: line.transport, right });
    const raw = await open(bridge, '2026-07-28');
    const notifications = { toolsListChanged: true, resourceSubscriptions: ['left:1', 'right:1'] };
    const listening = raw.result('subscriptions/listen', { notifications }, 'mine');
    await until(() => raw.heard.length > 0);
    const [first] = raw.take();
    assert.equal(first?.['method'], 'notifications/subscriptions/acknowledged');
    assert.deepEqual(first?.['params'], { notifications, _meta: { [metaKey.subscriptionId]: 'mine' } });
    line.down = true;
    line.cut();
    right.resourceUpdated('right:1');
    await until(() => raw.heard.length > 0);
    assert.deepEqual(raw.take(), [
      {
        jsonrpc: '2.0',
        method: 'notifications/resources/updated',
        params: { uri: 'right:1', _meta: { [metaKey.subscriptionId]: 'mine' } },
      },
    ]);
    void bridge.close();
    await listening;
  });
});

describe('a front', () => {
  // "One client's dead process hides that server from all clients for about a second": "only the main connection decides"
  it('hides no server from others when the connection of one client dies', async (t) => {
    const { gate, way } = gated(memoryTransport(single('frail', '2025-11-25')), 'tools/list');
    const line = lineOver(way);
    const warnings: string[] = [];
    const bridge = await frontOf(t, { there: single('there'), frail: line.transport }, { warnings });
    const [mine, other] = [await clientOf(t, bridge, '2025-11-25'), await clientOf(t, bridge, '2025-11-25')];
    await toolsOf(other);
    gate.isOpen = false;
    const listed = toolsOf(mine);
    await until(() => gate.waiting() > 0);
    line.cutLast();
    gate.isOpen = true;
    assert.deepEqual(await toolsOf(other), ['tool-there', 'tool-frail']);
    assert.deepEqual(await listed, ['tool-there', 'tool-frail']);
    assert.deepEqual(
      bridge.upstreams.map(({ state }) => state),
      ['ready', 'ready'],
    );
    assert.deepEqual(warnings, []);
  });

  // "10,001 items on one page show as none": "cut, with a warning"
  it('cuts a list that is too long, on one page too, and says so', async (t) => {
    const tools = Array.from({ length: 10_001 }, (_, at) => ({ name: `t${at}`, inputSchema: { type: 'object' } }));
    const long = scriptedUpstream({
      up: '2025-11-25',
      capabilities: { tools: {} },
      answers: { 'tools/list': { tools } },
    });
    const warnings: string[] = [];
    const bridge = await frontOf(t, { long }, { warnings });
    const client = await clientOf(t, bridge, '2026-07-28');
    assert.equal((await toolsOf(client)).length, 10_000);
    assert.ok(warnings.includes('long: tools/list is cut: the list has more than 10000 items'), warnings.join());
  });

  it('is not made when none of its servers is reached', async () => {
    const line = lineOver(memoryTransport(single('dead')));
    line.down = true;
    await assert.rejects(
      createBridge({
        upstreams: { a: { upstream: line.transport }, b: { upstream: line.transport } },
        onWarning: () => undefined,
      }),
      {
        reason: 'refused',
        message: /^no server could be reached: a: .*cannot be started; b: .*cannot be started$/,
      },
    );
    assert.equal(line.open, 0);
  });

  it('needs a server, and room for each', async () => {
    const { transport } = lineOver(memoryTransport(single('one')));
    await assert.rejects(createBridge({ upstreams: {} }), TypeError);
    const upstreams = { a: { upstream: transport }, b: { upstream: transport } };
    await assert.rejects(createBridge({ upstreams, maxUpstreams: 1 }), /too few for 2 upstreams/);
    await assert.rejects(createBridge({ upstreams, serverTimeoutMs: 0 }), /serverTimeoutMs must be a positive integer/);
  });

  it('shares the number of connections between its servers', async (t) => {
    const lines = [lineOver(memoryTransport(single('a'))), lineOver(memoryTransport(single('b')))] as const;
    const [a, b] = lines;
    const bridge = await frontOf(t, { a: a.transport, b: b.transport }, { maxUpstreams: 4 });
    const client = await clientOf(t, bridge, '2025-11-25');
    assert.deepEqual(await toolsOf(client), ['tool-a', 'tool-b']);
    assert.equal(a.open + b.open, 4);
    const next = await clientOf(t, bridge, '2025-11-25');
    // What is idle makes way, and is opened again when it is used.
    assert.equal((await next.callTool('b__tool-b')).isError, undefined);
    assert.equal(a.open + b.open, 4);
    await next.close();
    assert.deepEqual(await toolsOf(client), ['tool-a', 'tool-b']);
    assert.equal(a.open + b.open, 4);
  });

  it('ends every connection when it is closed', async (t) => {
    const lines = [lineOver(memoryTransport(single('a'))), lineOver(memoryTransport(single('b')))] as const;
    const bridge = await frontOf(t, { a: lines[0].transport, b: lines[1].transport });
    await toolsOf(await clientOf(t, bridge, '2025-11-25'));
    await bridge.close();
    await until(() => lines.every((line) => line.open === 0));
  });
});

for (const up of ['2025-11-25', '2026-07-28'] as const) {
  describe(`a shared connection to a server at ${up}`, () => {
    it('is the only one, and each client hears what is its own', async (t) => {
      const server = single('one', up);
      const line = lineOver(memoryTransport(server));
      const bridge = await createBridge({
        upstreams: { one: { upstream: line.transport, sharing: 'shared' } },
        onWarning: () => undefined,
      });
      t.after(() => bridge.close());
      const [first, second] = [await clientOf(t, bridge, '2025-11-25'), await clientOf(t, bridge, '2025-06-18')];
      const third = await clientOf(t, bridge, '2026-07-28');
      for (const client of [first, second, third]) assert.deepEqual(await toolsOf(client), ['tool-one']);
      const heard = [
        await ears(first, { updates: ['one:1'] }),
        await ears(second, { updates: ['one:1'] }),
        await ears(third, { updates: ['one:2'] }),
      ];
      assert.equal(line.opened, 1);
      server.resourceUpdated('one:1');
      await until(() => heard.slice(0, 2).every((events) => events.length > 0));
      server.resourceUpdated('one:2');
      await until(() => heard[2]?.length === 1);
      await settle();
      assert.deepEqual(
        heard.map((events) => events.map((event) => 'uri' in event && event.uri)),
        [['one:1'], ['one:1'], ['one:2']],
      );
      await first.close();
      server.resourceUpdated('one:1');
      await until(() => heard[1]?.length === 2);
      assert.equal(line.open, 1);
    });
  });
}
