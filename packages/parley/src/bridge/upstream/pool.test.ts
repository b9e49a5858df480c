/** Which connections a bridge has to its upstream, and who shares them. */

import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { bridgeTo, clientOf, lineOver, serverAt, type Line } from '../../../../../test/support/bridged.ts';
import { open, settle, withMeta } from '../../../../../test/support/raw.ts';
import { scriptedUpstream } from '../../../../../test/support/scripted-upstream.ts';
import { until } from '../../../../../test/support/turns.ts';
import { createBridge, type Bridge } from '../../bridge.ts';
import type { Client } from '../../client/api/client.ts';
import type { Channel, Transport } from '../../jsonrpc/transport.ts';
import { memoryTransport } from '../../testing/memory-transport.ts';
import type { RevisionDate } from '../../protocol/revision.ts';
import type { PairOptions } from '../../testing/pair.ts';
import type { SentMessage } from '../../testing/scripted.ts';

interface Setup {
  readonly bridge: Bridge;
  readonly line: Line;
  /** How many calls of `wait` run upstream. */
  running(): number;
  /** How many of them were cancelled. */
  ended(): number;
  release(): void;
  client(down: RevisionDate, options?: PairOptions): Promise<Client>;
}

/** A server with a tool that waits and one that logs, behind a bridge. */
async function setup(t: TestContext, up: RevisionDate, maxUpstreams?: number): Promise<Setup> {
  const server = serverAt(up);
  let running = 0;
  let ended = 0;
  const waiting: (() => void)[] = [];
  server.tool('wait', {}, async (_, ctx) => {
    running++;
    ctx.signal.addEventListener('abort', () => void ended++, { once: true });
    await new Promise<void>((resolve) => waiting.push(resolve));
    running--;
    return ctx.revision;
  });
  server.tool('secret', { input: { type: 'object', properties: { word: { type: 'string' } } } }, ({ word }, ctx) => {
    ctx.log('info', word);
    return 'kept';
  });
  const line = lineOver(memoryTransport(server));
  const bridge = await bridgeTo(t, line.transport, maxUpstreams === undefined ? {} : { maxUpstreams });
  return {
    bridge,
    line,
    running: () => running,
    ended: () => ended,
    release: () => waiting.splice(0).forEach((resolve) => resolve()),
    client: (down, options) => clientOf(t, bridge, down, options),
  };
}

for (const up of ['2025-06-18', '2026-07-28'] as const) {
  describe(`before a server at ${up}`, () => {
    it('stateless clients share one, however many they are', async (t) => {
      const { line, client, running, release } = await setup(t, up);
      const clients = await Promise.all([1, 2, 3].map(() => client('2026-07-28')));
      const calls = clients.map((each) => each.callTool('wait'));
      await until(() => running() === 3);
      assert.equal(line.opened, 1);
      release();
      await Promise.all(calls);
    });

    it('principals share nothing', async (t) => {
      const { line, client } = await setup(t, up);
      const [ada, bob, anon] = [
        await client('2026-07-28', { auth: { principal: 'ada' } }),
        await client('2026-07-28', { auth: { principal: 'bob' } }),
        await client('2026-07-28'),
      ];
      for (const each of [ada, bob, anon, ada]) await each.callTool('secret', { word: 'hush' });
      assert.equal(line.open, 3);
    });

    it('log messages reach nobody of another principal', async (t) => {
      const { client } = await setup(t, up);
      const heard = new Map<string, unknown[]>();
      const listening = async (principal: string): Promise<Client> => {
        const words: unknown[] = [];
        heard.set(principal, words);
        const each = await client('2026-07-28', { auth: { principal }, onLog: ({ data }) => words.push(data) });
        await each.setLogLevel('debug');
        return each;
      };
      const clients = await Promise.all(['ada', 'bob'].map(async (name) => [name, await listening(name)] as const));
      await Promise.all(clients.map(([word, each]) => each.callTool('secret', { word })));
      assert.deepEqual(Object.fromEntries(heard), { ada: ['ada'], bob: ['bob'] });
    });

    it('quiet connections of a principal make room, those in use do not', async (t) => {
      const { line, client, running, release } = await setup(t, up, 3);
      const [ada, bob, eve] = await Promise.all(
        ['ada', 'bob', 'eve'].map((principal) => client('2026-07-28', { auth: { principal } })),
      );
      assert.ok(ada !== undefined && bob !== undefined && eve !== undefined);
      const calls = [ada.callTool('wait')];
      await until(() => running() === 1);
      await bob.listTools();
      await eve.listTools();
      assert.equal(line.open, 3);
      calls.push(eve.callTool('wait'));
      await until(() => running() === 2);
      await assert.rejects(bob.listTools(), /3 upstream connections in use/);
      release();
      await Promise.all(calls);
      await bob.listTools();
      assert.equal(line.open, 3);
    });

    it('after a burst of calls that log, a few stay for the next ones', async (t) => {
      const { line, client, running, release } = await setup(t, up);
      const each = await client('2026-07-28');
      await each.setLogLevel('debug');
      const calls = Array.from({ length: 12 }, () => each.callTool('wait'));
      await until(() => running() === 12);
      assert.equal(line.open, 12);
      release();
      await Promise.all(calls);
      await until(() => line.open <= 5);
      await each.callTool('secret', { word: 'again' });
      assert.ok(line.open >= 1 && line.opened === 12, `${line.open} of ${line.opened}`);
    });

    it('closing the bridge closes them all, and opens none afterwards', async (t) => {
      const { bridge, line, client } = await setup(t, up);
      const clients = [
        await client('2025-06-18'),
        await client('2026-07-28'),
        await client('2026-07-28', { auth: { principal: 'ada' } }),
      ];
      for (const each of clients) await each.listTools();
      assert.equal(line.open, up === '2026-07-28' ? 2 : 3);
      await Promise.all([bridge.close(), bridge.close()]);
      assert.equal(line.open, 0);
      const late = bridge.endpoint.openConnection({ lasting: true, send: () => undefined });
      const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'late', version: '1' } };
      await late.receive({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
      const answer = await late.receive({ jsonrpc: '2.0', id: 2, method: 'tools/list' });
      assert.ok(answer !== undefined && 'error' in answer);
      assert.deepEqual(answer.error, { code: -32603, message: 'the bridge is closed' });
      assert.equal(line.open, 0);
    });

    it('closing the bridge ends what runs', async (t) => {
      const { bridge, client, running, ended } = await setup(t, up);
      for (const down of ['2025-06-18', '2026-07-28'] as const)
        void (await client(down)).callTool('wait').catch(() => undefined);
      await until(() => running() === 2);
      await bridge.close();
      await until(() => ended() === 2);
    });
  });
}

