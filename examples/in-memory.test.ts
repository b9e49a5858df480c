import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createServer } from 'parley-mcp/server';
import { connectInMemory } from 'parley-mcp/testing';

const server = createServer({ name: 'weather', version: '1.0.0' });
server.tool('forecast', {}, () => 'sunny');

for (const revision of ['2024-11-05', '2026-07-28'] as const) {
  test(`the forecast is sunny for a client of ${revision}`, async () => {
    const client = await connectInMemory(server, { revision });
    assert.deepEqual((await client.callTool('forecast')).content, [{ type: 'text', text: 'sunny' }]);
    await client.close();
  });
}
