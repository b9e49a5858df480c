/** Results that say nothing but that it was done: part 1.5 of the behaviours. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { metaKey } from '../../packages/parley/src/protocol/meta.ts';
import { createServer, type Server } from '../../packages/parley/src/server.ts';
import { handshakeDates, open, settle, statelessDate } from '../support/raw.ts';

function served(): Server {
  const server = createServer({ name: 's', version: '1' });
  server.resource('a://b', { name: 'b' }, () => 'x');
  return server;
}

const uri = 'a://b';
const requests = [
  ['ping', {}],
  ['logging/setLevel', { level: 'info' }],
  ['resources/subscribe', { uri }],
  ['resources/unsubscribe', { uri }],
] as const;

for (const [method, params] of requests) {
  for (const date of handshakeDates) {
    test(`${method} is answered with nothing at ${date} [E02] [E03]`, async () => {
      const raw = await open(served(), date);
      assert.deepEqual(await raw.result(method, params), {});
    });
  }

  test(`${method} is gone from ${statelessDate} [E03]`, async () => {
    const raw = await open(served(), statelessDate);
    assert.equal((await raw.error(method, params)).code, -32601);
  });
}

test(`the graceful end of a subscription says at ${statelessDate} that it is complete, and whose it is [E02] [E03]`, async () => {
  const server = served();
  const raw = await open(server, statelessDate);
  const answer = raw.result('subscriptions/listen', { notifications: {} }, 'ears');
  await settle();
  await server.close();
  const { _meta, ...rest } = await answer;
  assert.deepEqual(rest, { resultType: 'complete' });
  assert.partialDeepStrictEqual(_meta, { [metaKey.subscriptionId]: 'ears' });
});
