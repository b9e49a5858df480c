/** Refusals without a challenge, for a client that can sign in: of one method, or of all. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createBridge } from '../../packages/parley/src/bridge.ts';
import { connect } from '../../packages/parley/src/client.ts';
import { httpTransport } from '../../packages/parley/src/transports/http/client/transport.ts';
import type { Transport } from '../../packages/parley/src/jsonrpc/transport.ts';
import { oauth } from '../../packages/parley/src/oauth.ts';
import { revisions } from '../../packages/parley/src/protocol/revision.ts';
import { memoryTransport } from '../../packages/parley/src/testing/memory-transport.ts';
import { createWorld, redirectUri } from '../support/authorization-world.ts';
import { oddFetch } from './odd-fetch.ts';
import { freshUrl } from './peers.ts';

const dates = revisions.map(({ date }) => date);

for (const status of [401, 403])
  test(`a gateway that refuses an unknown method with ${status} asks nobody to sign in`, async () => {
    const reach = (): Transport =>
      httpTransport(freshUrl(), {
        fetch: oddFetch(({ method }) => (method === 'server/discover' ? new Response('no', { status }) : undefined)),
        auth: oauth({ redirect: () => assert.fail('nobody signs in'), redirectUri }),
      });
    const client = await connect(reach(), { onWarning: () => undefined });
    const bridge = await createBridge({ upstream: reach(), onWarning: () => undefined });
    const bridged = await connect(memoryTransport(bridge));
    for (const user of [client, bridged]) {
      assert.equal((await user.listTools()).length, 1);
      await user.close();
    }
    await bridge.close();
  });

test('a server that refuses everything without a challenge has a person sign in, and speaks its newest version', async () => {
  const world = createWorld({
    answers: {
      '/mcp': ({ headers }) => (headers.has('authorization') ? undefined : new Response('{}', { status: 401 })),
    },
  });
  const client = await world.connect(world.oauth(), { revisions: dates });
  assert.deepEqual([client.revision, world.pages.length], ['2026-07-28', 1]);
  assert.equal((await client.callTool('read')).isError, undefined);
  await client.close();
  // Both first questions were refused before.
  const asked = world.asked.filter(({ url }) => url.pathname === '/mcp').map(({ body }) => body['method']);
  assert.deepEqual(asked.slice(0, 4), ['server/discover', 'initialize', 'server/discover', 'server/discover']);
});

test('a token that a server refuses everywhere without a challenge is refused', async () => {
  const fetch = oddFetch(() => new Response('bad token', { status: 401 }));
  const client = connect(httpTransport(freshUrl(), { fetch, auth: 'abc' }), { onWarning: () => undefined });
  await assert.rejects(client, { reason: 'unauthorized', message: /bad token: the authorization was refused$/ });
});
