import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { connect } from '../../packages/parley/src/client.ts';
import { listen } from '../../packages/parley/src/node.ts';
import { createServer, type RateLimits } from '../../packages/parley/src/server.ts';
import { memoryStore } from '../../packages/parley/src/storage/memory/store.ts';
import { StoreError, type Store } from '../../packages/parley/src/storage/store.ts';

async function served(t: TestContext, rateLimits: RateLimits, store?: Store): Promise<URL> {
  const server = createServer(
    { name: 's', version: '1' },
    { rateLimits: { ...rateLimits, now: () => 0 }, ...(store && { store }), onError: () => undefined },
  );
  server.tool('a', {}, () => 'a');
  const listening = await listen(server, { port: 0, drainTimeoutMs: 0 });
  t.after(() => listening.close());
  return new URL(listening.url);
}

const versionKey = 'io.modelcontextprotocol/protocolVersion';
const capabilitiesKey = 'io.modelcontextprotocol/clientCapabilities';

function post(url: URL, message: object, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
  const accept = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' };
  return fetch(url, { method: 'POST', headers: { ...accept, ...headers }, body: JSON.stringify(message) });
}

const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } },
};

/** The parts of a refusal that clients go by. */
async function refusalOf(response: Response): Promise<unknown> {
  const { id, error } = (await response.json()) as { id: unknown; error: { code: number; data: unknown } };
  return [response.status, response.headers.get('retry-after'), id, error.code, error.data];
}

test('a stateless request that comes too soon is 429 with Retry-After', async (t) => {
  const url = await served(t, { requests: { perSecond: 0.25, burst: 1 } });
  const _meta = { [versionKey]: '2026-07-28', [capabilitiesKey]: {} };
  const list = { jsonrpc: '2.0', id: 7, method: 'tools/list', params: { _meta } };
  const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/list' };
  assert.equal((await post(url, list, headers)).status, 200);
  const data = { retryAfterMs: 4000, rate: 'requests' };
  assert.deepEqual(await refusalOf(await post(url, list, headers)), [429, '4', 7, -32603, data]);
});

test('a request in a session that comes too soon is 429 with Retry-After', async (t) => {
  const url = await served(t, { requests: { perSecond: 1, burst: 2 } });
  // The session and its beginning have the measure of the address.
  const opened = await post(url, initialize);
  const headers = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' };
  const ping = { jsonrpc: '2.0', id: 'p', method: 'ping' };
  assert.equal((await post(url, ping, headers)).status, 200);
  const data = { retryAfterMs: 1000, rate: 'requests' };
  assert.deepEqual(await refusalOf(await post(url, ping, headers)), [429, '1', 'p', -32603, data]);
});

test('a session that is opened too soon is 429 with Retry-After, and is none', async (t) => {
  const url = await served(t, { initialize: { perSecond: 0.1, burst: 1 } });
  assert.equal((await post(url, initialize)).status, 200);
  const refused = await post(url, initialize);
  assert.equal(refused.headers.get('mcp-session-id'), null);
  const data = { retryAfterMs: 10_000, rate: 'initialize' };
  assert.deepEqual(await refusalOf(refused), [429, '10', 1, -32603, data]);
});

test('requests that cannot be measured are 503 with Retry-After, where their owner has none pass then', async (t) => {
  const take = (): never => {
    throw new StoreError('unavailable', 'away');
  };
  const url = await served(t, { initialize: { perSecond: 9 }, lost: 'refuse' }, { ...memoryStore(), limits: { take } });
  assert.deepEqual(await refusalOf(await post(url, initialize)), [503, '2', 1, -32603, { retryAfterMs: 2000 }]);
});

for (const revision of ['2025-03-26', '2025-11-25', '2026-07-28'] as const)
  test(`a client hears what was asked too often, and when it may again: ${revision}`, async (t) => {
    const client = await connect(await served(t, { requests: { perSecond: 1, burst: 3 } }), {
      revisions: [revision],
    });
    t.after(() => client.close());
    await assert.rejects(
      async () => {
        for (let call = 0; call < 5; call++) await client.callTool('a');
      },
      { status: 429, retryAfterMs: 1000 },
    );
  });

test('a client without a principal that opens a session for each request gets no more of them', async (t) => {
  const url = await served(t, { requests: { perSecond: 0.01, burst: 4 } });
  const statuses: number[] = [];
  for (let at = 0; at < 3; at++) {
    const opened = await post(url, initialize);
    statuses.push(opened.status);
    const headers = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' };
    if (opened.status === 200)
      statuses.push((await post(url, { jsonrpc: '2.0', id: 2, method: 'ping' }, headers)).status);
  }
  assert.deepEqual(statuses, [200, 200, 200, 200, 429]);
});
