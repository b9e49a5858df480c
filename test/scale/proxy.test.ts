/** The proxy of the cluster example. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test, type TestContext } from 'node:test';
import { roundRobin } from '../../examples/cluster/proxy.ts';

async function urlOf(t: TestContext, server: Server): Promise<URL> {
  server.listen(0, '127.0.0.1');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, 'listening');
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`);
}

test('the proxy forwards no header that describes the connection behind it', async (t) => {
  let seen: IncomingMessage['headers'] = {};
  const server = createServer({ keepAliveTimeout: 60_000 }, (incoming, outgoing) => {
    seen = incoming.headers;
    outgoing.setHeader('x-own', 'kept').end('here');
  });
  const url = await urlOf(t, roundRobin([await urlOf(t, server)]));
  const sent = request(url, {
    headers: { connection: 'keep-alive, x-hop', 'keep-alive': 'timeout=90', 'x-hop': 'dropped', 'x-end': 'kept' },
  }).end();
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  answer.resume();
  // A client that believes 60 seconds sends its request on a connection that the proxy closes after 5.
  assert.equal(answer.headers['keep-alive'], 'timeout=5');
  assert.equal(answer.headers['x-own'], 'kept');
  assert.deepEqual([seen['keep-alive'], seen['x-hop'], seen['x-end']], [undefined, undefined, 'kept']);
});
