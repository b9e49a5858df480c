/** The end of connections that do not end as they should. */

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { bridgeTo, clientOf, serverAt } from '../../../../../test/support/bridged.ts';
import { open, settle } from '../../../../../test/support/raw.ts';
import { connect } from '../../client.ts';
import { ConnectionError, type Channel, type Transport } from '../../jsonrpc/transport.ts';
import { memoryTransport } from '../../testing/memory-transport.ts';
import { bridgeOver } from '../bridge.ts';

const nothing = (): void => undefined;

function upstream(): Transport {
  const server = serverAt('2025-06-18');
  server.tool('any', {}, () => 'any');
  return memoryTransport(server);
}

/** A way on which conversations close in another way than they should. */
function closingBy(close: Channel['close']): Transport {
  const transport = upstream();
  return {
    ...transport,
    open: async (receiver) => {
      const channel = await transport.open(receiver);
      return { send: (message, options) => channel.send(message, options), close };
    },
  };
}

/** Ends something on the clock of the test, and gives the number of seconds that it took. */
async function secondsOf(t: TestContext, begin: () => Promise<void>): Promise<number> {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let isOver = false;
  const closing = begin().then(() => (isOver = true));
  let seconds = 0;
  for (; !isOver && seconds < 60; seconds++) {
    for (let turns = 0; turns < 20; turns++) await settle();
    if (!isOver) t.mock.timers.tick(1_000);
  }
  await closing;
  t.mock.timers.reset();
  return seconds;
}

test('a conversation whose close hangs does not hold the end of a bridge', async (t) => {
  const errors: unknown[] = [];
  const bridge = await bridgeTo(
    t,
    closingBy(() => new Promise(nothing)),
    { errors },
  );
  const seconds = await secondsOf(t, () => bridge.close());
  assert.ok(seconds >= 10 && seconds <= 20, `it took ${seconds} seconds`);
  assert.match(String(errors[0]), /not closed within 10000 ms/);
});

test('a conversation whose close throws at once is told of', async (t) => {
  const errors: unknown[] = [];
  const throwing = closingBy(() => {
    throw new Error('cannot');
  });
  const bridge = await bridgeTo(t, throwing, { errors });
  await bridge.close();
  assert.match(String(errors[0]), /cannot/);
});

test('a connection that fails is over when its process has ended', async () => {
  let end = (): void => {};
  const inner = closingBy(() => new Promise<void>((resolve) => (end = resolve)));
  const failing: Transport = {
    ...inner,
    open: async (receiver) => ({
      ...(await inner.open(receiver)),
      send: () => Promise.reject(new ConnectionError('exited', 'gone')),
    }),
  };
  let isOver = false;
  const bridging = bridgeOver(connect)({ upstream: failing });
  bridging.catch(() => {}).finally(() => (isOver = true));
  for (let turns = 0; turns < 20; turns++) await settle();
  assert.equal(isOver, false);
  end();
  await assert.rejects(bridging);
});

test('a conversation that never opens does not hold the end of a bridge', async (t) => {
  const transport = upstream();
  let opened = 0;
  const bridge = await bridgeTo(t, {
    ...transport,
    open: (receiver) => (++opened === 1 ? transport.open(receiver) : new Promise(nothing)),
  });
  const raw = await open(bridge, '2025-06-18');
  void raw.send('tools/list');
  for (let turns = 0; turns < 100 && opened < 2; turns++) await settle();
  assert.equal(opened, 2);
  // No clock of the test passes: what waits for it to open gives it up at once.
  await bridge.close();
});

test('a connection that cannot be closed when its session ends is told of', async (t) => {
  const warnings: string[] = [];
  let opened = 0;
  const createBridge = bridgeOver(async (target, options) => {
    const client = await connect(target, options);
    if (++opened === 1) return client;
    const close = client.close.bind(client);
    const failing = async (): Promise<void> => {
      await close();
      throw new Error('cannot');
    };
    return Object.defineProperty(client, 'close', { value: failing });
  });
  const bridge = await createBridge({ upstream: upstream(), onWarning: (message) => void warnings.push(message) });
  t.after(() => bridge.close());
  const client = await clientOf(t, bridge, '2025-06-18');
  await client.listTools();
  await client.close();
  for (let turns = 0; turns < 100 && warnings.length === 0; turns++) await settle();
  assert.deepEqual(warnings, ['a connection to the upstream was not closed well: cannot']);
});
