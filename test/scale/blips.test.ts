/** What becomes of sessions when the subscriptions of their processes break for a moment, as any connection may. */

import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { createServer } from '../../packages/parley/src/server.ts';
import { memoryStore } from '../../packages/parley/src/storage/memory/store.ts';
import type { Store } from '../../packages/parley/src/storage/store.ts';
import { memoryTransport } from '../../packages/parley/src/testing.ts';
import { define, World } from './definition.ts';
import { startBridges, startService } from './service.ts';
import { Speaker, type Visit } from './speaker.ts';

type Json = Readonly<Record<string, unknown>>;

/** A store of several processes, and what has nobody hear the next text on each of its channels. */
function scene(): { readonly storeOf: () => Store; blip(): void } {
  const shared: Store = { ...memoryStore(), shared: true };
  let whole: Set<string> | undefined;
  const publish: Store['bus']['publish'] = (channel, text) => {
    if (whole === undefined || whole.has(channel)) return shared.bus.publish(channel, text);
    whole.add(channel);
    return 0;
  };
  return { storeOf: () => ({ ...shared, bus: { ...shared.bus, publish } }), blip: () => void (whole = new Set()) };
}

describe('processes that are not heard for a moment', () => {
  const call = (client: Speaker, at: number, tool: string): Visit =>
    client.request(at, 'tools/call', { name: tool, arguments: {}, _meta: { progressToken: 'p' } });

  const answerOf = (visit: Visit): unknown =>
    (visit.messages.at(-1) as { result?: { content: { text: string }[] } }).result?.content[0]?.text ??
    visit.messages.at(-1);

  const bridges = async (t: TestContext, world: World, storeOf: () => Store) =>
    await startBridges(
      t,
      () => {
        const server = createServer({ name: 'upstream', version: '1.0.0' }, { revisions: ['2025-11-25'] });
        define(world)(server, 0);
        t.after(() => server.close());
        return memoryTransport(server);
      },
      { nodes: 2, isRemote: false, storeOf },
    );

  const passAll = (world: World): void => {
    for (const step of ['step 1', 'step 2', 'step 3', 'end']) world.pass(step);
  };

  it('are not taken for dead by who reads a stream of theirs', async (t) => {
    const { storeOf, blip } = scene();
    const world = new World();
    const over = startService(t, define(world), { isRemote: false, storeOf });
    const client = await new Speaker(over, '2025-11-25').open(0, 1);
    const first = call(client, 0, 'steps');
    world.pass('step 1');
    await first.until(({ messages }) => messages.length === 1);
    first.leave();
    blip();
    const second = client.listen(1, first.lastId);
    assert.equal(await second.status(), 200);
    passAll(world);
    assert.equal(answerOf(await second.whole()), 'done');
  });

  it('keep the stream for what belongs to no request', async (t) => {
    const { storeOf, blip } = scene();
    const over = startService(t, define(new World()), { isRemote: false, storeOf });
    const client = await new Speaker(over, '2025-11-25').open(0, 1);
    const stream = client.listen(0);
    assert.equal(await stream.status(), 200);
    blip();
    assert.equal(await client.listen(1).status(), 409);
    stream.leave();
  });

  it('keep calls that wait for a client without a session', async (t) => {
    const { storeOf, blip } = scene();
    const over = await bridges(t, new World(), storeOf);
    const client = new Speaker(over, '2026-07-28', {
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'ask',
    });
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'c', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
    };
    const params = { name: 'ask', arguments: {}, _meta };
    const first = await client.request(0, 'tools/call', params).whole();
    const { inputRequests, requestState } = (first.messages.at(-1) ?? {})['result'] as {
      readonly inputRequests: Json;
      readonly requestState: string;
    };
    const [key = ''] = Object.keys(inputRequests);
    const inputResponses = { [key]: { action: 'accept', content: { name: 'Ada' } } };
    blip();
    const second = await client.request(1, 'tools/call', { ...params, inputResponses, requestState }).whole();
    assert.equal(answerOf(second), 'hello, Ada');
  });
});
