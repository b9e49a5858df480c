/** Notifications of clients on their way to a server that is slow to take them. */

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { bridgeTo } from '../../../../../test/support/bridged.ts';
import { open, settle, type Raw } from '../../../../../test/support/raw.ts';
import type { Bridge } from '../../bridge.ts';
import { scriptedTransport } from '../../testing/scripted.ts';

/** A server over HTTP that takes no notification before it is told to. */
function slowServer() {
  const taken: string[] = [];
  let take!: () => void;
  const taking = new Promise<void>((resolve) => (take = resolve));
  const transport = scriptedTransport('http', async (sent, peer) => {
    const { id, method, params } = sent.message;
    const serverInfo = { name: 'slow', version: '1' };
    if (method === 'initialize')
      return peer.reply(sent, { protocolVersion: '2025-11-25', serverInfo, capabilities: { tools: {} } });
    if (method === 'tools/list') return peer.reply(sent, { tools: [] });
    if (id !== undefined) return peer.refuse(sent, { code: -32601, message: 'not found' });
    if (method !== 'notifications/own') return;
    taken.push(Object(params)['of']);
    await taking;
  });
  return { transport, taken, take };
}

async function clientOf(bridge: Bridge, principal: string): Promise<Raw> {
  return await open(bridge, '2025-11-25', { auth: { principal } });
}

async function flood(client: Raw, params: Readonly<Record<string, unknown>>, count: number): Promise<void> {
  for (let at = 0; at < count; at++) await client.notify('notifications/own', params);
  for (let turn = 0; turn < 20; turn++) await settle();
}

it('notifications of one client are bounded while a server does not take them, and leave room for others', async (t) => {
  const { transport, taken, take } = slowServer();
  const warnings: string[] = [];
  const bridge = await bridgeTo(t, transport, { warnings });
  const [eve, ada] = [await clientOf(bridge, 'eve'), await clientOf(bridge, 'ada')];
  await flood(eve, { of: 'eve' }, 600);
  await flood(ada, { of: 'ada' }, 1);
  assert.deepEqual([taken.filter((of) => of === 'eve').length, taken.at(-1)], [512, 'ada']);
  assert.equal(warnings.length, 1);
  assert.match(warnings[0] ?? '', /^"notifications\/own" and what follows it is dropped/);
  take();
  for (let turn = 0; turn < 20; turn++) await settle();
  await flood(eve, { of: 'eve again' }, 1);
  assert.equal(taken.at(-1), 'eve again');
});

it('the text of notifications is bounded as well', async (t) => {
  const { transport, taken, take } = slowServer();
  const bridge = await bridgeTo(t, transport);
  const eve = await clientOf(bridge, 'eve');
  await flood(eve, { of: 'eve', text: 'x'.repeat(10 * 1024 * 1024) }, 5);
  assert.equal(taken.length, 3);
  take();
});
