/** Merged listen streams while their servers end and begin theirs. */

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { clientOf } from '../../../../../test/support/bridged.ts';
import { frontOf } from '../../../../../test/support/fronted.ts';
import { settle } from '../../../../../test/support/raw.ts';
import { scriptedUpstream } from '../../../../../test/support/scripted-upstream.ts';
import { metaKey } from '../../protocol/meta.ts';
import type { ScriptedPeer, SentMessage } from '../../testing/scripted.ts';

it('a server that ends its part of a stream after a long while is followed soon again', async (t) => {
  const parts: (() => void)[] = [];
  const capabilities = { tools: {}, resources: { subscribe: true } };
  const listen = (sent: SentMessage, peer: ScriptedPeer): void => {
    const { id } = sent.message;
    const _meta = { [metaKey.subscriptionId]: id };
    const notifications = { resourceSubscriptions: ['memo:1'] };
    const method = 'notifications/subscriptions/acknowledged';
    peer.send({ jsonrpc: '2.0', method, params: { notifications, _meta } });
    parts.push(() => peer.reply(sent, { resultType: 'complete', _meta }));
  };
  const ending = scriptedUpstream({
    up: '2026-07-28',
    capabilities,
    answers: {
      'subscriptions/listen': listen,
      'resources/list': { resources: [{ uri: 'memo:1', name: 'one' }] },
      'resources/templates/list': { resourceTemplates: [] },
    },
  });
  let now = performance.now();
  t.mock.method(performance, 'now', () => now);
  t.mock.timers.enable({ apis: ['setTimeout'] });
  t.after(() => t.mock.timers.reset());
  const client = await clientOf(t, await frontOf(t, { ending }), '2026-07-28');
  await client.subscribe({ updates: ['memo:1'] }, () => undefined);
  for (let times = 1; times <= 6; times++) {
    assert.equal(parts.length, times);
    now += 60_000;
    parts.at(-1)?.();
    for (let turn = 0; turn < 5; turn++) await settle();
    t.mock.timers.tick(1000);
    for (let turn = 0; turn < 5; turn++) await settle();
  }
});
