import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { memoryStore } from '../../packages/parley/src/storage/memory/store.ts';
import type { Store } from '../../packages/parley/src/storage/store.ts';
import { define, World } from './definition.ts';
import { startService, type Service, type ServiceOptions } from './service.ts';
import { Speaker, type Visit } from './speaker.ts';

const revisions = ['2025-03-26', '2025-06-18', '2025-11-25'] as const;

interface Scene {
  readonly world: World;
  readonly service: Service;
  readonly client: Speaker;
}

async function scene(t: TestContext, revision: string, options: ServiceOptions = {}): Promise<Scene> {
  const world = new World();
  const service = startService(t, define(world), options);
  const client = await new Speaker(service, revision).open(0, 1);
  return { world, service, client };
}

function call(client: Speaker, at: number, tool: string, meta = {}): Visit {
  return client.request(at, 'tools/call', { name: tool, arguments: {}, ...meta });
}

const textOf = (visit: Visit): unknown =>
  (visit.messages.at(-1)?.['result'] as { content?: { text?: string }[] } | undefined)?.content?.[0]?.text;
const isLast = (visit: Visit): boolean => 'result' in (visit.messages.at(-1) ?? {});
const methods = (visit: Visit): unknown[] => visit.messages.map((message) => message['method'] ?? 'response');

