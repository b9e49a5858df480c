/** Calls that ask while no further event stream may be opened. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createServer } from '../../../../server/server.ts';
import { listen } from '../../../node/server/http.ts';

test('a question for which no stream may be opened is rejected at once, and its call gets a response', async (t) => {
  const server = createServer({ name: 'asks', version: '1.0.0' });
  server.tool('ask', {}, async (_, ctx) => {
    const { action } = await ctx.elicit({ message: 'Go on?', schema: { type: 'object', properties: {} } });
    return action;
  });
  const { url, close } = await listen(server, { port: 0, maxStreams: 2, onWarning: () => undefined });
  t.after(() => close({ drainTimeoutMs: 0 }));
  const ending = new AbortController();
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const post = (message: object, more: Readonly<Record<string, string>> = {}): Promise<Response> =>
    fetch(url, {
      method: 'POST',
      headers: { ...headers, ...more },
      body: JSON.stringify({ jsonrpc: '2.0', ...message }),
      signal: ending.signal,
    });
  const clientInfo = { name: 'client', version: '1.0.0' };
  const params = { protocolVersion: '2025-11-25', capabilities: { elicitation: {} }, clientInfo };
  const opened = await post({ id: 1, method: 'initialize', params });
  const session = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' };
  await opened.text();
  await post({ method: 'notifications/initialized' }, session);
  const ask = (id: number): Promise<Response> =>
    post({ id, method: 'tools/call', params: { name: 'ask', arguments: {} } }, session);
  const first = await ask(2);
  assert.equal(first.headers.get('content-type'), 'text/event-stream');
  const second = await (await ask(3)).json();
  assert.equal(second.id, 3);
  assert.match(JSON.stringify(second), /the client cannot be asked: too many event streams are open/);
  ending.abort();
  await first.text().catch(() => undefined);
});
