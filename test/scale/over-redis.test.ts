import assert from 'node:assert/strict';
import { after, before, describe, it, type TestContext } from 'node:test';
import { connect } from '../../packages/parley/src/client.ts';
import { redis } from '../../packages/parley/src/redis.ts';
import { missing } from '../support/engines.ts';
import { startNode, type RedisNode } from '../support/redis-nodes.ts';
import { define, World } from './definition.ts';
import { startService, url, type Service } from './service.ts';
import { Speaker, type Visit } from './speaker.ts';

describe('sessions in three processes over Redis', { skip: missing('redis-server') }, () => {
  let node: RedisNode;
  before(async () => {
    node = await startNode();
  });
  after(async () => {
    await node.stop();
  });

  function service(t: TestContext, world: World, name: string): Service {
    const storeOf = () => redis(`redis://127.0.0.1:${node.port}`, { name });
    return startService(t, define(world), { nodes: 3, isRemote: false, storeOf });
  }

  const call = (client: Speaker, at: number, tool: string): Visit =>
    client.request(at, 'tools/call', { name: tool, arguments: {}, _meta: { progressToken: 'p' } });

  for (const revision of ['2025-03-26', '2025-06-18', '2025-11-25'] as const) {
    it(`are nothing to a client of ${revision}, which is asked and hears of progress`, async (t) => {
      const world = new World();
      const over = service(t, world, `client-${revision}`);
      for (const step of ['step 1', 'step 2', 'step 3', 'end']) world.pass(step);
      const client = await connect(url, {
        fetch: over.fetch,
        revisions: [revision],
        roots: [{ uri: 'file:///a', name: 'Ada' }],
        onElicit: () => ({ action: 'accept', content: { name: 'Ada' } }),
      });
      for (let calls = 0; calls < 5; calls++)
        assert.deepEqual((await client.callTool('ask')).content, [{ type: 'text', text: 'hello, Ada' }]);
      const heard: number[] = [];
      await client.callTool('steps', {}, { onProgress: ({ progress }) => heard.push(progress) });
      assert.deepEqual(heard, [1, 2, 3]);
      await client.close();
      assert.deepEqual(over.errors, []);
    });

    it(`go on elsewhere with a stream of ${revision}, and end it when its process is gone`, async (t) => {
      const world = new World();
      const over = service(t, world, `streams-${revision}`);
      const client = await new Speaker(over, revision).open(0, 1);
      const first = call(client, 0, 'steps');
      world.pass('step 1');
      await first.until(({ messages }) => messages.length === 1);
      first.leave();
      const second = client.listen(1, first.lastId);
      world.pass('step 2');
      await second.until(({ messages }) => messages.length === 1);
      over.nodes[0]?.crash();
      const third = await client.listen(2, second.lastId).whole();
      assert.equal((third.messages.at(-1)?.['error'] as { code?: number } | undefined)?.code, -32603);
      assert.equal(await client.end(2).status(), 204);
      assert.equal(await client.request(1, 'ping').status(), 404);
    });
  }
});
