import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { createServer } from '../../../../../server.ts';
import { memoryStore } from '../../../../../storage/memory/store.ts';
import type { Store } from '../../../../../storage/store.ts';
import { createHandler } from '../../fetch.ts';

const minute = 60_000;

/** Sends to a process that was begun for this, and that ends then. */
type Send = (headers: Record<string, string>, body: object) => Promise<Response>;

/** A service of which a request never comes to the same process twice. */
function passing(t: TestContext, store: Store, now: () => number): Send {
  return async (headers, body) => {
    const rounds = { keys: [new Uint8Array(32)] };
    const server = createServer({ name: 's', version: '1' }, { store, rounds });
    const handler = createHandler(server, { now, sessionIdleTimeoutMs: 30 * minute });
    t.after(async () => {
      await handler.close();
      await server.close();
    });
    return await handler(
      new Request('http://localhost/mcp', {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': '2025-11-25',
          ...headers,
        },
        body: JSON.stringify({ jsonrpc: '2.0', ...body }),
      }),
    );
  };
}

test('a session that is used is kept alive by processes none of which has it for long', async (t) => {
  let time = 0;
  const now = (): number => time;
  const send = passing(t, { ...memoryStore({ now }), shared: true }, now);
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } };
  const opened = await send({}, { id: 1, method: 'initialize', params });
  const session = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? assert.fail('it has an id') };
  assert.equal((await send(session, { method: 'notifications/initialized' })).status, 202);
  for (; time < 90 * minute; time += 10 * minute)
    assert.equal((await send(session, { id: time, method: 'ping' })).status, 200, `after ${time / minute} minutes`);
  time += 31 * minute;
  assert.equal((await send(session, { id: time, method: 'ping' })).status, 404);
});
