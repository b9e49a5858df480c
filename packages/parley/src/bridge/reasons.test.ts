/** Words in which a client says why it cancels, on their way through a bridge. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bridgeTo, pairs } from '../../../../test/support/bridged.ts';
import { open, settle } from '../../../../test/support/raw.ts';
import { paramsSent, scriptedUpstream } from '../../../../test/support/scripted-upstream.ts';

for (const { down, up } of pairs)
  test(`a server of ${up} hears why a client of ${down} cancelled`, async (t) => {
    const upstream = scriptedUpstream({ up, answers: { 'tools/call': () => undefined } });
    const raw = await open(await bridgeTo(t, upstream), down, { capabilities: {} });
    for (const [id, said] of [
      ['first', { reason: 'the user changed her mind' }],
      ['second', {}],
      ['third', { reason: '' }],
    ] as const) {
      void raw.send('tools/call', { name: 'any' }, id);
      await settle();
      await raw.notify('notifications/cancelled', { requestId: id, ...said });
      await settle();
      const { requestId, _meta: _, ...heard } = paramsSent(upstream, 'notifications/cancelled');
      const called = upstream.sent.findLast(({ message }) => message['method'] === 'tools/call');
      assert.equal(requestId, called?.message['id']);
      assert.deepEqual(heard, id === 'first' ? said : {});
    }
  });
