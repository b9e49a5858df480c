/** What is said of what was handed to another process, where nobody knows whether that got it. */

import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { createServer } from '../../src/server.ts';
import { memoryStore } from '../../src/store/memory/store.ts';
import { StoreError, type Store } from '../../src/store/store.ts';
import { memoryTransport } from '../../src/testing.ts';
import { until } from '../support/turns.ts';
import { define, World } from './definition.ts';
import { startBridges, startService, url, type Service } from './service.ts';
import { Speaker, Visit } from './speaker.ts';

/** What becomes of the texts of one kind: they arrive or not, and who sent them hears of neither. */
interface Doubt {
  kind?: 'request' | 'post';
  arrives?: boolean;
}

/** A store whose bus leaves its users in doubt. */
function doubtful(): { readonly storeOf: () => Store; readonly doubt: Doubt } {
  const shared: Store = { ...memoryStore(), shared: true };
  const doubt: Doubt = {};
  const publish: Store['bus']['publish'] = async (channel, text) => {
    const { kind } = JSON.parse(text.slice(1)) as { readonly kind: string };
    // What arrives does so when its sender is in doubt already, and in its order.
    const arrives = doubt.arrives === true || kind !== doubt.kind;
    const heard = new Promise<number>((resolve) => {
      if (arrives) setImmediate(() => resolve(shared.bus.publish(channel, text)));
    });
    if (kind !== doubt.kind) return await heard;
    throw new StoreError('unavailable', 'the store did not answer in time');
  };
  return { doubt, storeOf: () => ({ ...shared, bus: { ...shared.bus, publish } }) };
}

/** Lets some time pass, with all that happens in it. */
async function passing(t: TestContext, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 500) {
    t.mock.timers.tick(500);
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
  }
}

const call = { name: 'where', arguments: {} };

describe('a request for a session of a bridge that may have come to its home', () => {
  const scene = async (t: TestContext): Promise<{ world: World; doubt: Doubt; client: Speaker }> => {
    const world = new World();
    const { storeOf, doubt } = doubtful();
    const upstream = (): ReturnType<typeof memoryTransport> => {
      const server = createServer({ name: 'upstream', version: '1.0.0' }, { revisions: ['2025-11-25'] });
      define(world)(server, 0);
      t.after(() => server.close());
      return memoryTransport(server);
    };
    const over = await startBridges(t, upstream, { nodes: 2, isRemote: false, storeOf });
    const client = await new Speaker(over, '2025-06-18').open(0, 1);
    return { world, doubt, client };
  };

  it('is answered by what comes of it, and runs once', async (t) => {
    const { world, doubt, client } = await scene(t);
    Object.assign(doubt, { kind: 'request', arrives: true });
    const visit = await client.request(1, 'tools/call', call).whole();
    assert.match(JSON.stringify(visit.messages), /node 0/);
    assert.deepEqual(world.runs.length, 1);
  });

  it('ends with an error that does not ask to try again, where its home knows nothing of it', async (t) => {
    const { world, doubt, client } = await scene(t);
    t.mock.timers.enable({ apis: ['setTimeout'] });
    Object.assign(doubt, { kind: 'request', arrives: false });
    const visit = client.request(1, 'tools/call', call);
    await passing(t, 8_000);
    t.mock.timers.reset();
    assert.equal(await visit.status(), 200);
    const { error } = (await visit.whole()).messages.at(-1) as { readonly error: { readonly code: number } };
    assert.equal(error.code, -32603);
    assert.deepEqual(world.runs, []);
  });

  it('may be sent again where that does no harm: 503, as for what is no request', async (t) => {
    const { doubt, client } = await scene(t);
    Object.assign(doubt, { kind: 'request', arrives: true });
    const listed = await client.request(1, 'tools/list', {}, 9).whole();
    assert.deepEqual([await listed.status(), listed.messages.at(-1)?.['id']], [503, 9]);
    assert.equal(await client.say(1, { method: 'notifications/initialized' }).status(), 503);
    assert.equal(await client.listen(1).status(), 503);
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
    delete doubt.kind;
    // The home was told that nobody waits for its stream any more.
    const later = client.listen(1);
    assert.equal(await later.status(), 200);
    later.leave();
  });
});

describe('what is POSTed for a stream of HTTP+SSE that may have come to its process', () => {
  const http = { ssePair: { sse: '/sse', messages: '/messages' } };

  const scene = async (
    t: TestContext,
  ): Promise<{ doubt: Doubt; world: World; stream: Visit; post(body: object): Promise<Response> }> => {
    const { storeOf, doubt } = doubtful();
    const world = new World();
    const service: Service = startService(t, define(world), { nodes: 2, isRemote: false, storeOf, http });
    const headers = { accept: 'text/event-stream' };
    const stream = new Visit((signal) => service.to(0)(new URL('/sse', url), { headers, signal }));
    await stream.until(({ endpoint }) => endpoint !== undefined);
    const post = async (body: object): Promise<Response> =>
      await service.to(1)(new URL(stream.endpoint ?? '', url), {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', ...body }),
      });
    const params = { protocolVersion: '2024-11-05', capabilities: {}, clientInfo: { name: 'c', version: '1' } };
    await post({ id: 1, method: 'initialize', params });
    await stream.until(({ messages }) => messages.length === 1);
    t.after(() => stream.leave());
    return { doubt, world, stream, post };
  };

  it('is refused with 504 and not asked for again, where a second time may do something twice', async (t) => {
    const { doubt, world, post } = await scene(t);
    Object.assign(doubt, { kind: 'post', arrives: true });
    const answer = await post({ id: 2, method: 'tools/call', params: call });
    assert.deepEqual([answer.status, answer.headers.get('retry-after')], [504, null]);
    assert.match(await answer.text(), /may have/);
    await until(() => world.runs.length === 1, 'the call that was refused runs all the same');
  });

  it('is refused with 503 where it may come twice', async (t) => {
    const { doubt, post } = await scene(t);
    Object.assign(doubt, { kind: 'post', arrives: false });
    for (const body of [{ id: 2, method: 'tools/list' }, { method: 'notifications/initialized' }]) {
      const answer = await post(body);
      assert.deepEqual([answer.status, answer.headers.get('retry-after')], [503, '1']);
    }
  });
});
