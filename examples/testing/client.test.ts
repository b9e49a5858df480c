import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connect } from 'parley-mcp/client';
import { createServer } from 'parley-mcp/server';
import { connectInMemory, record, scriptedTransport } from 'parley-mcp/testing';

test('a client rejects with the error of the server', async () => {
  // The server is a function. It receives each sent message and can answer anything.
  const transport = scriptedTransport('stdio', (sent, peer) => {
    const { method } = sent.message;
    if (method === 'initialize')
      return peer.reply(sent, {
        protocolVersion: '2025-11-25',
        capabilities: { tools: {} },
        serverInfo: { name: 'odd', version: '1' },
      });
    if (method === 'tools/call') return peer.refuse(sent, { code: -32603, message: 'out of paper' });
  });
  const client = await connect(transport, { revisions: ['2025-11-25'] });
  await assert.rejects(client.callTool('print'), /out of paper/);
  assert.deepEqual(transport.methods, ['initialize', 'notifications/initialized', 'tools/call']);
  await client.close();
});

test('a call is one request and one response', async () => {
  const server = createServer({ name: 'weather', version: '1.0.0' });
  server.tool('forecast', {}, () => 'sunny');
  const client = await connectInMemory(server);
  // Records every message of this process, on all transports.
  const recording = record();
  await client.callTool('forecast');
  recording.stop();
  assert.equal(recording.messages.length, 2);
  await client.close();
});
