/** What a process asks of the one that holds the result of a task, over a bus. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memoryBus } from '../../../storage/bus.ts';
import { reachHolder, shareResult } from './elsewhere.ts';

test('only a holder that names its questions is heard, and nobody who is not there is waited for', async () => {
  const bus = memoryBus();
  assert.equal(await reachHolder(bus, 'task'), undefined);
  const failures: unknown[] = [];
  const questions = { q: { method: 'roots/list' } };
  const unshare = await shareResult(bus, 'task', {
    look: async () => questions,
    take: (responses) => ('q' in responses ? {} : undefined),
    onFailure: (error) => failures.push(error),
  });
  const inner = bus.publish.bind(bus);
  // Somebody else writes on the channel of the reply first.
  const noisy = {
    ...bus,
    subscribe: bus.subscribe.bind(bus),
    publish: async (channel: string, text: string) => {
      const { reply } = JSON.parse(text) as { readonly reply: string };
      for (const held of [7, { kind: 'held' }, { kind: 'other', inputRequests: { other: {} } }])
        await inner(reply, JSON.stringify(held));
      return await inner(channel, text);
    },
  };
  assert.deepEqual(await reachHolder(noisy, 'task'), questions);
  assert.deepEqual(await reachHolder(noisy, 'task', { q: {} }), {});
  await unshare();
  assert.deepEqual([await reachHolder(bus, 'task'), failures], [undefined, []]);
});
