import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listen } from '../../../../../../test/support/http-answers.ts';
import { createConnect } from '../../../client/connect.ts';
import { httpTransport } from './transport.ts';

test('cancellations and notices that a hung server never takes leave no exchange open', async (t) => {
  let hung = false;
  let open = 0;
  const url = await listen(t, (incoming, outgoing) => {
    if (hung) {
      open++;
      return void outgoing.on('close', () => open--);
    }
    if (incoming.method !== 'POST') return void outgoing.writeHead(405).end();
    if (incoming.headers['mcp-session-id'] !== undefined) return void outgoing.writeHead(202).end();
    const result = {
      protocolVersion: '2025-11-25',
      capabilities: { tools: {} },
      serverInfo: { name: 's', version: '1' },
    };
    outgoing.writeHead(200, { 'content-type': 'application/json', 'mcp-session-id': 's' });
    outgoing.end(JSON.stringify({ jsonrpc: '2.0', id: 1, result }));
  });
  const client = await createConnect({ http: httpTransport })(url, { revisions: ['2025-11-25'] });
  hung = true;
  const arrived = async (count: number): Promise<void> => {
    while (open !== count) await new Promise((resolve) => setImmediate(resolve));
  };
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const called = assert.rejects(client.callTool('x', {}, { timeoutMs: 1_000 }), { reason: 'timeout' });
  await arrived(1);
  t.mock.timers.tick(1_000);
  await called;
  await arrived(1);
  const noticed = assert.rejects(client.notify('notifications/roots/list_changed'), { reason: 'timeout' });
  await arrived(2);
  t.mock.timers.tick(60_000);
  await noticed;
  await arrived(0);
  t.mock.timers.reset();
  await client.close();
});
