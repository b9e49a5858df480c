import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connect, type Client } from '../client.ts';
import { createServer } from '../server.ts';
import { httpTransport } from '../transports/http/client/transport.ts';
import { spawn } from '../transports/stdio/client/transport.ts';
import { memoryTransport } from '../testing/memory-transport.ts';
import { scriptedTransport } from '../testing/scripted.ts';
import { factsOf } from './transport-facts.ts';
import { ConnectionError, type Transport } from './transport.ts';

test('a transport that says nothing is a plain stream of messages', () => {
  assert.deepEqual(factsOf({ description: 'ws://host' }), {
    description: 'ws://host',
    address: undefined,
    network: undefined,
    protocol: undefined,
    carriesHeaders: false,
    cancelsByClosing: false,
    mayLoseTheProbe: true,
    ownsProcess: false,
    signsIn: false,
  });
});

test('HTTP carries headers and has an address, and a command is a process of its own', () => {
  const http = factsOf(httpTransport('https://host.example/mcp?key=secret'));
  assert.deepEqual([http.carriesHeaders, http.cancelsByClosing, http.mayLoseTheProbe], [true, true, false]);
  assert.equal(http.address, 'https://host.example/mcp');
  const command = factsOf(spawn('server'));
  assert.deepEqual([command.ownsProcess, command.address], [true, undefined]);
});

test('a stream that is no process is not told what belongs on standard output', async () => {
  for (const [kind, told] of [
    ['memory', false],
    ['stdio', true],
  ] as const) {
    const transport = scriptedTransport(kind, (_, peer) => {
      peer.garble(new Error('not JSON'));
      peer.end(new ConnectionError('closed', 'the server went away'));
    });
    await assert.rejects(connect(transport), ({ message }: Error) => message.includes('standard output') === told);
  }
});

test('what was found out of a server is remembered by the address of its transport', async () => {
  const asked: string[] = [];
  const server = createServer({ name: 's', version: '1' }, { revisions: ['2025-11-25'] });
  const way = (): Transport => {
    const inner = memoryTransport(server);
    return {
      ...inner,
      address: 'tcp://host.example:1234',
      async open(receiver) {
        const channel = await inner.open(receiver);
        return {
          ...channel,
          async send(message) {
            if ('method' in message) asked.push(message.method);
            await channel.send(message);
          },
        };
      },
    };
  };
  const clients: Client[] = [await connect(way()), await connect(way())];
  assert.deepEqual(asked, [
    'server/discover',
    'initialize',
    'notifications/initialized',
    'initialize',
    'notifications/initialized',
  ]);
  for (const client of clients) await client.close();
});
