/** Rounds of suspended calls that are delivered several times. */

import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { describe, it, type TestContext } from 'node:test';
import { bridgeBefore, bridgeTo, serverAt } from '../../../../../../test/support/bridged.ts';
import { open, settle, statelessDate, type Json, type Raw } from '../../../../../../test/support/raw.ts';
import { until } from '../../../../../../test/support/turns.ts';
import type { Servable } from '../../../server/runtime/request-handler.ts';
import { McpError } from '../../../protocol/error.ts';
import type { ToolContext } from '../../../server.ts';
import { memoryBus } from '../../../storage/bus.ts';
import { memoryTransport } from '../../../testing/memory-transport.ts';
import { createBridge } from '../../../bridge.ts';
import { Deliveries } from './deliveries.ts';
import type { SuspendedState, CallResumer } from './suspended-call.ts';

const capabilities = { elicitation: { form: {}, url: {} } };
const form = { message: 'Pay?', schema: { type: 'object', properties: { name: { type: 'string' } } } } as const;
const keys = [new Uint8Array(32).fill(3)];

/** A session-based server whose tool counts how often it paid. */
function shop(run?: (ctx: ToolContext) => Promise<void>) {
  const server = serverAt('2025-11-25');
  const paid = { times: 0 };
  server.tool('pay', {}, async (_, ctx) => {
    await ctx.elicit(form);
    const times = ++paid.times;
    await run?.(ctx);
    return `paid ${times}`;
  });
  return { server, paid };
}

async function clientOf(bridge: Servable, principal?: string): Promise<Raw> {
  return await open(bridge, statelessDate, { capabilities, ...(principal !== undefined && { auth: { principal } }) });
}

function answered(asked: Json, action = 'accept', name = 'pay'): Json {
  assert.equal(asked['resultType'], 'input_required');
  const answer = action === 'accept' ? { action, content: {} } : { action };
  const inputResponses = Object.fromEntries(Object.keys(Object(asked['inputRequests'])).map((key) => [key, answer]));
  return { name, requestState: asked['requestState'], inputResponses };
}

function textOf({ content }: Json): unknown {
  return (content as readonly Json[] | undefined)?.[0]?.['text'];
}

function gate() {
  let open!: () => void;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { open, opened };
}

async function turns(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await settle();
}

const unknown = /may have run: .*begin again only if it may run twice/;

