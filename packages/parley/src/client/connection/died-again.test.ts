import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConnectionError, type Receiver, type Transport } from '../../jsonrpc/transport.ts';
import { createServer } from '../../server/server.ts';
import { memoryTransport } from '../../testing/memory-transport.ts';
import { createConnect } from '../connect.ts';

const died = (): ConnectionError => new ConnectionError('exited', 'the process died');

test('a server that dies while it is started again is not taken for one of another revision', async () => {
  const server = createServer({ name: 's', version: '1' });
  server.tool('t', {}, () => 'x');
  let starts = 0;
  let running: Receiver | undefined;
  const transport: Transport = {
    description: 'a process',
    ownsProcess: true,
    async open(receiver) {
      running = receiver;
      const channel = await memoryTransport(server).open(receiver);
      // The second one dies of its first request.
      return ++starts === 2 ? { ...channel, send: async () => receiver.closed(died()) } : channel;
    },
  };
  const connect = createConnect<object>({ http: () => assert.fail('it has no URL'), options: {} });
  const client = await connect(transport, { revisions: ['2026-07-28'] });
  running?.closed(died());
  await assert.rejects(client.callTool('t', {}), { name: 'ConnectionError', reason: 'exited' });
  assert.equal((await client.callTool('t', {})).content.length, 1);
  assert.equal(starts, 3);
  await client.close();
});
