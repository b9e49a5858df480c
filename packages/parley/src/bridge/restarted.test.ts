/** Servers that come back as something else, or after they were given up. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { bridgeTo, lineOver, serverAt } from '../../../../test/support/bridged.ts';
import { frontOf } from '../../../../test/support/fronted.ts';
import { open, settle, type Json } from '../../../../test/support/raw.ts';
import { scriptedUpstream } from '../../../../test/support/scripted-upstream.ts';
import { until } from '../../../../test/support/turns.ts';
import { metaKey } from '../protocol/meta.ts';
import { memoryTransport } from '../testing/memory-transport.ts';
import type { ScriptedPeer, ScriptedTransport } from '../testing/scripted.ts';

it('a session hears that lists may have changed also where its connection was given up before', async (t) => {
  const server = serverAt('2025-11-25');
  server.tool('it', {}, () => 'it');
  const line = lineOver(memoryTransport(server));
  const raw = await open(await bridgeTo(t, line.transport), '2025-06-18');
  await raw.result('tools/call', { name: 'it' });
  // So often that the client of the bridge gives up.
  for (let response: Json = {}; !('error' in response); response = await raw.ask('tools/call', { name: 'it' })) {
    line.cutLast();
    await settle();
  }
  raw.take();
  await raw.result('tools/call', { name: 'it' });
  await until(() => raw.heard.length > 0);
  assert.deepEqual(raw.methods, ['notifications/tools/list_changed']);
});

/** A stateless server of some capabilities, with what tells a change on each of its listen streams. */
interface Version {
  readonly transport: ScriptedTransport;
  readonly streams: { readonly topics: Json; tell(method: string): void }[];
}

function version(capabilities: Json): Version {
  const streams: Version['streams'] = [];
  const transport = scriptedUpstream({
    up: '2026-07-28',
    capabilities,
    answers: {
      'subscriptions/listen': ({ message: { id, params } }, peer: ScriptedPeer) => {
        const _meta = { [metaKey.subscriptionId]: id };
        const { notifications } = Object(params);
        const send = (method: string, more: Json = {}): void =>
          peer.send({ jsonrpc: '2.0', method, params: { ...more, _meta } });
        streams.push({ topics: notifications, tell: send });
        send('notifications/subscriptions/acknowledged', { notifications });
      },
    },
  });
  return { transport, streams };
}

const tells = { listChanged: true };

describe('a stateless server that came back as another version of itself', () => {
  for (const [what, before] of [
    ['of nothing', { tools: {} }],
    ['of less', { tools: tells, prompts: {} }],
  ] as const) {
    it(`is heard of all that it tells of now, where it told ${what} before`, async (t) => {
      const [first, second] = [version(before), version({ tools: tells, prompts: tells })];
      let current = first.transport;
      const bridge = await bridgeTo(t, { description: 'both', open: (receiver) => current.open(receiver) });
      for (let turns = 0; turns < 20; turns++) await settle();
      current = second.transport;
      first.transport.peers.at(-1)?.end();
      const raw = await open(bridge, '2026-07-28');
      await raw.result('tools/list');
      const isWhole = ({ topics }: { readonly topics: Json }): boolean =>
        topics['toolsListChanged'] === true && topics['promptsListChanged'] === true;
      await until(() => second.streams.some(isWhole));
      void raw.send('subscriptions/listen', { notifications: { promptsListChanged: true } }, 'mine');
      await until(() => raw.heard.length > 0);
      const [told] = raw.take();
      assert.deepEqual(Object(told?.['params']).notifications, { promptsListChanged: true });
      second.streams.find(isWhole)?.tell('notifications/prompts/list_changed');
      await until(() => raw.heard.length > 0);
      assert.deepEqual(raw.methods, ['notifications/prompts/list_changed']);
    });
  }
});

it('one of several servers that came back is heard of what it did not tell of before, on streams that were open', async (t) => {
  const [first, second] = [version({ tools: tells, prompts: {} }), version({ tools: tells, prompts: tells })];
  let current = first.transport;
  const bridge = await frontOf(t, {
    restarted: { description: 'both', open: (receiver) => current.open(receiver) },
    other: version({ tools: tells }).transport,
  });
  const raw = await open(bridge, '2026-07-28');
  void raw.send('subscriptions/listen', { notifications: { promptsListChanged: true } }, 'mine');
  await until(() => raw.heard.length > 0);
  assert.deepEqual(Object(raw.take()[0]?.['params']).notifications, { promptsListChanged: true });
  current = second.transport;
  first.transport.peers.at(-1)?.end();
  await raw.result('tools/list');
  const isOfPrompts = ({ topics }: { readonly topics: Json }): boolean => topics['promptsListChanged'] === true;
  await until(() => second.streams.some(isOfPrompts));
  for (let turns = 0; turns < 20; turns++) await settle();
  raw.take();
  second.streams.find(isOfPrompts)?.tell('notifications/prompts/list_changed');
  await until(() => raw.heard.length > 0);
  assert.deepEqual(raw.methods, ['notifications/prompts/list_changed']);
});
