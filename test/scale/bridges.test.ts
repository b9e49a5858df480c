import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { Bridge, BridgeOptions } from '../../src/bridge.ts';
import { connect } from '../../src/client.ts';
import { createServer, type Server } from '../../src/server.ts';
import { memoryStore } from '../../src/store/memory/store.ts';
import type { Store } from '../../src/store/store.ts';
import { memoryTransport } from '../../src/testing.ts';
import { scriptedUpstream } from '../support/scripted-upstream.ts';
import { define, World } from './definition.ts';
import { startBridges, url, type Service, type ServiceOptions } from './service.ts';
import { Speaker, Visit } from './speaker.ts';

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

const call = (client: Speaker, at: number, tool: string, id?: number): Visit =>
  client.request(at, 'tools/call', { name: tool, arguments: {}, _meta: { progressToken: 'p' } }, id);

const answerOf = (visit: Visit): unknown =>
  textOf((visit.messages.at(-1) as { result: { content: unknown[] } }).result);

const codeOf = (visit: Visit): unknown => (visit.messages.at(-1)?.['error'] as { code?: number } | undefined)?.code;

describe('sessions of bridges in several processes', () => {
  for (const revision of ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'] as const)
    it(`are nothing to a client of ${revision} behind a round robin`, async (t) => {
      const { over, world } = await scene(t);
      for (const step of ['step 1', 'step 2', 'step 3', 'end']) world.pass(step);
      const client = await connect(url, {
        fetch: over.fetch,
        revisions: [revision],
        roots: [{ uri: 'file:///a', name: 'Ada' }],
        onElicit: () => ({ action: 'accept', content: { name: 'Ada' } }),
      });
      assert.deepEqual((await client.callTool('where')).content.length, 1);
      if (revision >= '2025-06-18')
        for (let calls = 0; calls < 4; calls++)
          assert.deepEqual((await client.callTool('ask')).content, [{ type: 'text', text: 'hello, Ada' }]);
      const heard: number[] = [];
      await client.callTool('steps', {}, { onProgress: ({ progress }) => heard.push(progress) });
      assert.deepEqual(heard, [1, 2, 3]);
      assert.equal(over.log.filter(({ status }) => status === 404).length, 0);
      await client.close();
      assert.deepEqual(over.errors, []);
    });

  it('stay in one process, whichever is asked', async (t) => {
    const { over, world } = await scene(t);
    const client = await new Speaker(over, '2025-06-18').open(0, 1);
    for (const at of [0, 1, 2]) assert.equal(answerOf(await call(client, at, 'where').whole()), 'node 0');
    assert.deepEqual(
      world.runs.map(({ node }) => node),
      [0, 0, 0],
    );
    assert.deepEqual(over.errors, []);
  });

  it('are those of who opened them, at every process', async (t) => {
    const { over } = await scene(t, {
      http: { authenticate: (request) => ({ principal: request.header('authorization') ?? 'nobody' }) },
    });
    const ada = await new Speaker(over, '2025-06-18', { authorization: 'ada' }).open(0, 1);
    const id = ada.headers['mcp-session-id'] ?? '';
    const home = id.slice(-18);
    assert.match(id, /^[0-9a-f]{48}-[0-9a-f]{18}$/);
    for (const at of [0, 1, 2]) {
      for (const wrong of [id, `${'a'.repeat(48)}-${home}`, `${'a'.repeat(48)}-${'b'.repeat(18)}`, 'x']) {
        const eve = new Speaker(over, '2025-06-18', { authorization: 'eve', 'mcp-session-id': wrong });
        assert.equal(await eve.request(at, 'ping').status(), 404);
        assert.equal(await eve.listen(at).status(), 404);
        assert.equal(await eve.end(at).status(), 404);
      }
      assert.equal(await ada.request(at, 'ping').status(), 200);
    }
  });

  it('have their batches, faults and refusals as at home', async (t) => {
    const { over } = await scene(t);
    const old = await new Speaker(over, '2025-03-26').open(0, 1);
    const newer = await new Speaker(over, '2025-06-18').open(0, 1);
    const batch = [{ id: 'a', method: 'ping' }, { method: 'notifications/none' }, { id: 'b', method: 'none' }];
    const post = { method: 'POST', body: '{', headers: newer.headers };
    const outcome = async (visit: Visit): Promise<unknown> => [await visit.status(), (await visit.whole()).messages];
    for (const [at, home] of [
      [1, 0],
      [2, 0],
    ] as const) {
      assert.deepEqual(await outcome(old.say(at, batch)), await outcome(old.say(home, batch)));
      assert.deepEqual(await outcome(newer.say(at, batch)), await outcome(newer.say(home, batch)));
      assert.deepEqual(await outcome(newer.visit(at, post)), await outcome(newer.visit(home, post)));
      const odd = { id: 7, method: 'tools/call', params: { name: 'none' } };
      assert.deepEqual(await outcome(newer.say(at, odd)), await outcome(newer.say(home, odd)));
    }
  });

  it('hear cancellations and answers of other processes', async (t) => {
    const { over, world } = await scene(t);
    const client = await new Speaker(over, '2025-06-18').open(0, 1);
    const asked = await call(client, 1, 'ask').until(({ messages }) => messages.length > 0);
    const question = asked.messages[0] ?? {};
    assert.equal(question['method'], 'elicitation/create');
    const result = { action: 'accept', content: { name: 'Ada' } };
    assert.equal(await client.say(2, { id: question['id'], result }).status(), 202);
    assert.equal(answerOf(await asked.whole()), 'hello, Ada');

    const running = call(client, 1, 'steps', 77);
    world.pass('step 1');
    await running.until(({ messages }) => messages.length === 1);
    const cancelled = { method: 'notifications/cancelled', params: { requestId: 77 } };
    assert.equal(await client.say(2, cancelled).status(), 202);
    await running.whole();
    await world.until(() => world.cancelled.includes('steps'));
  });

  it('have one stream for what belongs to no request, wherever it is open', async (t) => {
    const { over, servers } = await scene(t);
    const client = await new Speaker(over, '2025-11-25').open(0, 1);
    const stream = client.listen(1);
    assert.equal(await stream.status(), 200);
    assert.equal(await client.listen(2).status(), 409);
    const subscribed = client.request(2, 'resources/subscribe', { uri: 'note://1' });
    assert.equal(await subscribed.status(), 200);
    servers[0]?.resourceUpdated('note://1');
    await stream.until(({ messages }) => messages.some(({ method }) => method === 'notifications/resources/updated'));
    assert.equal(await client.end(2).status(), 204);
    await stream.whole();
    for (const at of [0, 1, 2]) assert.equal(await client.request(at, 'ping').status(), 404);
  });

  it('go on with a stream that broke, at another process', async (t) => {
    const { over, world } = await scene(t);
    const client = await new Speaker(over, '2025-11-25').open(0, 1);
    const first = call(client, 1, 'steps');
    world.pass('step 1');
    await first.until(({ messages }) => messages.length === 1);
    first.leave();
    world.pass('step 2');
    world.pass('step 3');
    world.pass('end');
    const second = await client.listen(2, first.lastId).whole();
    assert.equal(answerOf(second), 'done');
    assert.equal(world.runs.length, 1);
  });

  it('are answered in one piece where the process that is asked has no place for a further event stream', async (t) => {
    const { over, world } = await scene(t, { http: { maxStreams: 2 } });
    for (const step of ['step 1', 'step 2', 'step 3', 'end']) world.pass(step);
    const [ada, bob] = [
      await new Speaker(over, '2025-06-18').open(0, 1),
      await new Speaker(over, '2025-06-18').open(1),
    ];
    const streams = [bob.listen(1), ada.listen(1)];
    for (const stream of streams) assert.equal(await stream.status(), 200);
    // Its home has a place for one more, and the process between has none.
    const full = call(ada, 1, 'steps');
    assert.match((await full.headers()).get('content-type') ?? '', /^application\/json/);
    assert.equal(answerOf(await full.whole()), 'done');
    for (const stream of streams) stream.leave();
  });

  it('are over with their process: 404 at once, and an error for what ran there', async (t) => {
    const { over, world } = await scene(t);
    const client = await new Speaker(over, '2025-06-18').open(0, 1);
    const begun = call(client, 1, 'steps');
    world.pass('step 1');
    await begun.until(({ messages }) => messages.length === 1);
    const silent = call(client, 2, 'steps', 99);
    await world.until(() => world.runs.length === 2);
    over.nodes[0]?.crash();
    for (const at of [1, 2]) assert.equal(await client.request(at, 'ping').status(), 404);
    assert.equal(codeOf(await begun.whole()), -32603);
    assert.equal(codeOf(await silent.whole()), -32603);
    assert.equal(world.runs.length, 2);
  });

  it('are begun anew by a client whose process is gone', async (t) => {
    const { over } = await scene(t);
    const client = await connect(url, { fetch: over.fetch, revisions: ['2025-06-18'] });
    const where = async (): Promise<string> => textOf(await client.callTool('where'));
    const at = await where();
    over.nodes[Number(at.slice(-1))]?.crash();
    // What can be repeated is, in a new session.
    assert.equal((await client.listTools()).length, 4);
    assert.notEqual(await where(), at);
    await client.close();
  });

  it('are refused with 503, and never 404, while the store is away', async (t) => {
    const { over } = await scene(t);
    const client = await new Speaker(over, '2025-06-18').open(0, 1);
    over.nodes[1]?.away(true);
    assert.equal(await client.request(1, 'ping').status(), 503);
    assert.equal(await client.request(0, 'ping').status(), 200);
    over.nodes[1]?.away(false);
    assert.equal(await client.request(1, 'ping').status(), 200);
  });

  it('are handed on with the digits of their numbers, and an answer that is lost on the way is an error', async (t) => {
    const inMemory: Store = { ...memoryStore(), shared: true };
    const { bus } = inMemory;
    const texts: string[] = [];
    const gaps: (() => void)[] = [];
    let isDeaf = false;
    const lossy: Store = {
      ...inMemory,
      bus: {
        publish: (channel, text) => {
          texts.push(text);
          return isDeaf && text.includes('"kind":"part"') ? 1 : bus.publish(channel, text);
        },
        subscribe: (channel, hear, onGap) => {
          gaps.push(onGap);
          return bus.subscribe(channel, hear, onGap);
        },
      },
    };
    const { over, world } = await scene(t, { storeOf: () => lossy });
    const client = await new Speaker(over, '2025-06-18').open(0, 1);
    const call = '{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"where","_meta":{"n":1.0}}}';
    isDeaf = true;
    texts.splice(0);
    const lost = client.visit(1, { method: 'POST', headers: client.headers, body: call });
    await world.until(() => world.runs.length === 1);
    while (!texts.some((text) => text.includes('"kind":"part"'))) await new Promise((resolve) => setImmediate(resolve));
    assert.ok(texts.some((text) => text.includes('\\"n\\":1.0')));
    isDeaf = false;
    for (const tell of gaps) tell();
    assert.equal(codeOf(await lost.whole()), -32603);
    assert.equal(await client.request(1, 'ping').status(), 200);
  });

  it('over HTTP+SSE are answered on their stream, wherever their client POSTs', async (t) => {
    const { over } = await scene(t, { http: { ssePair: { sse: '/sse', messages: '/messages' } } });
    const stream = new Visit((signal) =>
      over.to(0)(new URL('/sse', url), { headers: { accept: 'text/event-stream' }, signal }),
    );
    await stream.until(({ endpoint }) => endpoint !== undefined);
    const post = async (at: number, message: object): Promise<void> => {
      const answer = await over.to(at)(new URL(stream.endpoint ?? '', url), {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', ...message }),
      });
      assert.equal(answer.status, 202);
    };
    const params = { protocolVersion: '2024-11-05', capabilities: {}, clientInfo: { name: 'c', version: '1' } };
    await post(1, { id: 1, method: 'initialize', params });
    await stream.until(({ messages }) => messages.length === 1);
    await post(2, { method: 'notifications/initialized' });
    await post(1, { id: 2, method: 'tools/call', params: { name: 'where' } });
    await stream.until(({ messages }) => messages.length === 2);
    assert.equal(answerOf(stream), 'node 0');
    stream.leave();
  });

  it('over HTTP+SSE have the digits of their numbers, wherever their client POSTs', async (t) => {
    const called: unknown[] = [];
    const upstream = (): BridgeOptions['upstream'] =>
      scriptedUpstream({
        up: '2025-06-18',
        answers: {
          'tools/call': (sent, peer) => {
            const { n, m } = Object(Object(sent.message['params'])['arguments']);
            called.push(n.text, m.text);
            peer.reply(sent, { content: [] });
          },
        },
      });
    const http = { ssePair: { sse: '/sse', messages: '/messages' } };
    const over = await startBridges(t, upstream, { nodes: 2, isRemote: false, http });
    const stream = new Visit((signal) =>
      over.to(0)(new URL('/sse', url), { headers: { accept: 'text/event-stream' }, signal }),
    );
    await stream.until(({ endpoint }) => endpoint !== undefined);
    const post = async (body: string): Promise<void> => {
      const headers = { 'content-type': 'application/json' };
      const answer = await over.to(1)(new URL(stream.endpoint ?? '', url), { method: 'POST', headers, body });
      assert.equal(answer.status, 202);
    };
    const opening = { protocolVersion: '2024-11-05', capabilities: {}, clientInfo: { name: 'c', version: '1' } };
    await post(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: opening }));
    await stream.until(({ messages }) => messages.length === 1);
    await post(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }));
    const exact = '{"n":12345678901234567890,"m":1.0}';
    await post(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"any","arguments":${exact}}}`);
    await stream.until(({ messages }) => messages.length === 2);
    assert.deepEqual(called, ['12345678901234567890', '1.0']);
    stream.leave();
  });

  it('end when their process is closed, whoever reads them', async (t) => {
    const { over } = await scene(t);
    const client = await new Speaker(over, '2025-06-18').open(0, 1);
    const stream = client.listen(1);
    assert.equal(await stream.status(), 200);
    await over.nodes[0]?.handler.close();
    await stream.whole();
    assert.equal(await client.request(1, 'ping').status(), 404);
  });
});

function textOf({ content }: { readonly content: readonly unknown[] }): string {
  return (content[0] as { text: string }).text;
}
