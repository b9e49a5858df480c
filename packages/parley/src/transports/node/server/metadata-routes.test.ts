import assert from 'node:assert/strict';
import { createServer as createHttpServer } from 'node:http';
import { test } from 'node:test';
import { protect } from '../../../auth/server/protect.ts';
import { createServer } from '../../../server/server.ts';
import { portOf, send } from '../../../../../../test/support/http-entries.ts';
import { metadataRoutes } from './metadata-routes.ts';

test('metadata is served beside a server that a framework mounts, and everything else is handed on [auth-024]', async (t) => {
  const resource = 'https://mcp.example.com/deep/mcp';
  const server = createServer({ name: 's', version: '1' });
  const routes = metadataRoutes(
    protect(server, { resource, issuers: ['https://login.example.com'], mirrorMetadata: false }),
  );
  const http = createHttpServer((request, response) => routes(request, response, () => response.writeHead(418).end()));
  const port = await portOf(http);
  t.after(() => http.close());
  const answer = await send(port, { method: 'GET', path: '/.well-known/oauth-protected-resource/deep/mcp?x=1' });
  assert.equal(answer.status, 200);
  assert.equal((JSON.parse(answer.text) as { resource: string }).resource, resource);
  for (const path of [
    '/deep/mcp',
    '/.well-known/oauth-protected-resource/other',
    '/.well-known/oauth-authorization-server',
  ])
    assert.equal((await send(port, { method: 'GET', path })).status, 418);
});

test('what is not protected has no metadata', () => {
  assert.throws(() => metadataRoutes(createServer({ name: 's', version: '1' })), /takes what protect gave/);
});
