/** Changes that a server tells of, whatever it declared. */

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { bridgeTo } from '../../test/support/bridged.ts';
import { open, settle, type Json } from '../../test/support/raw.ts';
import { scriptedUpstream } from '../../test/support/scripted-upstream.ts';
import { until } from '../../test/support/turns.ts';
import { metaKey } from '../protocol/meta.ts';
import type { ScriptedPeer, SentMessage } from '../testing/scripted.ts';

function paramsOf(message: Json | undefined): Json {
  // What a server of ours sends was checked against its schema.
  return message?.['params'] as Json;
}

// "a bridge passes no list changes of servers that send them without declaring": "passed on"
it('changes that a server did not declare reach every client', async (t) => {
  const upstream = scriptedUpstream({ up: '2025-06-18', capabilities: { tools: {} } });
  const bridge = await bridgeTo(t, upstream);
  const [session, stateless] = [await open(bridge, '2025-06-18'), await open(bridge, '2026-07-28')];
  void stateless.send(
    'subscriptions/listen',
    { notifications: { toolsListChanged: true, promptsListChanged: true } },
    1,
  );
  await until(() => stateless.heard.length > 0);
  assert.deepEqual(paramsOf(stateless.take()[0])['notifications'], { toolsListChanged: true });
  await session.result('tools/list');
  for (const peer of upstream.peers) peer.send({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
  await until(() => session.heard.length > 0 && stateless.heard.length > 0);
  assert.deepEqual(
    [session.methods, stateless.methods],
    [['notifications/tools/list_changed'], ['notifications/tools/list_changed']],
  );
});

// "`subscribe` says `honored` where nothing can come": "told"
for (const [name, answers] of [
  ['has no listen streams', {}],
  [
    'agrees to nothing',
    {
      'subscriptions/listen': (sent: SentMessage, peer: ScriptedPeer): void => {
        const params = { notifications: {}, _meta: { [metaKey.subscriptionId]: sent.message['id'] } };
        peer.send({ jsonrpc: '2.0', method: 'notifications/subscriptions/acknowledged', params });
      },
    },
  ],
] as const) {
  it(`a client is not promised the changes of a stateless server that ${name}`, async (t) => {
    const upstream = scriptedUpstream({ up: '2026-07-28', capabilities: { tools: { listChanged: true } }, answers });
    const raw = await open(await bridgeTo(t, upstream), '2026-07-28');
    await until(() => upstream.methods.includes('subscriptions/listen'));
    for (let turns = 0; turns < 10; turns++) await settle();
    void raw.send('subscriptions/listen', { notifications: { toolsListChanged: true } }, 1);
    await until(() => raw.heard.length > 0);
    assert.deepEqual(paramsOf(raw.take()[0])['notifications'], {});
  });
}
