/** What a bridge makes of notifications that it may have missed. */

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { bridgeTo } from '../../test/support/bridged.ts';
import { open, settle } from '../../test/support/raw.ts';
import { scriptedUpstream } from '../../test/support/scripted-upstream.ts';

it('a session whose own connection may have missed changes hears of each list that there is, and no other does', async (t) => {
  const capabilities = { tools: { listChanged: true }, prompts: { listChanged: true }, resources: {} };
  const answers = { 'tools/list': { tools: [] } };
  const upstream = scriptedUpstream({ up: '2025-06-18', capabilities, answers });
  const bridge = await bridgeTo(t, upstream);
  const [session, other] = [await open(bridge, '2025-03-26'), await open(bridge, '2025-03-26')];
  await other.result('tools/list');
  await session.result('tools/list');
  upstream.peers.at(-1)?.gap();
  for (let turns = 0; turns < 20; turns++) await settle();
  const heard = ['notifications/tools/list_changed', 'notifications/prompts/list_changed'];
  assert.deepEqual(new Set(session.methods), new Set(heard));
  assert.equal(session.methods.length, heard.length);
  assert.deepEqual(other.methods, []);
});
