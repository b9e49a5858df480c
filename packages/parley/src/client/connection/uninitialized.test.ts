/** A server that begins anew behind an open stream, as a program under a watcher does. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createBridge } from '../../bridge.ts';
import { connect } from '../../client.ts';
import { ConnectionError, type Channel, type Transport } from '../../jsonrpc/transport.ts';
import { McpError } from '../../protocol/error.ts';
import { createServer } from '../../server/server.ts';
import { memoryTransport } from '../../testing/memory-transport.ts';
import { connectInMemory } from '../../testing/pair.ts';

interface Scene {
  readonly transport: Transport;
  /** Methods that the server got, in all of its lives. */
  readonly sent: string[];
  readonly warnings: string[];
  readonly calls: () => number;
  restart(): Promise<void>;
}

function scene(): Scene {
  const sent: string[] = [];
  const warnings: string[] = [];
  let calls = 0;
  const server = createServer({ name: 's', version: '1' }, { revisions: ['2025-06-18'] });
  server.tool('count', {}, () => String(++calls));
  server.prompt('p', {}, () => 'x');
  server.tool('wrong', {}, () => {
    throw new McpError('invalidRequest', 'wrong came before initialize');
  });
  let begin = (): Promise<void> => Promise.resolve();
  const transport: Transport = {
    description: 'node --watch',
    async open(receiver) {
      let inner: Channel | undefined;
      begin = async () => {
        await inner?.close();
        inner = await memoryTransport(server).open(receiver);
      };
      await begin();
      return {
        async send(message) {
          for (const one of [message].flat()) if ('method' in one) sent.push(one.method);
          await inner?.send(message);
        },
        close: async () => await inner?.close(),
      };
    },
  };
  return { transport, sent, warnings, calls: () => calls, restart: () => begin() };
}

describe('a server that begins anew behind an open stream', () => {
  test('is initialized again once, and gets the requests that may be repeated', async (t) => {
    const { transport, sent, warnings, restart } = scene();
    const client = await connect(transport, { onWarning: (message) => warnings.push(message) });
    t.after(() => client.close());
    await client.callTool('count');
    await restart();
    sent.length = 0;
    const [tools, prompts] = await Promise.all([client.listTools(), client.listPrompts()]);
    assert.deepEqual([tools.length, prompts.length], [2, 1]);
    assert.equal(sent.filter((method) => method === 'initialize').length, 1);
    assert.deepEqual(warnings, ['node --watch restarted, and was initialized again']);
  });

  for (const sessionLost of ['fail', 'repeat'] as const)
    test(`gets a call as sessionLost says: ${sessionLost}`, async (t) => {
      const { transport, calls, restart } = scene();
      const client = await connect(transport, { sessionLost });
      t.after(() => client.close());
      await client.callTool('count');
      await restart();
      const call = client.callTool('count');
      if (sessionLost === 'repeat') await call;
      else await assert.rejects(call, { reason: 'session-lost', message: /nothing ran: it may be sent again/ });
      await client.callTool('count');
      assert.equal(calls(), sessionLost === 'repeat' ? 3 : 2);
    });

  test('is initialized again as often as a connection may be opened again, and no more', async (t) => {
    const { transport, sent, warnings, restart } = scene();
    const client = await connect(transport, {
      maxReconnects: 2,
      now: () => 0,
      onWarning: (message) => warnings.push(message),
    });
    t.after(() => client.close());
    await client.callTool('count');
    for (const isBegun of [true, true, false]) {
      await restart();
      sent.length = 0;
      const listed = client.listTools({ cache: 'bypass' });
      if (isBegun) await listed;
      else await assert.rejects(listed);
      assert.equal(sent.includes('initialize'), isBegun);
    }
    assert.equal(warnings.filter((warning) => warning.includes('was initialized again')).length, 2);
  });

  test('that cannot be initialized again fails the request, and a warning says why', async (t) => {
    const { transport, warnings, restart } = scene();
    const state = { isDeaf: false };
    const deaf: Transport = {
      ...transport,
      async open(receiver) {
        const channel = await transport.open(receiver);
        return {
          send: async (message) => {
            if (state.isDeaf && [message].flat().some((one) => 'method' in one && one.method === 'initialize'))
              throw new ConnectionError('closed', 'deaf');
            await channel.send(message);
          },
          close: () => channel.close(),
        };
      },
    };
    const client = await connect(deaf, { onWarning: (message) => warnings.push(message) });
    t.after(() => client.close());
    await client.callTool('count');
    await restart();
    state.isDeaf = true;
    await assert.rejects(client.listTools());
    assert.deepEqual(warnings, ['a restarted server could not be initialized again']);
  });

  test('goes on behind a bridge', async (t) => {
    const { transport, restart } = scene();
    const bridge = await createBridge({ upstream: transport });
    const client = await connectInMemory(bridge);
    t.after(async () => {
      await client.close();
      await bridge.close();
    });
    await client.callTool('count');
    await restart();
    await client.callTool('count').catch(() => undefined);
    assert.deepEqual((await client.callTool('count')).isError ?? false, false);
  });
});

test('a request that is refused for its own sake stays refused', async (t) => {
  const { transport, sent } = scene();
  const client = await connect(transport);
  t.after(() => client.close());
  await client.callTool('count');
  sent.length = 0;
  await assert.rejects(client.callTool('wrong'), { code: -32600 });
  assert.ok(!sent.includes('initialize'));
});

test('a wrong argument leads to one question for a list that the server declared', async (t) => {
  const methods: string[] = [];
  const server = createServer({ name: 's', version: '1' }, { revisions: ['2025-06-18'] });
  server.tool('t', {}, () => 'x');
  const inner = memoryTransport(server);
  const client = await connect({
    ...inner,
    async open(receiver) {
      const channel = await inner.open(receiver);
      const send: Channel['send'] = async (message, options) => {
        for (const one of [message].flat()) if ('method' in one) methods.push(one.method);
        await channel.send(message, options);
      };
      return { ...channel, send, close: () => channel.close() };
    },
  });
  t.after(() => client.close());
  await client.callTool('t');
  methods.length = 0;
  await assert.rejects(client.callTool('nothing'), { code: -32602 });
  assert.deepEqual(methods, ['tools/call', 'tools/list']);
});
