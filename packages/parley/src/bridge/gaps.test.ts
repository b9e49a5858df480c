/** What a bridge makes of notifications that it may have missed. */

import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { bridgeTo } from '../../../../test/support/bridged.ts';
import { open, settle } from '../../../../test/support/raw.ts';
import { scriptedUpstream } from '../../../../test/support/scripted-upstream.ts';

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

/** A bridge in front of a server that tells of its tools, with one client that shares the connection or has its own. */
async function told(t: TestContext, sharing: 'shared' | undefined) {
  // Before the bridge is closed, which waits by a timer.
  t.after(() => t.mock.timers.reset());
  const capabilities = { tools: { listChanged: true } };
  const upstream = scriptedUpstream({ up: '2025-06-18', capabilities, answers: { 'tools/list': { tools: [] } } });
  const bridge = await bridgeTo(t, upstream, sharing === undefined ? {} : { sharing });
  const session = await open(bridge, '2025-03-26');
  await session.result('tools/list');
  for (let turns = 0; turns < 20; turns++) await settle();
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const peer = upstream.peers.at(-1);
  assert.ok(peer);
  return {
    bridge,
    gap: () => peer.gap(),
    /** Number of times that its client was told, after some time. */
    after: async (ms: number): Promise<number> => {
      t.mock.timers.tick(ms);
      for (let turns = 0; turns < 20; turns++) await settle();
      return session.methods.length;
    },
    listings: () => upstream.sent.filter(({ message }) => message['method'] === 'tools/list').length,
  };
}

for (const sharing of ['shared', undefined] as const)
  it(`gaps of a connection that is ${sharing ?? "one session's own"} are heard once in 30 seconds, the last too`, async (t) => {
    const { gap, after, listings, bridge } = await told(t, sharing);
    const before = listings();
    gap();
    assert.equal(await after(0), 1);
    for (let times = 0; times < 10; times++) gap();
    assert.equal(await after(29_999), 1);
    assert.equal(await after(1), 2);
    assert.ok(listings() - before <= 2);
    // The pause after that one is one too, and where nothing came in it nothing is heard at its end.
    gap();
    assert.equal(await after(29_999), 2);
    assert.equal(await after(1), 3);
    assert.equal(await after(60_000), 3);
    gap();
    assert.equal(await after(0), 4);
    gap();
    t.mock.timers.reset();
    await bridge.close();
  });
