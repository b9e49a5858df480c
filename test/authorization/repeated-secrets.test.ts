/** Servers that repeat what they were sent, in errors that a person at the command line sees. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test, type TestContext } from 'node:test';
import { assertSilent, scene } from '../support/command-line-scene.ts';

/** A server that wants a token of an authorization server, and fails with the token in its words. */
async function repeating(t: TestContext, issuer: () => string): Promise<string> {
  const http = createServer(({ url = '', headers: { authorization } }, response) => {
    if (url.startsWith('/.well-known/'))
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(
          JSON.stringify({ resource: `${origin}/mcp`, authorization_servers: [issuer()], scopes_supported: ['read'] }),
        );
    else if (authorization === undefined) response.writeHead(401, { 'www-authenticate': 'Bearer' }).end();
    else response.writeHead(500).end(`you sent ${authorization}`);
  });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  t.after(() => http.close());
  // It listens at a port, so that the address is one of those.
  const origin = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  return `${origin}/mcp`;
}

/** Refuses to renew, with the refresh token in its words. */
async function refusing(request: IncomingMessage, response: ServerResponse, error: string): Promise<boolean> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const token = new URLSearchParams(Buffer.concat(parts).toString()).get('refresh_token');
  const body = JSON.stringify({ error, error_description: `not with ${token}` });
  response.writeHead(400, { 'content-type': 'application/json' }).end(body);
  return true;
}

test('tokens that are kept are printed nowhere, should servers repeat them in errors', async (t) => {
  let refuses: string | undefined;
  const before = async (request: IncomingMessage, response: ServerResponse): Promise<boolean> =>
    refuses !== undefined && request.url === '/token' && (await refusing(request, response, refuses));
  const { as, machine, parley, said } = await scene(t, { before });
  const url = await repeating(t, () => as.issuer);
  const login = await parley('login', url);
  assert.equal(login.code, 0, login.stderr);
  const called = await parley('call', url);
  assert.equal(called.code, 1);
  assert.match(called.stderr, /HTTP 500 from \S+ you sent Bearer •••/);
  refuses = 'temporarily_unavailable';
  await machine.grantsEnd(-1000);
  const renewed = await parley('call', url);
  assert.match(renewed.stderr, /temporarily_unavailable \(not with •••\)/);
  const bridge = await parley('bridge', '--stdio', url);
  assert.match(bridge.stdout + bridge.stderr, /•••/);
  refuses = 'invalid_grant';
  const lost = await parley('call', url);
  assert.match(lost.stderr, /no longer takes the grant: .*invalid_grant \(not with •••\)/);
  assertSilent(said, as);
});
