import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { Bridge, BridgeOptions } from '../../packages/parley/src/bridge.ts';
import { connect } from '../../packages/parley/src/client.ts';
import { createServer, type Server } from '../../packages/parley/src/server.ts';
import { memoryTransport } from '../../packages/parley/src/testing.ts';
import { define, World } from './definition.ts';
import { startBridges, url, type Service, type ServiceOptions } from './service.ts';
import { Speaker } from './speaker.ts';

interface Scene {
  readonly world: World;
  readonly over: Service<Bridge>;
  /** The servers behind the bridges. */
  readonly servers: readonly Server[];
}

/** Bridges over one store, each before a server of a handshake revision of its own, which asks in the middle of calls. */
async function scene(
  t: TestContext,
  options: ServiceOptions & { readonly bridge?: Partial<BridgeOptions> } = {},
): Promise<Scene> {
  const world = new World();
  const servers: Server[] = [];
  const upstream = (): BridgeOptions['upstream'] => {
    const server = createServer({ name: 'upstream', version: '1.0.0' }, { revisions: ['2025-11-25'] });
    define(world)(server, servers.push(server) - 1);
    t.after(() => server.close());
    return memoryTransport(server);
  };
  return { world, servers, over: await startBridges(t, upstream, { nodes: 3, isRemote: false, ...options }) };
}

describe('bridges in several processes', () => {
  it('serve a client of 2026-07-28 behind a balancer that takes them in turn', async (t) => {
    const { over, world } = await scene(t);
    for (const step of ['step 1', 'step 2', 'step 3', 'end']) world.pass(step);
    const client = await connect(url, {
      fetch: over.fetch,
      revisions: ['2026-07-28'],
      roots: [{ uri: 'file:///a', name: 'Ada' }],
      onElicit: () => ({ action: 'accept', content: { name: 'Ada' } }),
    });
    for (let calls = 0; calls < 4; calls++)
      assert.deepEqual((await client.callTool('ask')).content, [{ type: 'text', text: 'hello, Ada' }]);
    const heard: number[] = [];
    await client.callTool('steps', {}, { onProgress: ({ progress }) => heard.push(progress) });
    assert.deepEqual(heard, [1, 2, 3]);
    await client.close();
    assert.deepEqual(over.errors, []);
  });

  it('keep a session in the process that opened it; in others it does not exist', async (t) => {
    const { over } = await scene(t);
    const client = await new Speaker(over, '2025-06-18').open(0, 0);
    assert.equal(await client.request(0, 'ping').status(), 200);
    for (const at of [1, 2]) {
      assert.equal(await client.request(at, 'ping').status(), 404);
      assert.equal(await client.listen(at).status(), 404);
      assert.equal(await client.end(at).status(), 404);
    }
    assert.equal(await client.request(0, 'ping').status(), 200);
  });

  it('let a client begin anew whose process is gone', async (t) => {
    const { over } = await scene(t);
    let at = 0;
    const fetch: typeof globalThis.fetch = async (input, init) => await over.to(at)(input, init);
    const client = await connect(url, { fetch, revisions: ['2025-06-18'] });
    assert.equal(textOf(await client.callTool('where')), 'node 0');
    over.nodes[0]?.crash();
    at = 1;
    // A list may be requested again, in a new session.
    assert.equal((await client.listTools()).length, 4);
    assert.equal(textOf(await client.callTool('where')), 'node 1');
    await client.close();
  });
});

function textOf({ content }: { readonly content: readonly unknown[] }): string {
  return (content[0] as { text: string }).text;
}
