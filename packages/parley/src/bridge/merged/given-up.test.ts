/** Requests to several servers that are given up before all of them answered. */

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { open, settle, statelessDate } from '../../../../../test/support/raw.ts';
import { scriptedUpstream, type Scripted } from '../../../../../test/support/scripted-upstream.ts';
import { createBridge } from '../../bridge.ts';
import type { ScriptedTransport } from '../../testing/scripted.ts';

/** A server that reads whatever it is asked for. */
function reader(name: string, answers: Scripted['answers']): ScriptedTransport {
  return scriptedUpstream({
    up: '2025-11-25',
    answers: {
      'resources/templates/list': { resourceTemplates: [] },
      'resources/read': (sent, peer) =>
        peer.reply(sent, { contents: [{ uri: Object(sent.message['params'])['uri'], text: name }] }),
      ...answers,
    },
  });
}

it('a request that is given up while servers are listed leads nobody else to another server', async (t) => {
  const held: (() => void)[] = [];
  let isHeld = true;
  const bridge = await createBridge({
    upstreams: {
      first: { upstream: reader('first', { 'resources/list': { resources: [] } }) },
      second: {
        upstream: reader('second', {
          'resources/list': (sent, peer) => {
            const answer = (): void => peer.reply(sent, { resources: [{ uri: 'memo:second', name: 'memo' }] });
            if (isHeld) held.push(answer);
            else answer();
          },
        }),
      },
    },
    onWarning: () => undefined,
  });
  t.after(() => bridge.close());
  const [one, two] = [await open(bridge, statelessDate), await open(bridge, statelessDate)];
  const given = one.send('resources/read', { uri: 'memo:second' }, 'given up');
  while (held.length === 0) await settle();
  await one.notify('notifications/cancelled', { requestId: 'given up' });
  await given;
  isHeld = false;
  for (let turn = 0; turn < 20; turn++) await settle();
  const { contents } = await two.result('resources/read', { uri: 'memo:second' });
  assert.deepEqual(contents, [{ uri: 'memo:second', text: 'second' }]);
});
