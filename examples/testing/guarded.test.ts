import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connect, type ConnectionError } from 'parley-mcp/client';
import { createHandler } from 'parley-mcp/http';
import { protect } from 'parley-mcp/protect';
import { createServer } from 'parley-mcp/server';
import { testIssuer } from 'parley-mcp/testing';

const resource = 'https://mcp.example.com/mcp';
const server = createServer({ name: 'files', version: '1.0.0' });
server.tool('who', {}, (_, { auth }) => auth?.subject ?? 'anonymous');

// Nothing opens a port: the client calls the handler through `fetch`.
const issuer = testIssuer({ audience: resource });
const guarded = protect(server, { resource, ...issuer.options, scopes: ['files:read'] });
const handler = createHandler(guarded, { allowedHosts: ['mcp.example.com'] });
const fetch = (url: string, init: RequestInit): Promise<Response> => handler(new Request(url, init));

test('a tool reads the subject of the token', async () => {
  const auth = await issuer.issue({ subject: 'ann', scopes: ['files:read'] });
  const client = await connect(resource, { auth, fetch });
  assert.deepEqual((await client.callTool('who')).content, [{ type: 'text', text: 'ann' }]);
  await client.close();
});

test('an expired token is rejected', async () => {
  // Clocks may differ by 30 seconds, so a token that expired just now is still accepted.
  const auth = await issuer.issue({ scopes: ['files:read'], expiresIn: -60 });
  const isRefused = ({ reason, status }: ConnectionError): boolean => reason === 'unauthorized' && status === 401;
  await assert.rejects(connect(resource, { auth, fetch }), isRefused);
});
