import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createServer } from '../server/server.ts';
import { revisions } from '../protocol/revision.ts';
import { ServiceListeners } from '../server/runtime/events/listeners.ts';
import type { ClientConnection } from '../server/runtime/request-handler.ts';
import type { Receiver } from '../jsonrpc/transport.ts';
import { memoryTransport } from './memory-transport.ts';
import { connectInMemory } from './pair.ts';
import { record } from './recorder.ts';

for (const { date } of revisions) {
  test(`a client in memory speaks the revision that was asked for (${date}) [C95]`, async () => {
    const server = createServer({ name: 'pair', version: '1.0.0' });
    server.tool('greet', {}, () => 'hello');
    const client = await connectInMemory(server, { revision: date });
    assert.equal(client.revision, date);
    const { content } = await client.callTool('greet');
    assert.deepEqual(content, [{ type: 'text', text: 'hello' }]);
    await client.close();
    await server.close();
  });
}

test('without a revision the newest common one is spoken', async () => {
  const [, older] = revisions;
  assert.ok(older);
  const server = createServer({ name: 'pair', version: '1.0.0' }, { revisions: [older.date] });
  const client = await connectInMemory(server);
  assert.equal(client.revision, older.date);
  await client.close();
  await server.close();
});

test('a recording holds what both sides sent while it ran', async () => {
  const server = createServer({ name: 'pair', version: '1.0.0' });
  server.tool('greet', {}, () => 'hello');
  const client = await connectInMemory(server);
  const recording = record();
  await client.callTool('greet');
  recording.stop();
  await client.callTool('greet');
  assert.deepEqual(
    recording.take().map(({ from, message, answers }) => [from, 'method' in message ? message.method : answers]),
    [
      ['client', 'tools/call'],
      ['server', 'tools/call'],
    ],
  );
  assert.deepEqual(recording.messages, []);
  await client.close();
  await server.close();
});

test('a request is answered in memory where its result is no JSON and whoever hears of that throws', async () => {
  const heard: string[] = [];
  const onError = (error: unknown): void => {
    heard.push(String(error));
    throw new Error('no place to write to');
  };
  const { endpoint } = createServer({ name: 'pair', version: '1.0.0' });
  // What a server answers is looked at in tests before it is written.
  const unwritable = { jsonrpc: '2.0', id: 1, result: { more: 1n } };
  const conversation = { receive: () => unwritable, close: () => undefined } as unknown as ClientConnection;
  const listeners = new ServiceListeners(undefined, { onError });
  const transport = memoryTransport({ endpoint: { ...endpoint, listeners, openConnection: () => conversation } });
  const answered = new Promise((resolve) => {
    const open = transport.open({ message: resolve } as unknown as Receiver);
    void Promise.resolve(open).then((channel) => channel.send({ jsonrpc: '2.0', id: 1, method: 'ping' }));
  });
  assert.deepEqual(await answered, {
    jsonrpc: '2.0',
    id: 1,
    error: { code: -32603, message: 'the result is not JSON' },
  });
  assert.match(heard.join(), /the result of a request is not JSON/);
});
