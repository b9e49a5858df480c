/** A bridge of its clients to a server of any revision behind it, over networks that fail: `npm run simulate -- --bridge --count 10000` runs more of it. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failures, outcomes, unreached } from './judged.ts';

test('every call through a bridge ends once, with its own answer or an error that has a name', async () => {
  const all = await outcomes(1, 200, { bridge: true });
  assert.deepEqual([failures(all), unreached(all)], [[], []]);
});
