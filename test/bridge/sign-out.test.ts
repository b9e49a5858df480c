/** What people granted to a bridge is listed, and ended for one of them. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createBridge } from '../../packages/parley/src/bridge.ts';
import { connect } from '../../packages/parley/src/client.ts';
import { createServer } from '../../packages/parley/src/server/server.ts';
import { memoryTransport } from '../../packages/parley/src/testing/memory-transport.ts';
import { names, scene, text } from '../support/per-principal-scene.ts';

const principalOf = (person: string): string => JSON.stringify(['https://issuer.test', person]);

describe('upstreamAuth per-principal', () => {
  test('a bridge lists what people granted, and signs one of them out', async (t) => {
    const { willing, bridge, upstream, authorization, store, as } = await scene(t, '2025-11-25');
    assert.deepEqual(await bridge.grants(), []);
    const ann = await willing('ann', '2025-11-25');
    const bob = await willing('bob', '2025-11-25');
    for (const { client } of [ann, bob]) await client.callTool('whoami');
    const grants = await bridge.grants();
    assert.deepEqual(
      grants.map(({ principal, clients, issuer, scopes, upstream: at }) => [principal, clients, issuer, scopes, at]),
      ['ann', 'bob'].map((one) => [principalOf(one), ['test-client'], authorization.issuer, ['read'], upstream.url]),
    );
    for (const secret of authorization.secrets) assert.ok(!JSON.stringify(grants).includes(secret));
    assert.equal((await bridge.grants(principalOf('bob'))).length, 1);

    assert.deepEqual(await bridge.signOut(principalOf('ann')), { revoked: true });
    assert.deepEqual(
      (await bridge.grants()).map(({ principal }) => principal),
      [principalOf('bob')],
    );
    assert.equal(authorization.revokedGrants(), 1);
    for (const kind of ['grant', 'consent'] as const)
      assert.deepEqual([...new Set((await store.keys(kind)).map(({ principal }) => principal))], [principalOf('bob')]);
    // The client goes on in a new session, and its person is asked again.
    assert.deepEqual(await names(ann.client), ['sign_in']);
    assert.equal(await text(ann.client, 'whoami'), 'ann');
    assert.equal(ann.opened.length, 2);
    assert.equal(await text(bob.client, 'whoami'), 'bob');
    assert.equal(bob.opened.length, 1);
    assert.deepEqual(await bridge.signOut(principalOf('nobody')), { revoked: false });
    await assert.rejects(bridge.signOut(principalOf('bob'), { upstream: 'else' }), /there is no sign-in at "else"/);
    assert.deepEqual(await names(await as('eve', '2025-11-25')), ['sign_in']);
  });

  test('the standing of a server is told for each principal', async (t) => {
    const { willing, bridge, as, upstream } = await scene(t, '2025-11-25');
    assert.deepEqual(bridge.upstreamsOf(principalOf('ann')), []);
    const { client } = await willing('ann', '2025-11-25');
    await client.callTool('whoami');
    await names(await as('bob', '2025-11-25'));
    const [[ann], [bob]] = [bridge.upstreamsOf(principalOf('ann')), bridge.upstreamsOf(principalOf('bob'))];
    assert.deepEqual([ann?.name, ann?.state, ann?.facts?.server?.name], [upstream.url, 'ready', 'upstream']);
    assert.deepEqual([bob?.state, bob?.facts], ['failing', undefined]);
    assert.match(bob?.failure ?? '', /sign in|login/);
    assert.equal(bridge.upstream.server, undefined);
  });
});

test('where all clients share the connections of a bridge, each principal is told the same', async (t) => {
  const server = createServer({ name: 's', version: '1' });
  const bridge = await createBridge({ upstreams: { one: { upstream: memoryTransport(server) } } });
  t.after(() => bridge.close());
  const client = await connect(memoryTransport(bridge, { auth: { principal: 'ann' } }));
  t.after(() => client.close());
  assert.deepEqual(bridge.upstreamsOf('ann'), bridge.upstreams);
  assert.deepEqual([bridge.upstreams[0]?.name, bridge.upstreams[0]?.state], ['one', 'ready']);
  assert.deepEqual([await bridge.grants(), await bridge.signOut('ann')], [[], { revoked: false }]);
});
