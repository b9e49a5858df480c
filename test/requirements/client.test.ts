/** What is asked of a client, where no one module shows it alone. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connectScripted } from '../support/scripted-client.ts';

test('a schema elsewhere is never fetched: what refers to it is not checked, which is told [schema-008]', async (t) => {
  const fetched = t.mock.method(globalThis, 'fetch', () => Promise.reject(new Error('no network')));
  const remote = 'http://127.0.0.1:1/x.json';
  const { client, warnings } = await connectScripted(
    (sent, peer) => {
      const tool = { name: 'x', inputSchema: { type: 'object' }, outputSchema: { type: 'object', $ref: remote } };
      const list = sent.message['method'] === 'tools/list';
      peer.reply(sent, list ? { tools: [tool] } : { content: [], structuredContent: { a: 1 } });
    },
    { date: '2026-07-28' },
  );
  await client.listTools();
  assert.deepEqual((await client.callTool('x')).structuredContent, { a: 1 });
  assert.match(warnings.join(), /"x"/);
  assert.equal(fetched.mock.callCount(), 0);
});
