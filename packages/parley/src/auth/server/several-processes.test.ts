/** A guarded server of several processes, and who hears what happens in it. */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { createHandler } from '../../transports/http/server/fetch.ts';
import { createServer } from '../../server/server.ts';
import type { ServerOptions } from '../../server/definition/options.ts';
import { memoryStore } from '../../storage/memory/store.ts';
import type { Store } from '../../storage/store.ts';
import { protect } from './protect.ts';

const resource = 'https://mcp.example.com/mcp';

type Send = (body: object, headers?: Readonly<Record<string, string>>) => Promise<Response>;

/** One process of a service, for people whose token is their name. */
function process(t: TestContext, options: ServerOptions): Send {
  const server = createServer({ name: 's', version: '1' }, options);
  const guarded = protect(server, {
    resource,
    authorizationServers: ['https://login.example'],
    verify: (token) => ({ aud: resource, sub: token }),
  });
  const handler = createHandler(guarded, { allowedHosts: ['mcp.example.com'], onError: () => undefined });
  t.after(async () => {
    await handler.close();
    await server.close();
  });
  const accept = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  return (body, headers = {}) =>
    handler(
      new Request(resource, {
        method: 'POST',
        headers: { ...accept, ...headers },
        body: JSON.stringify({ jsonrpc: '2.0', ...body }),
      }),
    );
}

const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'c', version: '1' } };

test('a session of a guarded server goes on at every process, for who opened it alone', async (t) => {
  const store: Store = { ...memoryStore(), shared: true };
  const rounds = { keys: [new Uint8Array(32)] };
  const [one, other] = [process(t, { store, rounds }), process(t, { store, rounds })];
  const anna = { authorization: 'Bearer anna' };
  const opened = await one({ id: 1, method: 'initialize', params }, anna);
  const session = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? assert.fail('it has an id') };
  assert.equal((await other({ method: 'notifications/initialized' }, { ...anna, ...session })).status, 202);
  assert.equal((await other({ id: 2, method: 'ping' }, { ...anna, ...session })).status, 200);
  const stranger = { authorization: 'Bearer boris', ...session };
  assert.equal((await other({ id: 3, method: 'ping' }, stranger)).status, 404);
});

test('what happens at a guarded server is told to who listens', async (t) => {
  const heard: string[] = [];
  const send = process(t, { onEvent: ({ type }) => void heard.push(type) });
  await send({ id: 1, method: 'initialize', params }, { authorization: 'Bearer anna' });
  assert.equal((await send({ id: 1, method: 'initialize', params })).status, 401);
  assert.deepEqual(heard, ['session-opened', 'request-refused']);
});
