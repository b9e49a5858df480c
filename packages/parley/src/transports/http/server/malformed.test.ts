/** Messages that are none, by themselves and in batches, with and without sessions. */

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { createServer } from '../../../server/server.ts';
import { createHandler } from './fetch.ts';
import type { HttpOptions } from './exchanges/options.ts';

async function posted(
  t: TestContext,
  body: unknown,
  options: HttpOptions = {},
): Promise<{ readonly status: number; readonly body: unknown }> {
  const server = createServer({ name: 's', version: '1' });
  const handler = createHandler(server, options);
  t.after(() => handler.close());
  const headers = {
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
    'mcp-protocol-version': '2025-03-26',
  };
  const request = new Request('http://localhost/mcp', { method: 'POST', headers, body: JSON.stringify(body) });
  const answer = await handler(request);
  const text = await answer.text();
  return { status: answer.status, body: text === '' ? undefined : JSON.parse(text) };
}

const malformed = { jsonrpc: '2.0', id: 7 };
const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };

for (const sessions of [true, false]) {
  test(`a message that is none is refused with its id, sessions: ${String(sessions)}`, async (t) => {
    const { status, body } = await posted(t, malformed, { sessions });
    const { id, error } = body as { id: unknown; error: { code: number } };
    assert.deepEqual([status, id, error.code], [400, 7, -32600]);
  });
}

test('a message of a batch that is none is answered with an error beside the answers to the others', async (t) => {
  const options = { sessions: false } as const;
  const both = await posted(t, [malformed, ping], options);
  const [wrong, right] = both.body as readonly [{ id: unknown; error: { code: number } }, unknown];
  assert.deepEqual(
    [both.status, wrong.id, wrong.error.code, right],
    [200, 7, -32600, { jsonrpc: '2.0', id: 1, result: {} }],
  );
  const alone = await posted(t, [malformed], options);
  assert.deepEqual([alone.status, (alone.body as readonly unknown[]).length], [200, 1]);
  const notified = await posted(t, [{ jsonrpc: '2.0', method: 'notifications/initialized' }], options);
  assert.deepEqual(notified, { status: 202, body: undefined });
});
