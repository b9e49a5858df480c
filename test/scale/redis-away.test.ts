/** What clients see while the Redis of their service is away, back and empty, or full. */

import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { connect, type Client } from '../../packages/parley/src/client.ts';
import { listen } from '../../packages/parley/src/node.ts';
import { redis } from '../../packages/parley/src/redis.ts';
import { createServer } from '../../packages/parley/src/server.ts';
import { missing } from '../support/engines.ts';
import { eventually, startNode, type RedisNode } from '../support/redis-nodes.ts';
import { define, World } from './definition.ts';
import { startService, url, type Service } from './service.ts';
import { Speaker } from './speaker.ts';

interface Scene {
  readonly node: RedisNode;
  readonly service: Service;
  /** A session that both processes know. */
  readonly client: Speaker;
  /** A client without one. */
  readonly stateless: Client;
  readonly world: World;
}

async function scene(t: TestContext): Promise<Scene> {
  const node = await startNode();
  const world = new World();
  const storeOf = () => redis(`redis://127.0.0.1:${node.port}`, { name: 'away', onWarning: () => {} });
  const service = startService(t, define(world), { nodes: 3, isRemote: false, storeOf });
  const client = await new Speaker(service, '2025-11-25').open(0, 1);
  const stateless = await connect(url, { fetch: service.fetch, revisions: ['2026-07-28'] });
  t.after(() => stateless.close());
  // What is above ends before it.
  t.after(() => node.stop());
  return { node, service, client, stateless, world };
}

const opening = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } };

describe('a service whose Redis', { skip: missing('redis-server') }, () => {
  for (const [what, begin, end] of [
    ['is frozen', (node: RedisNode) => node.freeze(), (node: RedisNode) => node.thaw()],
    ['is dead', (node: RedisNode) => node.kill(), (node: RedisNode) => node.restart()],
  ] as const)
    it(`${what} goes on with what it knows, and says 503 and never 404 else`, async (t) => {
      const { node, service, client, stateless } = await scene(t);
      assert.equal(await client.request(0, 'ping').status(), 200);
      await begin(node);
      const unknown = client.request(2, 'ping');
      assert.equal(await unknown.status(), 503);
      assert.ok(Number((await unknown.headers()).get('retry-after')) > 0);
      assert.equal(await client.request(0, 'ping').status(), 200);
      assert.equal(await new Speaker(service, '2025-11-25').request(0, 'initialize', opening).status(), 503);
      const [block] = (await stateless.callTool('where')).content;
      assert.match(block?.type === 'text' ? block.text : '', /^node \d$/);
      await end(node);
      await eventually(async () => (await client.request(2, 'ping').status()) === 200, 'the session');
      await new Speaker(service, '2025-11-25').open(0, 1);
    });

  it('is back and empty says 404, and a client begins anew', async (t) => {
    const { node, service, client } = await scene(t);
    await node.send('FLUSHALL');
    await node.kill();
    await node.restart();
    for (const at of [2, 0])
      await eventually(async () => (await client.request(at, 'ping').status()) === 404, 'the end of the session');
    await new Speaker(service, '2025-11-25').open(0, 1);
  });

  it('is full opens no session, and goes on with those that there are', async (t) => {
    const { node, service, client, stateless, world } = await scene(t);
    await node.send('CONFIG', 'SET', 'maxmemory', '1');
    const refused = new Speaker(service, '2025-11-25').request(0, 'initialize', opening);
    assert.equal(await refused.status(), 503);
    for (const at of [0, 1, 2]) assert.equal(await client.request(at, 'ping').status(), 200);
    const called = await client.request(1, 'tools/call', { name: 'where', arguments: {} }).whole();
    assert.ok('result' in (called.messages.at(-1) ?? {}));
    assert.equal((await stateless.callTool('where')).isError, undefined);
    // What cannot be kept has no id that it could be taken up from.
    for (const step of ['step 1', 'step 2', 'step 3', 'end']) world.pass(step);
    const params = { name: 'steps', arguments: {}, _meta: { progressToken: 'p' } };
    const streamed = await client.request(0, 'tools/call', params).whole();
    assert.deepEqual([streamed.messages.length, streamed.lastId], [4, undefined]);
    assert.equal(await client.listen(1, `${'a'.repeat(18)}-1:1`).status(), 400);
    await node.send('CONFIG', 'SET', 'maxmemory', '0');
    await new Speaker(service, '2025-11-25').open(0, 1);
  });
});

describe('a process that starts while its Redis', { skip: missing('redis-server') }, () => {
  it('answers nothing listens once it answers', async (t) => {
    const node = await startNode();
    const store = redis(`redis://127.0.0.1:${node.port}`, { name: 'slow', onWarning: () => {} });
    const server = createServer({ name: 's', version: '1' }, { store, rounds: { keys: [new Uint8Array(32).fill(7)] } });
    t.after(async () => {
      await server.close();
      await store.close();
      await node.stop();
    });
    node.freeze();
    let waits = (): void => undefined;
    const waiting = new Promise<void>((resolve) => (waits = resolve));
    const told: string[] = [];
    const onError = ({ message }: Error): void => {
      told.push(message);
      waits();
    };
    const listening = listen(server, { port: 0, readyTimeoutMs: 120_000, onError });
    // The first try found that it answers nothing.
    await waiting;
    node.thaw();
    const { url: address, close } = await listening;
    const client = await connect(address);
    await client.close();
    await close();
    assert.deepEqual(told, ['the store cannot be used yet; it has 120000 ms (readyTimeoutMs)']);
  });
});
