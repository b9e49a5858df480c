/** The stream of messages that belong to no request, where it cannot be opened. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { settle } from '../../../../../test/support/raw.ts';
import { connect } from '../../client.ts';
import type { Transport } from '../../jsonrpc/transport.ts';
import { createServer } from '../../server/server.ts';
import { memoryTransport } from '../../testing/memory-transport.ts';

/** A server of 2025-11-25 whose stream is opened as the test says. */
function listening(listen: () => Promise<boolean>): Transport {
  const server = createServer({ name: 's', version: '1' }, { revisions: ['2025-11-25'] });
  server.tool('t', {}, () => 'done');
  const inner = memoryTransport(server);
  return {
    ...inner,
    async open(receiver) {
      const channel = await inner.open(receiver);
      return { send: (message) => channel.send(message), close: () => channel.close(), listen };
    },
  };
}

test('a stream that cannot be opened is warned of, and calls are answered', async (t) => {
  for (const [listen, expected] of [
    [() => Promise.reject(new Error('no stream')), 1],
    [async () => false, 0],
    [async () => true, 0],
  ] as const) {
    const warnings: unknown[] = [];
    const client = await connect(listening(listen), { onWarning: (...warning) => warnings.push(warning) });
    t.after(() => client.close());
    await client.callTool('t');
    await settle();
    assert.equal(warnings.length, expected);
    if (expected === 1)
      assert.deepEqual(warnings, [['the stream for messages of the server was not opened', new Error('no stream')]]);
  }
});

test('a stream that fails since the client was closed is no warning', async () => {
  let fail = (_: Error): void => undefined;
  const warnings: unknown[] = [];
  const transport = listening(() => new Promise((_, reject) => (fail = reject)));
  const client = await connect(transport, { onWarning: (warning) => warnings.push(warning) });
  await client.close();
  fail(new Error('closed'));
  await settle();
  assert.deepEqual(warnings, []);
});

test('a notification of a client that was closed is rejected', async () => {
  const client = await connect(listening(async () => true));
  await client.close();
  await assert.rejects(async () => await client.notify('notifications/roots/list_changed'), { reason: 'closed' });
});
