import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { createServer } from '../../server/server.ts';
import { memoryStore } from '../../storage/memory/store.ts';
import { StoreError, type Store } from '../../storage/store.ts';
import { createHandler, type FetchHandler } from './server/fetch.ts';

const health = { live: '/livez', ready: '/readyz' };

function served(t: TestContext, tool: () => Promise<string> | string = () => 'done'): FetchHandler {
  const server = createServer({ name: 's', version: '1' });
  server.tool('work', {}, tool);
  const handler = createHandler(server, { path: '/mcp', health });
  t.after(() => handler.close({ drainTimeoutMs: 0 }));
  return handler;
}

function look(handler: FetchHandler, path: string, method = 'GET'): Promise<Response> {
  return handler(new Request(`http://10.1.2.3:3000${path}`, { method }));
}

function call(handler: FetchHandler): Promise<Response> {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'c', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  return handler(
    new Request('http://localhost/mcp', {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
        'MCP-Protocol-Version': '2026-07-28',
        'Mcp-Method': 'tools/call',
        'Mcp-Name': 'work',
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'work', arguments: {}, _meta: meta },
      }),
    }),
  );
}

for (const path of ['/livez', '/readyz'])
  for (const method of ['GET', 'HEAD'])
    test(`${method} ${path} is 200 without a body, by whatever Host a platform asks`, async (t) => {
      const response = await look(served(t), path, method);
      assert.equal(response.status, 200);
      assert.equal(await response.text(), '');
      assert.equal(response.headers.get('cache-control'), 'no-store');
    });

test('another method than GET and HEAD has no place at a path of health', async (t) => {
  const response = await look(served(t), '/readyz', 'POST');
  assert.deepEqual([response.status, response.headers.get('allow')], [405, 'GET, HEAD']);
});

test('paths near those of health are guarded like every other', async (t) => {
  const handler = served(t);
  for (const path of ['/livez/', '/readyz/x', '/LIVEZ', '//livez'])
    assert.equal((await look(handler, path)).status, 403, path);
});

test('without the option there is nothing at these paths', async (t) => {
  const handler = createHandler(createServer({ name: 's', version: '1' }), { path: '/mcp' });
  t.after(() => handler.close());
  assert.equal((await handler(new Request('http://localhost/livez'))).status, 404);
});

test('a server that is to end says so first, serves on for readyTimeoutMs, and then refuses', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let finish = (_: string): void => undefined;
  let begun = (): void => undefined;
  const runs = new Promise<void>((resolve) => (begun = resolve));
  const handler = served(t, () => {
    begun();
    return new Promise((resolve) => (finish = resolve));
  });
  const closed = handler.close({ readyTimeoutMs: 5_000, drainTimeoutMs: 60_000 });
  assert.equal((await look(handler, '/readyz')).status, 503);
  assert.equal((await look(handler, '/livez')).status, 200);
  const running = call(handler);
  await runs;
  t.mock.timers.tick(5_000);
  await Promise.resolve();
  assert.equal((await look(handler, '/readyz')).status, 503);
  const refused = await call(handler);
  assert.equal(refused.status, 503);
  const pause = Number(refused.headers.get('retry-after'));
  assert.ok(pause >= 1 && pause <= 5, `asked to wait ${pause} s`);
  finish('in time');
  assert.match(await (await running).text(), /in time/);
  await closed;
  assert.equal((await look(handler, '/livez')).status, 200);
});

test('times that are none close nothing', async (t) => {
  const handler = served(t);
  await assert.rejects(handler.close({ readyTimeoutMs: -1 }), /readyTimeoutMs must be a number of at least 0, not -1/);
  await assert.rejects(handler.close({ readMs: 1 } as never), /close has no option "readMs"; .*readyTimeoutMs/);
  assert.equal((await look(handler, '/readyz')).status, 200);
});

test('the name of a signal, which a program gives that listens with close itself, is no time', async (t) => {
  const handler = served(t);
  await handler.close('SIGTERM' as never);
  assert.equal((await look(handler, '/readyz')).status, 503);
});

for (const [what, options, words] of [
  [
    'a path of health that is that of the endpoint',
    { path: '/mcp', health: { live: '/mcp' } },
    /health\.live and path/,
  ],
  ['two alike', { health: { live: '/z', ready: '/z' } }, /health\.ready and health\.live must differ; both are "\/z"/],
  ['one that is no path', { health: { live: 'livez' } }, /health\.live must be a path such as \/mcp, not "livez"/],
  ['one that is unknown', { health: { alive: '/livez' } as never }, /health has no option "alive"; .*live/],
] as const)
  test(`${what} is refused at once`, () => {
    assert.throws(() => createHandler(createServer({ name: 's', version: '1' }), options), {
      name: 'TypeError',
      message: words,
    });
  });

/** A handler whose store is as a test wants it, by a clock that the test moves. */
function withStore(
  t: TestContext,
  check: () => void | Promise<void>,
): { readonly handler: FetchHandler; pass(ms: number): void } {
  let now = 0;
  const store: Store = { ...memoryStore(), check };
  const server = createServer({ name: 's', version: '1' }, { store });
  const handler = createHandler(server, { path: '/mcp', health, now: () => now });
  t.after(() => handler.close());
  return { handler, pass: (ms) => void (now += ms) };
}

test('a server whose store cannot be used is not ready, and finds out within 5 seconds when it can', async (t) => {
  let [looks, away] = [0, true];
  const { handler, pass } = withStore(t, async () => {
    looks++;
    if (away) throw new StoreError('unavailable', 'no answer');
  });
  assert.equal((await look(handler, '/readyz')).status, 503);
  assert.equal((await look(handler, '/livez')).status, 200);
  away = false;
  pass(4_999);
  assert.equal((await look(handler, '/readyz')).status, 503);
  pass(1);
  assert.equal((await look(handler, '/readyz')).status, 200);
  assert.equal(looks, 2);
});

test('many who ask at once have the store looked at once', async (t) => {
  let looks = 0;
  const { handler } = withStore(t, async () => void looks++);
  const all = await Promise.all(Array.from({ length: 20 }, () => look(handler, '/readyz')));
  assert.deepEqual([new Set(all.map(({ status }) => status)), looks], [new Set([200]), 1]);
});

test('a store that throws at once is no reason to fall', async (t) => {
  const { handler } = withStore(t, () => {
    throw new Error('a store of somebody');
  });
  assert.equal((await look(handler, '/readyz')).status, 503);
});

test('who asks hears why a server is not ready, and nothing of where its store is', async (t) => {
  let reason: 'full' | 'unavailable' = 'full';
  const { handler, pass } = withStore(t, () => {
    throw new StoreError(reason, 'Redis at secret.example:6379');
  });
  const full = await look(handler, '/readyz');
  assert.equal(full.headers.get('content-type'), 'application/json');
  assert.deepEqual(await full.json(), { ready: false, why: 'the store is full' });
  reason = 'unavailable';
  pass(5_000);
  assert.deepEqual(await (await look(handler, '/readyz')).json(), { ready: false, why: 'the store cannot be used' });
  const head = await handler(new Request('http://localhost/readyz', { method: 'HEAD' }));
  assert.deepEqual([head.status, await head.text()], [503, '']);
  await handler.close();
  const closed = await look(handler, '/readyz');
  assert.deepEqual(await closed.json(), { ready: false, why: 'the server is shutting down' });
});
