import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { Message } from '../jsonrpc/message.ts';
import type { Channel, ConnectionError } from '../jsonrpc/transport.ts';
import { revisionOf } from '../protocol/revision.ts';
import { echoServed, type EchoServed } from '../../../../test/support/echo-served.ts';
import { memoryTransport } from './memory-transport.ts';

interface Opened {
  readonly channel: Channel;
  readonly heard: unknown[];
  readonly ends: ConnectionError[];
}

async function open(served: EchoServed): Promise<Opened> {
  const heard: unknown[] = [];
  const ends: ConnectionError[] = [];
  const channel = await memoryTransport(served).open({
    message: (value) => heard.push(value),
    problem: () => {},
    closed: (error) => ends.push(error),
  });
  return { channel, heard, ends };
}

const batching = revisionOf('2025-03-26');

function echo(id: number, params: Record<string, unknown> = {}): Message {
  return { jsonrpc: '2.0', id, method: 'echo', params };
}

test('a request is answered and a notification is not [basic-018]', async () => {
  const served = echoServed();
  const { channel, heard } = await open(served);
  await channel.send({ jsonrpc: '2.0', method: 'notifications/x' });
  await channel.send(echo(1, { a: 1 }));
  await setImmediate();
  assert.deepEqual(heard, [{ jsonrpc: '2.0', id: 1, result: { a: 1 } }]);
  assert.deepEqual(served.conversations[0]?.notifications, ['notifications/x']);
});

test('every open is a conversation of its own', async () => {
  const served = echoServed();
  const transport = memoryTransport(served);
  const receiver = { message: () => {}, problem: () => {}, closed: () => {} };
  await transport.open(receiver);
  await transport.open(receiver);
  assert.equal(served.conversations.length, 2);
});

test('the two ends share no object', async () => {
  const params = { list: [1] };
  const { channel, heard } = await open(echoServed());
  await channel.send(echo(1, params));
  params.list.push(2);
  await setImmediate();
  assert.deepEqual(heard, [{ jsonrpc: '2.0', id: 1, result: { list: [1] } }]);
});

test('delivery is never within the call that sends', async () => {
  const { channel, heard } = await open(echoServed());
  void channel.send(echo(1));
  assert.deepEqual(heard, []);
});

test('a batch is answered by one array where the revision has batches [basic-019]', async () => {
  const { channel, heard } = await open(echoServed(batching));
  await channel.send([echo(1), { jsonrpc: '2.0', method: 'notifications/x' }, echo(2)]);
  await setImmediate();
  assert.deepEqual(heard, [
    [
      { jsonrpc: '2.0', id: 1, result: {} },
      { jsonrpc: '2.0', id: 2, result: {} },
    ],
  ]);
});

test('a batch of notifications gets no answer', async () => {
  const { channel, heard } = await open(echoServed(batching));
  await channel.send([{ jsonrpc: '2.0', method: 'notifications/x' }]);
  await setImmediate();
  assert.deepEqual(heard, []);
});

for (const [why, batch, revision] of [
  ['where the revision has none', [echo(1)], revisionOf('2025-06-18')],
  ['when it is empty', [], batching],
  ['with more than a hundred messages', Array.from({ length: 101 }, (_, id) => echo(id)), batching],
] as const) {
  test(`a batch is one invalid request ${why}`, async () => {
    const { channel, heard } = await open(echoServed(revision));
    await channel.send(batch);
    await setImmediate();
    assert.equal(heard.length, 1);
    assert.partialDeepStrictEqual(heard[0], { id: null, error: { code: -32600 } });
  });
}

test('initialize inside a batch is refused, its neighbours are answered [basic-020]', async () => {
  const { channel, heard } = await open(echoServed(batching));
  await channel.send([{ jsonrpc: '2.0', id: 1, method: 'initialize' }, echo(2)]);
  await setImmediate();
  assert.partialDeepStrictEqual(heard, [
    [
      { id: 1, error: { code: -32600 } },
      { id: 2, result: {} },
    ],
  ]);
});

test('a result that is no JSON becomes an internal error', async () => {
  const { channel, heard } = await open(echoServed());
  await channel.send({ jsonrpc: '2.0', id: 1, method: 'cycle' });
  await setImmediate();
  assert.partialDeepStrictEqual(heard, [{ id: 1, error: { code: -32603 } }]);
});

test('a request that cannot be read is refused where it is sent', async () => {
  const { channel } = await open(echoServed());
  const params = {
    get unreadable(): string {
      throw new Error('not now');
    },
  };
  await assert.rejects(channel.send(echo(1, params)), { reason: 'invalid-message' });
});

test('closing ends the conversation, is fine twice, and nothing is heard after it', async () => {
  const served = echoServed();
  const { channel, heard, ends } = await open(served);
  await channel.send(echo(1));
  await channel.close();
  await channel.close();
  await setImmediate();
  assert.equal(served.conversations[0]?.closed, true);
  assert.deepEqual([heard, ends], [[], []]);
  await assert.rejects(channel.send(echo(2)), { reason: 'closed' });
});

test('a flood within one turn is refused and not kept', async () => {
  const { channel } = await open(echoServed());
  const sends = await Promise.allSettled(Array.from({ length: 20_000 }, (_, id) => channel.send(echo(id))));
  assert.ok(sends.some((send) => send.status === 'rejected' && send.reason.reason === 'too-large'));
});
