/** A server that chooses a version in `initialize`, and refuses the header that names it later. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listen, sending } from '../../../../../../test/support/http-answers.ts';
import { connect } from '../../../client.ts';

test('a server that refuses the version header after initialize is told by that cause', async (t) => {
  const came: string[] = [];
  let knows = true;
  const url = await listen(t, async (request, response) => {
    let text = '';
    for await (const chunk of request) text += String(chunk);
    const { id, method = request.method } = JSON.parse(text || '{}');
    const version = request.headers['mcp-protocol-version'];
    const answer = (status: number, body?: object, headers: Readonly<Record<string, string>> = {}): void =>
      void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
    if (method === 'GET') return answer(405);
    came.push(`${method} ${version === undefined ? 'without' : 'with'}`);
    const serverInfo = { name: 's', version: '1' };
    const result = { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo };
    if (method === 'initialize') return answer(200, { jsonrpc: '2.0', id, result }, { 'mcp-session-id': 'a' });
    if (id === undefined) return answer(202);
    const message = 'Bad Request: Unsupported protocol version';
    if (version !== undefined || !knows)
      return answer(400, { jsonrpc: '2.0', id: null, error: { code: -32000, message } });
    answer(200, { jsonrpc: '2.0', id, result: {} });
  });
  const client = await connect(url, { revisions: ['2025-11-25'], ...sending });
  t.after(() => client.close());
  came.length = 0;
  for (let times = 0; times < 2; times++)
    await assert.rejects(client.listTools(), {
      reason: 'http',
      status: 400,
      message:
        /Unsupported protocol version; the server chose 2025-11-25 in initialize, and refuses the header MCP-Protocol-Version/,
    });
  // The session stays: it is not what the server refuses.
  assert.deepEqual(came.slice(0, 3), ['tools/list with', 'ping with', 'ping without']);
  assert.equal(came.includes('initialize without'), false);
  knows = false;
  came.length = 0;
  await client.listTools().catch(() => undefined);
  assert.ok(came.includes('initialize without'));
});
