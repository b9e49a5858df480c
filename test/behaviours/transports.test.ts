/** Transports other than the usual ones, and what of stdio is the transport's alone: part 1.3 of the behaviours. */

import assert from 'node:assert/strict';
import { createConnection, createServer as createSocketServer, type AddressInfo } from 'node:net';
import { describe, test } from 'node:test';
import { connect, type Client } from '../../packages/parley/src/client.ts';
import type { Message } from '../../packages/parley/src/jsonrpc/message.ts';
import type { Transport } from '../../packages/parley/src/jsonrpc/transport.ts';
import { revisions, type RevisionDate } from '../../packages/parley/src/protocol/revision.ts';
import { createServer, type Server } from '../../packages/parley/src/server.ts';
import { serveStdio, spawn, streamTransport } from '../../packages/parley/src/stdio.ts';
import { root } from '../support/sources.ts';

function served(): Server {
  const server = createServer({ name: 's', version: '1' });
  server.tool('where', {}, async (_, ctx) => {
    ctx.progress(1);
    return JSON.stringify(await ctx.roots());
  });
  return server;
}

/** A transport of one's own: two message ports, with nothing of the SDK's but its contracts. */
function portTransport(server: Server, seen: Message[]): Transport {
  return {
    description: 'ports',
    async open(receiver) {
      const { port1, port2 } = new MessageChannel();
      const conversation = server.endpoint.openConnection({
        lasting: true,
        send: (message) => port2.postMessage(JSON.stringify(message)),
      });
      port1.onmessage = ({ data }) => receiver.message(JSON.parse(data));
      port2.onmessage = async ({ data }) => {
        const response = await conversation.receive(JSON.parse(data));
        if (response !== undefined) port2.postMessage(JSON.stringify(response));
      };
      return {
        async send(message) {
          for (const one of Array.isArray(message) ? message : [message]) seen.push(one);
          port1.postMessage(JSON.stringify(message));
        },
        async close() {
          conversation.close();
          port1.close();
        },
      };
    },
  };
}

async function usedFully(client: Client): Promise<void> {
  const progress: number[] = [];
  const { content } = await client.callTool('where', {}, { onProgress: (report) => progress.push(report.progress) });
  assert.deepEqual(content, [{ type: 'text', text: '[{"uri":"file:///a"}]' }]);
  assert.deepEqual(progress, [1]);
}

const roots = [{ uri: 'file:///a' }];

for (const { date, era } of revisions) {
  describe(`at ${date}`, () => {
    test('a transport of one’s own carries everything both ways [C01] [basic-042] [basic-043] [basic-046]', async () => {
      const seen: Message[] = [];
      const client = await connect(portTransport(served(), seen), { revisions: [date], roots });
      await usedFully(client);
      await client.close();
      for (const message of seen) assert.equal(message.jsonrpc, '2.0');
      const methods = seen.map((message) => ('method' in message ? message.method : 'response'));
      const opening = era === 'handshake' ? ['initialize', 'notifications/initialized'] : ['server/discover'];
      assert.deepEqual(methods.slice(0, opening.length), opening);
      if (era === 'stateless')
        for (const message of seen) assert.ok('params' in message && JSON.stringify(message.params).includes(date));
    });

    test('a socket carries a conversation with the framing of stdio [C81] [basic-045]', async (t) => {
      const server = served();
      const listener = createSocketServer((socket) => serveStdio(server, { input: socket, output: socket }));
      await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
      t.after(() => listener.close());
      // What listens on a port has the address of one.
      const socket = createConnection((listener.address() as AddressInfo).port, '127.0.0.1');
      const client = await connect(streamTransport({ input: socket, output: socket }), { revisions: [date], roots });
      await usedFully(client);
      await client.close();
    });

    test('the roots are asked for afresh, so that a change is never missed [E11]', async () => {
      const client = await connect(portTransport(served(), []), { revisions: [date], roots });
      await usedFully(client);
      await client.setRoots([{ uri: 'file:///b' }]);
      const { content } = await client.callTool('where');
      assert.deepEqual(content, [{ type: 'text', text: '[{"uri":"file:///b"}]' }]);
      await client.close();
    });
  });
}

/** A server as a program. */
function program(): Transport {
  const source = `import { createServer } from './packages/parley/src/server.ts';
import { serveStdio } from './packages/parley/src/stdio.ts';
serveStdio(createServer({ name: 'child', version: '1' }));`;
  return spawn(process.execPath, ['--input-type=module-typescript', '-e', source], { cwd: root, stderr: 'inherit' });
}

test('a server that was spawned answers a ping before any handshake, and ends when it is closed [C79]', async () => {
  let hear: (value: unknown) => void = () => {};
  const heard = new Promise((resolve) => (hear = resolve));
  const channel = await program().open({ message: hear, problem: hear, closed: hear });
  await channel.send({ jsonrpc: '2.0', id: 'probe', method: 'ping' });
  assert.deepEqual(await heard, { jsonrpc: '2.0', id: 'probe', result: {} });
  await channel.close();
  await assert.rejects(channel.send({ jsonrpc: '2.0', method: 'notifications/x' }), { reason: 'closed' });
});

test('a spawned server is used like any other [C79] [stdio-001]', async () => {
  const dates: RevisionDate[] = [];
  for (const date of ['2024-11-05', '2026-07-28'] as const) {
    const client = await connect(program(), { revisions: [date] });
    dates.push(client.revision);
    await client.close();
  }
  assert.deepEqual(dates, ['2024-11-05', '2026-07-28']);
});
