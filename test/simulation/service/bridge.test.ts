/** A bridge of its clients to a server of any revision behind it, over networks that fail: `npm run simulate -- --bridge --count 10000` runs more of it. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { outcomes, statesLeft } from './outcomes.ts';

// Of several processes each session has a home among them.
for (const [nodes, first, count] of [
  [1, 1, 500],
  [2, 501, 250],
  [3, 751, 250],
] as const)
  test(`every call through a bridge of ${nodes} ends once, with its own answer or an error that has a name`, async () => {
    const { failures, unreached } = await outcomes({ first, count, how: { bridge: true, nodes } });
    assert.deepEqual([failures, unreached], [[], []]);
  });

test('the schedules of bridges come to every state that there is of them', () => {
  assert.deepEqual(statesLeft('bridge'), []);
});
