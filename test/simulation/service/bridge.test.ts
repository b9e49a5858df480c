/** A bridge of its clients to a server of any revision behind it, over networks that fail: `npm run simulate -- --bridge --count 10000` runs more of it. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { outcomes } from './outcomes.ts';

test('every call through a bridge ends once, with its own answer or an error that has a name', async () => {
  const { failures, unreached } = await outcomes({ first: 1, count: 1_000, how: { bridge: true } });
  assert.deepEqual([failures, unreached], [[], []]);
});