describe('a round before a session-based server', () => {
  for (const kind of ['one server', 'several servers'])
    it(`runs once, and each delivery gets its outcome (${kind})`, async (t) => {
      const { server, paid } = shop();
      const upstream = memoryTransport(server);
      const isOne = kind === 'one server';
      const bridge = isOne
        ? await bridgeTo(t, upstream)
        : await createBridge({ upstreams: { shop: { upstream } }, prefix: 'always' });
      t.after(() => bridge.close());
      const client = await clientOf(bridge);
      const name = isOne ? 'pay' : 'shop__pay';
      const request = answered(await client.result('tools/call', { name }), 'accept', name);
      const together = await Promise.all([1, 2, 3].map(() => client.result('tools/call', request)));
      const later = await client.result('tools/call', request);
      assert.deepEqual([...together, later].map(textOf), Array(4).fill('paid 1'));
      const other = await client.error('tools/call', answered({ ...request, ...asking(request) }, 'decline', name));
      assert.match(other.message, /with other answers.*only if it may run twice/);
      assert.equal(paid.times, 1);
    });

  it('gives its outcome after its state has expired, and runs nothing then [mrtr-013]', async (t) => {
    t.mock.timers.enable({ apis: ['Date'] });
    const { server, paid } = shop();
    const client = await clientOf(await bridgeBefore(t, server));
    const [request, unused] = [
      answered(await client.result('tools/call', { name: 'pay' })),
      answered(await client.result('tools/call', { name: 'pay' })),
    ];
    await client.result('tools/call', request);
    t.mock.timers.tick(300_001);
    assert.equal(textOf(await client.result('tools/call', request)), 'paid 1');
    assert.match((await client.error('tools/call', unused)).message, /it is too old; begin again only if/);
    assert.equal(paid.times, 1);
  });

  it('that fails gives its error to each delivery', async (t) => {
    const { server, paid } = shop(() => {
      throw new McpError(17, 'no receipt');
    });
    const client = await clientOf(await bridgeBefore(t, server));
    const request = answered(await client.result('tools/call', { name: 'pay' }));
    for (let delivery = 0; delivery < 2; delivery++)
      assert.equal((await client.error('tools/call', request)).message, 'no receipt');
    assert.equal(paid.times, 1);
  });

  it('that asks again asks each delivery the same', async (t) => {
    const server = serverAt('2025-11-25');
    server.tool('pay', {}, async (_, ctx) => `${(await ctx.elicit(form)).action} ${(await ctx.elicit(form)).action}`);
    const client = await clientOf(await bridgeBefore(t, server));
    const request = answered(await client.result('tools/call', { name: 'pay' }));
    const [one, two] = await Promise.all([1, 2].map(() => client.result('tools/call', request)));
    for (const asked of [one, two])
      assert.equal(textOf(await client.result('tools/call', answered(asked ?? {}))), 'accept accept');
  });

  it('goes on while one of its deliveries waits', async (t) => {
    const { open: letPay, opened } = gate();
    let cancelled = false;
    const { server, paid } = shop(async (ctx) => {
      ctx.signal.addEventListener('abort', () => (cancelled = true));
      await opened;
      ctx.progress(1);
    });
    const client = await clientOf(await bridgeBefore(t, server));
    const request = answered(await client.result('tools/call', { name: 'pay', _meta: { progressToken: 'first' } }));
    const stays = client.result('tools/call', { ...request, _meta: { progressToken: 'stays' } });
    // Other threads open its state.
    await until(() => paid.times === 1);
    const leaves = client.send('tools/call', { ...request, _meta: { progressToken: 'leaves' } }, 'leaves');
    await turns();
    await client.notify('notifications/cancelled', { requestId: 'leaves' });
    await turns();
    letPay();
    assert.equal(textOf(await stays), 'paid 1');
    assert.equal(await leaves, undefined);
    assert.equal(cancelled, false);
    assert.deepEqual(
      client.take().map(({ params }) => Object(params).progressToken),
      ['stays'],
    );
  });

  it('whose only client left is refused with the advice that it may have run', async (t) => {
    const { server, paid } = shop((ctx) => new Promise((_, reject) => ctx.signal.addEventListener('abort', reject)));
    const client = await clientOf(await bridgeBefore(t, server));
    const request = answered(await client.result('tools/call', { name: 'pay' }));
    const leaves = client.send('tools/call', request, 'leaves');
    await until(() => paid.times === 1);
    await client.notify('notifications/cancelled', { requestId: 'leaves' });
    await leaves;
    assert.match((await client.error('tools/call', request)).message, unknown);
  });

  it('gives its outcome to no other principal', async (t) => {
    const bridge = await bridgeBefore(t, shop().server);
    const [ann, eve] = [await clientOf(bridge, 'ann'), await clientOf(bridge, 'eve')];
    const request = answered(await ann.result('tools/call', { name: 'pay' }));
    assert.equal(textOf(await ann.result('tools/call', request)), 'paid 1');
    assert.match((await eve.error('tools/call', request)).message, /is not valid for this request/);
  });
});

describe('a round that reaches several processes', () => {
  async function cluster(t: TestContext) {
    const { server, paid } = shop();
    const rounds = { keys, bus: memoryBus() };
    const [first, second] = [await bridgeBefore(t, server, { rounds }), await bridgeBefore(t, server, { rounds })];
    return { paid, close: () => first.close(), here: await clientOf(first), there: await clientOf(second) };
  }

  it('runs once if its deliveries come together', async (t) => {
    const { paid, here, there } = await cluster(t);
    const request = answered(await here.result('tools/call', { name: 'pay' }));
    const results = await Promise.all([there, here, there].map((client) => client.result('tools/call', request)));
    assert.deepEqual([results.map(textOf), paid.times], [Array(3).fill('paid 1'), 1]);
    assert.equal(textOf(await here.result('tools/call', request)), 'paid 1');
  });

  it('is refused as one that may have run where its outcome is not known', async (t) => {
    const { paid, close, here, there } = await cluster(t);
    const request = answered(await here.result('tools/call', { name: 'pay' }));
    await here.result('tools/call', request);
    await close();
    assert.match((await there.error('tools/call', request)).message, unknown);
    assert.equal(paid.times, 1);
  });
});

