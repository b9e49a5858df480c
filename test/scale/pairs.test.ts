import assert from 'node:assert/strict';
import { test } from 'node:test';
import { define, World } from './definition.ts';
import { startService, url } from './service.ts';
import { Visit } from './speaker.ts';

test('a stream of HTTP+SSE takes messages in its own process; in others it does not exist', async (t) => {
  const http = { ssePair: { sse: '/sse', messages: '/messages' } };
  const service = startService(t, define(new World()), { nodes: 2, http });
  const accept = { accept: 'text/event-stream' };
  const stream = new Visit((signal) => service.to(0)(new URL('/sse', url), { headers: accept, signal }));
  await stream.until(({ endpoint }) => endpoint !== undefined);
  const params = { protocolVersion: '2024-11-05', capabilities: {}, clientInfo: { name: 'c', version: '1' } };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
  const post = async (at: number): Promise<number> => {
    const headers = { 'content-type': 'application/json' };
    const answer = await service.to(at)(new URL(stream.endpoint ?? '', url), { method: 'POST', headers, body });
    return answer.status;
  };
  assert.equal(await post(1), 404);
  assert.equal(await post(0), 202);
  await stream.until(({ messages }) => messages.length === 1);
  stream.leave();
});
