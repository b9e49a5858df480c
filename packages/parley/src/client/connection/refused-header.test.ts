import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { test } from 'node:test';
import { connect } from '../../client.ts';
import { isObject } from '../../jsonrpc/message.ts';

test('a server that refuses the version header is spoken to in a revision without it', async (t) => {
  const sessions: unknown[] = [];
  const server = createServer(async (request, response) => {
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const message: unknown = await json(request);
    assert.ok(isObject(message) && (message['params'] === undefined || isObject(message['params'])));
    const { id, method, params } = message;
    if (method === 'initialize') sessions.push(request.headers['mcp-session-id']);
    else if (request.headers['mcp-protocol-version'] !== undefined)
      return void response.writeHead(400).end('header not allowed');
    if (id === undefined) return void response.writeHead(202).end();
    const protocolVersion = params?.['protocolVersion'];
    const result =
      method === 'initialize'
        ? { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'a', version: '1' } }
        : { content: [{ type: 'text', text: 'called' }] };
    const headers = { 'content-type': 'application/json', 'mcp-session-id': `s${sessions.length}` };
    response.writeHead(200, headers).end(JSON.stringify({ jsonrpc: '2.0', id, result }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const warnings: string[] = [];
  const client = await connect(`http://127.0.0.1:${port}/mcp`, {
    validateOutput: false,
    onWarning: (message) => warnings.push(message),
  });
  assert.equal(client.revision, '2025-03-26');
  assert.match(warnings.join(), /is spoken to in 2025-03-26: a newer revision failed .*header not allowed/);
  assert.deepEqual((await client.callTool('t')).content, [{ type: 'text', text: 'called' }]);
  await client.close();
  // Each try begins a session of its own.
  assert.deepEqual(sessions, [undefined, undefined, undefined]);
});