it('closing the bridge waits until every connection is closed, those of its sessions too', async (t) => {
  const server = serverAt('2025-06-18');
  server.tool('ok', {}, () => 'ok');
  const upstream = memoryTransport(server);
  const open = new Set<Channel>();
  const transport: Transport = {
    ...upstream,
    open: async (receiver) => {
      const channel = await upstream.open(receiver);
      open.add(channel);
      const close = async (): Promise<void> => {
        await settle();
        await channel.close();
        // Closing twice is fine.
        open.delete(channel);
      };
      return { send: (message) => channel.send(message), close };
    },
  };
  const bridge = await bridgeTo(t, transport);
  await (await clientOf(t, bridge, '2025-06-18')).listTools();
  assert.equal(open.size, 2);
  await bridge.close();
  assert.equal(open.size, 0);
});

it('a limit that makes no sense is refused', async () => {
  const upstream = memoryTransport(serverAt('2025-06-18'));
  for (const maxUpstreams of [0, -1, 1.5, Number.NaN]) {
    await assert.rejects(createBridge({ upstream, maxUpstreams }), TypeError, String(maxUpstreams));
  }
});

describe('sessions before a handshake server', () => {
  it('have a connection each, as long as they last', async (t) => {
    const { line, client } = await setup(t, '2025-06-18');
    const [one, two] = [await client('2025-06-18'), await client('2024-11-05')];
    assert.equal(line.open, 1);
    for (const each of [one, two, one]) await each.listTools();
    assert.equal(line.open, 3);
    await one.close();
    await until(() => line.open === 2);
    await two.close();
    await until(() => line.open === 1);
  });

  it('are never more than allowed, and who finds no connection is told so', async (t) => {
    const { line, client, running, release } = await setup(t, '2025-06-18', 2);
    const [one, two] = [await client('2025-06-18'), await client('2025-06-18')];
    const call = one.callTool('wait');
    await until(() => running() === 1);
    await assert.rejects(two.listTools(), {
      name: 'McpError',
      code: -32603,
      message: 'the bridge has its 2 upstream connections in use; try again later',
    });
    assert.equal(line.open, 2);
    await (await client('2026-07-28')).listTools();
    release();
    await call;
    await one.close();
    assert.equal((await two.listTools()).length, 2);
  });
});

