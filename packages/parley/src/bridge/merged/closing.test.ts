/** The connections that have ended when a bridge is closed. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clientOf, serverAt, bridgeTo } from '../../../../../test/support/bridged.ts';
import { frontOf } from '../../../../../test/support/fronted.ts';
import { settle } from '../../../../../test/support/raw.ts';
import { until } from '../../../../../test/support/turns.ts';
import type { Transport } from '../../jsonrpc/transport.ts';
import { memoryTransport } from '../../testing/memory-transport.ts';

/** A server each of whose connections ends when the test says so. */
function heldOpen() {
  const server = serverAt('2025-06-18');
  server.tool('any', {}, () => 'any');
  const inner = memoryTransport(server);
  const ends: ((() => void) | undefined)[] = [];
  let opened = 0;
  const transport: Transport = {
    ...inner,
    open: async (receiver) => {
      const channel = await inner.open(receiver);
      const at = opened++;
      const close = async (): Promise<void> => {
        await new Promise<void>((resolve) => (ends[at] = resolve));
      };
      return { send: (message, options) => channel.send(message, options), close };
    },
  };
  return { transport, ends };
}

async function turns(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await settle();
}

/** Whether something is over, now and later. */
function watched(work: Promise<void>): { over: boolean } {
  const state = { over: false };
  void work.then(() => (state.over = true));
  return state;
}

test('a bridge before several servers is closed when the last connection has ended', async (t) => {
  const [one, two] = [heldOpen(), heldOpen()];
  const bridge = await frontOf(t, { one: one.transport, two: two.transport });
  const closing = watched(bridge.close());
  await until(() => one.ends.length + two.ends.length === 2);
  for (const { ends } of [one, two]) {
    await turns();
    assert.equal(closing.over, false);
    ends[0]?.();
  }
  await until(() => closing.over);
});

test('a bridge is closed when the connection of a session that is over has ended too', async (t) => {
  const { transport, ends } = heldOpen();
  const bridge = await bridgeTo(t, transport);
  const client = await clientOf(t, bridge, '2025-06-18');
  await client.callTool('any');
  await client.close();
  await until(() => ends[1] !== undefined);
  const closing = watched(bridge.close());
  await until(() => ends[0] !== undefined);
  ends[0]?.();
  await turns();
  assert.equal(closing.over, false);
  ends[1]?.();
  await until(() => closing.over);
});