it('a visit that led to an error is not followed by a second call', async (t) => {
  const elicitations = [{ mode: 'url', message: 'Log in.', url: 'https://example.com/login', elicitationId: 'a' }];
  const server = serverAt('2025-11-25');
  let calls = 0;
  server.tool('pay', {}, async () => {
    if (calls++ === 0) throw new McpError('urlElicitationRequired', 'log in first', { data: { elicitations } });
    throw new McpError(17, 'no receipt');
  });
  const client = await clientOf(await bridgeBefore(t, server));
  const asked = await client.result('tools/call', { name: 'pay' });
  const request = { ...answered(asked), inputResponses: { 'visit-1': { action: 'accept' } } };
  for (let delivery = 0; delivery < 2; delivery++)
    assert.equal((await client.error('tools/call', request)).message, 'no receipt');
  assert.equal(calls, 2);
});

it('an outcome is dropped after ten minutes, and when its owner has too many', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const deliveries = new Deliveries();
  t.after(() => deliveries.close());
  const onDropped = (): void => undefined;
  const resumer = { signal: new AbortController().signal } as CallResumer;
  const standing: SuspendedState = { kind: 'complete', result: {} };
  const run = (id: string, owner: string): Promise<SuspendedState> =>
    deliveries.first(id, { answers: '', resumer, owner, onDropped }, async () => standing);
  await run('old', 'ann');
  t.mock.timers.tick(599_999);
  assert.deepEqual(await deliveries.again('old', { answers: '', resumer }), standing);
  t.mock.timers.tick(1);
  assert.equal(deliveries.again('old', { answers: '', resumer }), undefined);
  await run('own', 'ann');
  for (let count = 0; count < 1_100; count++) await run(`eve ${count}`, 'eve');
  assert.equal(deliveries.again('eve 0', { answers: '', resumer }), undefined);
  assert.deepEqual(await deliveries.again('own', { answers: '', resumer }), standing);
});

it('a round that ends after everything was dropped is not stored', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const deliveries = new Deliveries();
  const resumer = { signal: new AbortController().signal } as CallResumer;
  let dropped = 0;
  let end!: (standing: SuspendedState) => void;
  const run = (): Promise<SuspendedState> => new Promise((resolve) => (end = resolve));
  const first = deliveries.first('x', { answers: '', resumer, owner: 'ann', onDropped: () => dropped++ }, run);
  deliveries.close();
  end({ kind: 'complete', result: {} });
  await first;
  assert.equal(deliveries.again('x', { answers: '', resumer }), undefined);
  t.mock.timers.tick(600_000);
  assert.equal(dropped, 1);
});

it('a delivery after the end of its round leaves nothing behind', async (t) => {
  const deliveries = new Deliveries();
  t.after(() => deliveries.close());
  const resumers = [0, 1].map(() => ({ signal: new AbortController().signal }) as CallResumer);
  const [one, late] = resumers as [CallResumer, CallResumer];
  const standing: SuspendedState = { kind: 'complete', result: {} };
  await deliveries.first(
    'x',
    { answers: '', resumer: one, owner: 'ann', onDropped: () => undefined },
    async () => standing,
  );
  assert.deepEqual(await deliveries.again('x', { answers: '', resumer: late }), standing);
  assert.equal(getEventListeners(late.signal, 'abort').length, 0);
});

/** The questions that a request answers. */
function asking({ requestState, inputResponses }: Json): Json {
  return { resultType: 'input_required', requestState, inputRequests: inputResponses };
}
