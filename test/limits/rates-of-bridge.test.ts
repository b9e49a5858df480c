import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { createBridge, type BridgeRates } from '../../packages/parley/src/bridge.ts';
import { connect, type Client } from '../../packages/parley/src/client.ts';
import { listen } from '../../packages/parley/src/node.ts';
import { revisions, type RevisionDate } from '../../packages/parley/src/protocol/revision.ts';
import { createServer, type Server } from '../../packages/parley/src/server.ts';
import { memoryStore } from '../../packages/parley/src/storage/memory/store.ts';
import { StoreError, type Store } from '../../packages/parley/src/storage/store.ts';
import { memoryTransport } from '../../packages/parley/src/testing.ts';

/** A server that counts what reaches it. */
function counted(): { readonly server: Server; readonly calls: string[] } {
  const calls: string[] = [];
  const server = createServer({ name: 'behind', version: '1' });
  for (const name of ['one', 'two']) server.tool(name, {}, () => (calls.push(name), name));
  server.prompt('p', { arguments: [{ name: 'a' }], complete: { a: () => ['x'] } }, () => 'p');
  return { server, calls };
}

interface Given {
  readonly rateLimits: BridgeRates;
  readonly store?: Store;
  readonly several?: boolean;
}

async function bridged(t: TestContext, server: Server, { rateLimits, store, several = false }: Given): Promise<URL> {
  const upstream = memoryTransport(server);
  const more = { rateLimits: { now: () => 0, ...rateLimits }, ...(store && { store }), onError: () => undefined };
  const bridge = await (several
    ? createBridge({ upstreams: { a: { upstream } }, prefix: 'always', ...more })
    : createBridge({ upstream, ...more }));
  const { url, close } = await listen(bridge, { port: 0, drainTimeoutMs: 0 });
  t.after(async () => {
    await close();
    await bridge.close();
  });
  return new URL(url);
}

async function connected(t: TestContext, url: URL, revision: RevisionDate): Promise<Client> {
  const client = await connect(url, { revisions: [revision] });
  t.after(() => client.close());
  return client;
}

for (const { date: revision } of revisions)
  describe(`before clients of ${revision}, a bridge`, () => {
    test('refuses requests that come too soon by 429', async (t) => {
      const { server, calls } = counted();
      const url = await bridged(t, server, { rateLimits: { requests: { perSecond: 1, burst: 5 } } });
      const client = await connected(t, url, revision);
      await assert.rejects(
        async () => {
          for (let call = 0; call < 7; call++) await client.callTool('one');
        },
        { status: 429, retryAfterMs: 1000 },
      );
      assert.ok(calls.length > 0 && calls.length < 6, calls.join());
    });

    for (const several of [false, true])
      test(`${several ? 'of several servers ' : ''}fails calls of tools that come too soon, in words for a model`, async (t) => {
        const { server, calls } = counted();
        const [one, two] = several ? (['a__one', 'a__two'] as const) : (['one', 'two'] as const);
        const rateLimits = { tools: { perSecond: 1, burst: 3 }, byTool: { [one]: { perSecond: 1, burst: 1 } } };
        const client = await connected(t, await bridged(t, server, { rateLimits, several }), revision);
        const results = [];
        for (const name of [one, one, two, two, two]) results.push(await client.callTool(name));
        assert.deepEqual(
          results.map(({ isError }) => isError === true),
          [false, true, false, false, true],
        );
        assert.match(results[1]?.content[0]?.type === 'text' ? results[1].content[0].text : '', /too many tool calls/);
        assert.deepEqual(calls, ['one', 'two', 'two']);
      });

    test('refuses completions that come too soon', async (t) => {
      const rateLimits = { completions: { perSecond: 1, burst: 1 } };
      const client = await connected(t, await bridged(t, counted().server, { rateLimits }), revision);
      const ask = (): Promise<unknown> => client.complete({ type: 'ref/prompt', name: 'p' }, { name: 'a', value: '' });
      await ask();
      await assert.rejects(ask(), /too many completion requests/);
    });
  });

test('a bridge counts over all processes that share its store', async (t) => {
  const { server, calls } = counted();
  const store = memoryStore();
  const rateLimits = { tools: { perSecond: 0.001, burst: 3 } };
  const clients = [];
  for (const _ of [1, 2])
    clients.push(await connected(t, await bridged(t, server, { rateLimits, store }), '2026-07-28'));
  for (const client of [...clients, ...clients, ...clients]) await client.callTool('one');
  assert.equal(calls.length, 3);
});

test('a bridge lets nothing pass that cannot be measured, where its owner wants that', async (t) => {
  const take = (): never => {
    throw new StoreError('unavailable', 'away');
  };
  const store = { ...memoryStore(), limits: { take } };
  const rateLimits = { tools: { perSecond: 9 }, lost: 'refuse' } as const;
  const { server, calls } = counted();
  const client = await connected(t, await bridged(t, server, { rateLimits, store }), '2025-11-25');
  assert.equal((await client.callTool('one')).isError, true);
  assert.deepEqual(calls, []);
});

test('a bridge without limits has no measures', async (t) => {
  const { server, calls } = counted();
  const client = await connected(t, await bridged(t, server, { rateLimits: {} }), '2026-07-28');
  for (let call = 0; call < 20; call++) await client.callTool('one');
  assert.equal(calls.length, 20);
});

test('a rate that nothing can pass is refused when a bridge is made', async () => {
  const upstream = memoryTransport(counted().server);
  for (const rateLimits of [{ requests: { perSecond: 0 } }, { byTool: { a: { perSecond: 1, burst: 0 } } }])
    await assert.rejects(createBridge({ upstream, rateLimits }), {
      name: 'TypeError',
      message: /a rate has a perSecond/,
    });
});