for (const revision of revisions)
  describe(`a session of ${revision} in several processes`, () => {
    it('is opened in one and goes on in any other', async (t) => {
      const { client, service } = await scene(t, revision, { nodes: 3 });
      for (const at of [0, 1, 2, 1]) assert.equal(textOf(await call(client, at, 'where').whole()), `node ${at}`);
      assert.deepEqual(service.errors, []);
    });

    it('has its question answered at another process', async (t) => {
      const { client, world } = await scene(t, revision);
      const asked = call(client, 0, 'ask');
      await asked.until(({ messages }) => messages.length === 1);
      const [question] = asked.messages;
      const result =
        question?.['method'] === 'roots/list'
          ? { roots: [{ uri: 'file:///a', name: 'Ada' }] }
          : { action: 'accept', content: { name: 'Ada' } };
      const answered = client.say(1, { id: question?.['id'], result });
      assert.equal(await answered.status(), 202);
      await asked.until(isLast);
      assert.equal(textOf(asked), 'hello, Ada');
      assert.equal(world.runs.length, 1);
      // Once more it is nobody's, and no fault.
      assert.equal(await client.say(1, { id: question?.['id'], result }).status(), 202);
    });

    it('goes on with a stream in another process, with nothing lost and nothing twice', async (t) => {
      const { client, world } = await scene(t, revision);
      const first = call(client, 0, 'steps', { _meta: { progressToken: 'p' } });
      world.pass('step 1');
      await first.until(({ messages }) => messages.length === 1);
      first.leave();
      world.pass('step 2');
      const second = client.listen(1, first.lastId);
      await second.until(({ messages }) => messages.length === 1);
      world.pass('step 3');
      await second.until(({ messages }) => messages.length === 2);
      world.pass('end');
      await second.whole();
      const steps = [...first.messages, ...second.messages].map(
        ({ params }) => (params as { progress?: number } | undefined)?.progress,
      );
      assert.deepEqual(steps, [1, 2, 3, undefined]);
      assert.equal(textOf(second), 'done');
      assert.deepEqual(world.runs, [{ tool: 'steps', node: 0 }]);
    });

    it('gives the rest of a stream that is over from any process', async (t) => {
      const { client, world } = await scene(t, revision);
      const first = call(client, 0, 'steps', { _meta: { progressToken: 'p' } });
      world.pass('step 1');
      await first.until(({ messages }) => messages.length === 1);
      first.leave();
      for (const step of ['step 2', 'step 3', 'end']) world.pass(step);
      await client.listen(0, first.lastId).whole();
      const again = await client.listen(1, first.lastId).whole();
      assert.deepEqual(methods(again), ['notifications/progress', 'notifications/progress', 'response']);
    });

    it('has the head of an answer with the first event of it, which can be resumed from', async (t) => {
      const { client, service, world } = await scene(t, revision);
      const held = service.nodes[0]?.hold('append');
      t.after(() => held?.release());
      const first = call(client, 0, 'steps', { _meta: { progressToken: 'p' } });
      let isBegun = false;
      void first.status().then(() => (isBegun = true));
      world.pass('step 1');
      await held?.reached;
      // Whatever would be sent without the event has been by then.
      assert.equal(await client.request(0, 'ping').status(), 200);
      assert.equal(isBegun, false);
      held?.release();
      assert.equal(await first.status(), 200);
      await first.until(({ lastId }) => lastId !== undefined);
    });

    it('hears an error when the process that ran its request is gone, and runs nothing twice', async (t) => {
      const { client, world, service } = await scene(t, revision, { nodes: 3 });
      const first = call(client, 0, 'steps', { _meta: { progressToken: 'p' } });
      world.pass('step 1');
      await first.until(({ messages }) => messages.length === 1);
      const before = client.listen(1, first.lastId);
      await before.status();
      service.nodes[0]?.crash();
      const after = await client.listen(2, first.lastId).whole();
      const error = after.messages.at(-1)?.['error'] as { code?: number } | undefined;
      assert.equal(error?.code, -32603);
      assert.equal(world.runs.length, 1);
      // The session lives on.
      assert.equal(textOf(await call(client, 1, 'where').whole()), 'node 1');
    });

    it('tells other processes no more of a cancellation than what it is about', async (t) => {
      const inMemory: Store = { ...memoryStore(), shared: true };
      let longest = 0;
      const publish: Store['bus']['publish'] = (channel, text) => {
        longest = Math.max(longest, text.length);
        return inMemory.bus.publish(channel, text);
      };
      const storeOf = (): Store => ({ ...inMemory, bus: { ...inMemory.bus, publish } });
      const { client, world, service } = await scene(t, revision, { storeOf });
      call(client, 0, 'steps');
      await world.until(() => world.runs.length === 1);
      const params = { requestId: 2, reason: 'why '.repeat(500_000), more: 'x'.repeat(1_000_000) };
      assert.equal(await client.say(1, { method: 'notifications/cancelled', params }).status(), 202);
      await world.until(() => world.cancelled.length === 1);
      assert.ok(longest < 2_000, String(longest));
      assert.deepEqual(service.errors, []);
    });

    it('cancels a request that another process runs', async (t) => {
      const { client, world } = await scene(t, revision);
      const running = call(client, 0, 'steps', { _meta: { progressToken: 'p' } });
      world.pass('step 1');
      await running.until(({ messages }) => messages.length === 1);
      const cancelled = client.say(1, { method: 'notifications/cancelled', params: { requestId: 2 } });
      assert.equal(await cancelled.status(), 202);
      await world.until(() => world.cancelled.length === 1);
      await running.whole();
      assert.equal(isLast(running), false);
    });

    it('has a level of logging that holds everywhere', async (t) => {
      const { client } = await scene(t, revision);
      const before = await call(client, 1, 'chatty').whole();
      assert.equal(before.messages.length, 3);
      await client.request(0, 'logging/setLevel', { level: 'error' }).whole();
      const after = await call(client, 1, 'chatty').whole();
      assert.deepEqual(
        after.messages.slice(0, -1).map(({ params }) => (params as { data?: unknown }).data),
        ['a failure'],
      );
    });

    it('is told on its stream of what changed in any process', async (t) => {
      const { client, service } = await scene(t, revision, { nodes: 3 });
      const stream = client.listen(0);
      assert.equal(await stream.status(), 200);
      await client.request(1, 'resources/subscribe', { uri: 'note://1' }).whole();
      await stream.until((so) => methods(so).includes('notifications/resources/updated'));
      const before = stream.messages.length;
      service.nodes[2]?.server.resourceUpdated('note://1');
      await stream.until(({ messages }) => messages.length > before);
      service.nodes[1]?.server.tool('newer', {}, () => 'x');
      await stream.until((so) => methods(so).includes('notifications/tools/list_changed'));
      await client.request(2, 'resources/unsubscribe', { uri: 'note://1' }).whole();
    });

    it('is told by its own process of what changed there', async (t) => {
      const { client, service } = await scene(t, revision);
      const stream = client.listen(0);
      assert.equal(await stream.status(), 200);
      await client.request(1, 'resources/subscribe', { uri: 'note://1' }).whole();
      for (
        let tries = 0;
        !stream.messages.some(({ method }) => method === 'notifications/resources/updated');
        tries++
      ) {
        assert.ok(tries < 1_000);
        service.nodes[0]?.server.resourceUpdated('note://1');
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      await client.request(1, 'resources/unsubscribe', { uri: 'note://1' }).whole();
    });

    it('has one stream for what belongs to no request, wherever it is', async (t) => {
      const { client } = await scene(t, revision);
      const stream = client.listen(0);
      assert.equal(await stream.status(), 200);
      assert.equal(await client.listen(0).status(), 409);
      assert.equal(await client.listen(1).status(), 409);
      stream.leave();
      let status = 409;
      for (let tries = 0; status === 409 && tries < 1_000; tries++) {
        const later = client.listen(1);
        status = await later.status();
        // What changed meanwhile was told to nobody.
        if (status === 200) await later.until((so) => methods(so).includes('notifications/tools/list_changed'));
      }
      assert.equal(status, 200);
    });

    it('is told what changed while its stream was broken, by the process that had it and has it again', async (t) => {
      const { client, service } = await scene(t, revision);
      const stream = client.listen(0);
      assert.equal(await stream.status(), 200);
      service.nodes[0]?.server.tool('new', {}, () => 'new');
      await stream.until((so) => methods(so).includes('notifications/tools/list_changed'));
      stream.leave();
      service.nodes[0]?.server.tool('newer', {}, () => 'newer');
      // By then it is told to whoever listens.
      await call(client, 0, 'where').whole();
      await new Promise((resolve) => setTimeout(resolve, 400));
      const later = client.listen(0, stream.lastId);
      assert.equal(await later.status(), 200);
      await later.until((so) => methods(so).includes('notifications/tools/list_changed'));
      assert.deepEqual(service.errors, []);
    });

    it('goes on elsewhere with the stream for what belongs to no request, when its process is stopped', async (t) => {
      const { client, service } = await scene(t, revision);
      const stream = client.listen(0);
      assert.equal(await stream.status(), 200);
      service.nodes[0]?.server.tool('new', {}, () => 'new');
      await stream.until((so) => methods(so).includes('notifications/tools/list_changed'));
      await service.nodes[0]?.handler.close();
      await stream.whole();
      const { retryMs = 0 } = stream;
      assert.ok(retryMs >= 500 && retryMs <= 10_000, `asked back after ${retryMs} ms`);
      const later = client.listen(1, stream.lastId);
      assert.equal(await later.status(), 200);
      // What changed in between was told to nobody.
      await later.until((so) => methods(so).includes('notifications/tools/list_changed'));
      assert.equal(await client.listen(1).status(), 409);
      assert.deepEqual(service.errors, []);
    });

    it('ends everywhere when it is deleted anywhere', async (t) => {
      const { client, world } = await scene(t, revision, { nodes: 3 });
      const running = call(client, 0, 'steps', { _meta: { progressToken: 'p' } });
      world.pass('step 1');
      await running.until(({ messages }) => messages.length === 1);
      const stream = client.listen(1);
      assert.equal(await stream.status(), 200);
      assert.equal(await client.end(2).status(), 204);
      await stream.whole();
      await world.until(() => world.cancelled.length === 1);
      for (const at of [0, 1, 2]) assert.equal(await client.request(at, 'ping').status(), 404);
    });

    it('goes on when a process is stopped, whose running requests end with an error', async (t) => {
      const { client, world, service } = await scene(t, revision);
      const first = call(client, 0, 'steps', { _meta: { progressToken: 'p' } });
      world.pass('step 1');
      await first.until(({ messages }) => messages.length === 1);
      await service.nodes[0]?.handler.close();
      const rest = await client.listen(1, first.lastId).whole();
      const last = [...first.messages, ...rest.messages].at(-1);
      assert.equal((last?.['error'] as { code?: number } | undefined)?.code, -32603);
      assert.equal(textOf(await call(client, 1, 'where').whole()), 'node 1');
    });

    it('is refused with 503 and never 404 while the store is away', async (t) => {
      const { client, service } = await scene(t, revision, { nodes: 3 });
      service.nodes[2]?.away(true);
      const refused = client.request(2, 'ping');
      assert.equal(await refused.status(), 503);
      assert.ok(Number((await refused.headers()).get('retry-after')) > 0);
      // Who knows it from just now goes on.
      service.nodes[0]?.away(true);
      assert.equal(await client.request(0, 'ping').status(), 200);
      service.nodes[2]?.away(false);
      assert.equal(await client.request(2, 'ping').status(), 200);
      const opening = new Speaker(service, revision).request(0, 'initialize', {
        protocolVersion: revision,
        capabilities: {},
        clientInfo: { name: 'c', version: '1' },
      });
      assert.equal(await opening.status(), 503);
    });
  });

it('is told that a subscription or a level could not be kept, while the store is away', async (t) => {
  const { client, service } = await scene(t, '2025-06-18');
  assert.equal(await client.request(0, 'ping').status(), 200);
  service.nodes[0]?.away(true);
  const asked = [
    client.request(0, 'resources/subscribe', { uri: 'note://1' }),
    client.request(0, 'logging/setLevel', { level: 'error' }),
  ];
  for (const request of asked) assert.equal(await request.status(), 503);
});

it('has where it was, before anything else, when it takes up a stream of 2025-11-25', async (t) => {
  const { client, world } = await scene(t, '2025-11-25');
  const first = call(client, 0, 'steps', { _meta: { progressToken: 'p' } });
  world.pass('step 1');
  await first.until(({ messages }) => messages.length === 1);
  first.leave();
  for (const at of [1, 0]) {
    const later = client.listen(at, first.lastId);
    await later.until(({ lastId }) => lastId !== undefined);
    assert.deepEqual([later.lastId, later.messages], [first.lastId, []]);
    later.leave();
  }
  for (const step of ['step 2', 'step 3', 'end']) world.pass(step);
});
