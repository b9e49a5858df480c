import assert from 'node:assert/strict';
import { connect as connectSocket, createServer, type AddressInfo, type Socket } from 'node:net';
import { test, type TestContext } from 'node:test';
import { z } from 'zod';
import { httpTransport } from '../http/client/transport.ts';
import { fakeEndpoint, type FakeConversation } from '../../../../../test/support/fake-endpoint.ts';
import { until } from '../../../../../test/support/turns.ts';
import type { HttpOptions } from '../http/server/exchanges/options.ts';
import type { Message } from '../../jsonrpc/message.ts';
import type { Channel } from '../../jsonrpc/transport.ts';
import { listen } from './server/http.ts';

/** A proxy that breaks every connection when it is told to. */
interface Proxy {
  readonly port: number;
  cut(): void;
}

async function proxyTo(t: TestContext, port: number): Promise<Proxy> {
  const sockets = new Set<Socket>();
  const server = createServer((incoming) => {
    const outgoing = connectSocket(port, '127.0.0.1');
    for (const [from, to] of [
      [incoming, outgoing],
      [outgoing, incoming],
    ] as const) {
      sockets.add(from);
      from.on('error', () => undefined);
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
      from.pipe(to);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  t.after(() => {
    cut();
    server.close();
  });
  // A server that listens on a port has the address of one.
  return { port: (server.address() as AddressInfo).port, cut };
}

interface Connected {
  readonly proxy: Proxy;
  readonly channel: Channel;
  readonly heard: unknown[];
  readonly conversation: FakeConversation;
}

/** A session of our client with our server, through a proxy. */
async function connect(t: TestContext, version: string, options: HttpOptions = {}): Promise<Connected> {
  const fake = fakeEndpoint();
  const listening = await listen(fake, { port: 0, drainTimeoutMs: 10, retryMs: 1, ...options });
  t.after(() => listening.close());
  const proxy = await proxyTo(t, listening.port);
  const heard: unknown[] = [];
  const transport = httpTransport(`http://127.0.0.1:${proxy.port}/mcp`);
  const channel = await transport.open({ message: (value) => heard.push(value), problem: () => {}, closed: () => {} });
  // The pauses of the client do not keep the process alive; this does.
  const alive = setInterval(() => {}, 1000);
  t.after(async () => {
    clearInterval(alive);
    await channel.close();
  });
  const params = { protocolVersion: version, capabilities: {}, clientInfo: { name: 'c', version: '1' } };
  await channel.send({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
  channel.setHeaders?.({ 'MCP-Protocol-Version': version });
  heard.length = 0;
  const [conversation] = fake.conversations;
  assert.ok(conversation);
  return { proxy, channel, heard, conversation };
}

function note(at: number): Message {
  return { jsonrpc: '2.0', method: 'notifications/message', params: { at } };
}

/** Where the server cannot say how soon to come back, clients wait for a second. */
for (const [version, rounds] of [
  ['2025-06-18', 2],
  ['2025-11-25', 25],
] as const) {
  test(`in ${version} a call through a connection that keeps breaking loses nothing and repeats nothing [http-026] [http-039] [http-041]`, async (t) => {
    const { proxy, channel, heard, conversation } = await connect(t, version);
    const slow: Message = { jsonrpc: '2.0', id: 2, method: 'slow' };
    const sent = channel.send(slow);
    await until(() => conversation.waiting.length === 1);
    let at = 0;
    for (let round = 0; round < rounds; round++) {
      conversation.link.send(note(at++), 2);
      // Some connections break when nothing is on its way, others with messages in the air.
      if (round % 3 === 0) await until(() => heard.length === at);
      for (let more = 0; more < 3; more++) conversation.link.send(note(at++), 2);
      proxy.cut();
      conversation.link.send(note(at++), 2);
      await until(() => heard.length === at);
    }
    conversation.release(2);
    await sent;
    assert.deepEqual(
      heard.slice(0, -1),
      Array.from({ length: at }, (_, number) => note(number)),
    );
    assert.deepEqual(heard.at(-1), { jsonrpc: '2.0', id: 2, result: { released: true } });
  });

  test(`in ${version} the listening stream survives broken connections [http-027] [http-039]`, async (t) => {
    const { proxy, channel, heard, conversation } = await connect(t, version);
    await channel.listen?.();
    for (let at = 0; at < rounds; at++) {
      conversation.link.send(note(2 * at));
      await until(() => heard.length === 2 * at + 1);
      proxy.cut();
      conversation.link.send(note(2 * at + 1));
      await until(() => heard.length === 2 * at + 2);
    }
    assert.deepEqual(
      heard,
      Array.from({ length: 2 * rounds }, (_, number) => note(number)),
    );
  });
}

test('a result that was ready while the client was away is had when it comes back', async (t) => {
  const { proxy, channel, heard, conversation } = await connect(t, '2025-11-25');
  const sent = channel.send({ jsonrpc: '2.0', id: 2, method: 'slow' });
  await until(() => conversation.waiting.length === 1);
  conversation.link.send(note(1), 2);
  await until(() => heard.length === 1);
  proxy.cut();
  conversation.release(2);
  await sent;
  assert.deepEqual(heard, [note(1), { jsonrpc: '2.0', id: 2, result: { released: true } }]);
});

test('a server that wants to be polled is polled by our client [http-025] [http-027]', async (t) => {
  const { channel, heard, conversation } = await connect(t, '2025-11-25');
  const sent = channel.send({ jsonrpc: '2.0', id: 2, method: 'slow' });
  await until(() => conversation.waiting.length === 1);
  conversation.link.disconnect?.(2, 5);
  conversation.link.send(note(1), 2);
  await until(() => heard.length === 1);
  conversation.link.disconnect?.(2, 5);
  conversation.release(2);
  await sent;
  assert.deepEqual(heard, [note(1), { jsonrpc: '2.0', id: 2, result: { released: true } }]);
});

test('a server that wants to be polled is polled by an official client of version 1.32.2 [http-025]', async (t) => {
  interface Official {
    connect(transport: object): Promise<void>;
    request(message: object, schema: object): Promise<unknown>;
    close(): Promise<void>;
  }
  // The package is a test dependency; these two paths export these two classes.
  const { Client } = (await import('sdk-1.32.2/client/index.js')) as { Client: new (info: object) => Official };
  const { StreamableHTTPClientTransport } = (await import('sdk-1.32.2/client/streamableHttp.js')) as {
    StreamableHTTPClientTransport: new (url: URL) => object;
  };
  const fake = fakeEndpoint();
  const listening = await listen(fake, { port: 0, drainTimeoutMs: 10, retryMs: 1 });
  t.after(() => listening.close());
  const client = new Client({ name: 'official', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(new URL(listening.url)));
  const [conversation] = fake.conversations;
  assert.ok(conversation);
  const answer = client.request({ method: 'slow' }, z.object({ released: z.literal(true) }));
  await until(() => conversation.waiting.length === 1);
  const [id = 0] = conversation.waiting;
  conversation.link.disconnect?.(id, 5);
  conversation.release(id);
  assert.deepEqual(await answer, { released: true });
  await client.close();
});