it('a connection on which a watch begins makes no room for another client', async (t) => {
  const subscribing: (() => void)[] = [];
  const upstream = scriptedUpstream({
    up: '2025-06-18',
    capabilities: { tools: {}, resources: { subscribe: true } },
    answers: { 'resources/subscribe': (sent, peer) => void subscribing.push(() => peer.reply(sent, {})) },
  });
  const line = lineOver(upstream);
  const bridge = await bridgeTo(t, line.transport, { maxUpstreams: 2 });
  const [one, two] = [await open(bridge, '2025-06-18'), await open(bridge, '2025-11-25')];
  const watching = one.result('resources/subscribe', { uri: 'memo:one' });
  await until(() => subscribing.length === 1);
  assert.match((await two.error('tools/list')).message, /in use/);
  subscribing[0]?.();
  await watching;
  assert.match((await two.error('tools/list')).message, /in use/);
  upstream.peers
    .at(-1)
    ?.send({ jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri: 'memo:one' } });
  await until(() => one.methods.includes('notifications/resources/updated'));
});

it('sessions before a stateless server share what its other clients do, each for its principal', async (t) => {
  const { line, client } = await setup(t, '2026-07-28');
  const anonymous = await Promise.all(['2025-06-18', '2024-11-05', '2026-07-28'].map((date) => client(date as never)));
  for (const each of anonymous) await each.listTools();
  assert.equal(line.opened, 1);
  const ada = await client('2025-11-25', { auth: { principal: 'ada' } });
  await ada.listTools();
  assert.equal(line.opened, 2);
});

it('calls to a stateless server that log do without their messages where there is no place for them', async (t) => {
  const { line, client, running, release } = await setup(t, '2026-07-28', 2);
  const words: unknown[] = [];
  const each = await client('2026-07-28', { onLog: ({ data }) => words.push(data) });
  await each.setLogLevel('debug');
  const calls = [each.callTool('wait'), each.callTool('wait')];
  await until(() => running() === 2);
  await each.callTool('secret', { word: 'beside' });
  assert.deepEqual([line.open, words], [2, []]);
  release();
  await Promise.all(calls);
  await each.callTool('secret', { word: 'alone' });
  assert.deepEqual(words, ['alone']);
});

for (const answers of [true, false]) {
  it(`a connection whose call was given up ${answers ? 'serves again once that is answered' : 'asks nobody else'}`, async (t) => {
    let first: SentMessage | undefined;
    const transport = scriptedUpstream({
      up: '2025-06-18',
      answers: {
        'tools/call': (sent, peer) => {
          if (first !== undefined) return peer.reply(sent, { content: [] });
          first = sent;
        },
        'notifications/cancelled': (_, peer) => {
          if (answers && first !== undefined) peer.refuse(first, { code: 0, message: 'cancelled' });
        },
      },
    });
    const line = lineOver(transport);
    const bridge = await bridgeTo(t, line.transport);
    const [ann, bob] = [
      await open(bridge, '2026-07-28', { capabilities: { elicitation: {} } }),
      await open(bridge, '2026-07-28', { capabilities: { elicitation: {} } }),
    ];
    const call = ann.send('tools/call', { name: 'any' }, 'mine');
    await until(() => first !== undefined);
    await ann.notify('notifications/cancelled', { requestId: 'mine' });
    await call;
    await until(() => transport.methods.includes('notifications/cancelled'));
    for (let turn = 0; turn < 20; turn++) await settle();
    const { opened } = line;
    await bob.result('tools/call', { name: 'any' });
    assert.equal(line.opened - opened, answers ? 0 : 1);
    assert.equal(line.open, 2);
  });
}

it('a connection counts for the address whose call runs on it, not for that which opened it', async (t) => {
  const waiting: (() => void)[] = [];
  const upstream = scriptedUpstream({
    up: '2025-06-18',
    answers: {
      'tools/call': (sent, peer) => {
        const answer = (): void => peer.reply(sent, { content: [] });
        if (Object(sent.message['params'])['name'] === 'wait') waiting.push(answer);
        else answer();
      },
    },
  });
  const bridge = await bridgeTo(t, upstream, { maxUpstreams: 6 });
  const call = async (address: string, name: string): Promise<string> => {
    const conversation = bridge.endpoint.openConnection({ lasting: false, address, send: () => undefined });
    const params = withMeta({ name }, { capabilities: { elicitation: { form: {} } } });
    return JSON.stringify(await conversation.receive({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }));
  };
  const greedy: Promise<string>[] = [];
  for (let count = 1; count <= 3; count++) {
    assert.match(await call('10.0.0.1', 'any'), /"result"/);
    greedy.push(call('10.0.0.2', 'wait'));
    await until(() => waiting.length === count);
  }
  assert.match(await call('10.0.0.1', 'any'), /"result"/);
  assert.match(await call('10.0.0.2', 'wait'), /the 3 upstream connections of one address in use/);
  for (const answer of waiting) answer();
  for (const answer of await Promise.all(greedy)) assert.match(answer, /"result"/);
});
