import assert from 'node:assert/strict';
import { test } from 'node:test';
import { call } from '../../../../../test/support/stateless-call.ts';
import { createServer, type Server } from '../../server/server.ts';
import { begin, settle, visit, type FakeVisit } from '../../../../../test/support/fake-http.ts';
import { createHttpHandler, type HttpHandler } from './server/handler.ts';
import type { HttpOptions } from './server/exchanges/options.ts';

interface Many {
  readonly server: Server;
  readonly handler: HttpHandler;
  readonly streams: readonly FakeVisit[];
}

/** A server with very many listen streams. */
async function open(count: number, options: HttpOptions = {}): Promise<Many> {
  const server = createServer(
    { name: 's', version: '1' },
    { capabilities: { tools: {}, resources: { subscribe: true } } },
  );
  const handler = createHttpHandler(server, { maxStreams: count, ...options });
  const streams = await subscribe(handler, count);
  assert.ok(streams.every(({ events }) => events.length === 1));
  return { server, handler, streams };
}

/** Opens streams. Too many requests at once would be refused; as streams they are not counted with them. */
async function subscribe(handler: HttpHandler, count: number): Promise<FakeVisit[]> {
  const streams: FakeVisit[] = [];
  while (streams.length < count) {
    for (let at = Math.min(500, count - streams.length); at > 0; at--) streams.push(begin(handler, subscription));
    await settle();
  }
  return streams;
}

const subscription = call({
  method: 'subscriptions/listen',
  params: { notifications: { toolsListChanged: true, resourceSubscriptions: ['memo://a'] } },
});

/** How many streams were written to in each turn of the event loop, until all were. */
async function perTurn(streams: readonly FakeVisit[], events: number): Promise<readonly number[]> {
  const turns: number[] = [];
  let told = 0;
  while (told < streams.length) {
    await new Promise((resolve) => setImmediate(resolve));
    const now = streams.filter(({ written }) => written.split('\n\n').length > events).length;
    if (now > told) turns.push(now - told);
    told = now;
  }
  return turns;
}

for (const [what, change] of [
  ['list', (server: Server) => server.changed('tools')],
  ['resource', (server: Server) => server.resourceUpdated('memo://a')],
] as const) {
  test(`a change of a ${what} is written to streams in slices, so that the event loop never stands`, async () => {
    const { server, streams } = await open(3_333);
    change(server);
    const turns = await perTurn(streams, 2);
    assert.ok(
      turns.every((count) => count <= 64),
      String(turns),
    );
    change(server);
    await perTurn(streams, 3);
    assert.ok(streams.every(({ events }) => events.length === 3));
    for (const stream of streams) stream.leave();
  });
}

test('changes of one turn reach every stream in one order, also where they are told in slices', async () => {
  const { server, streams } = await open(500);
  server.changed('tools');
  server.resourceUpdated('memo://a');
  await perTurn(streams, 3);
  const methods = new Set(
    streams.map(({ events }) => events.map((event) => (event as { method: string }).method).join()),
  );
  assert.equal(methods.size, 1);
  for (const stream of streams) stream.leave();
});

for (const [what, close] of [
  ['server', ({ server }: Many) => server.close()],
  ['handler', ({ handler }: Many) => handler.close()],
] as const) {
  test(`a ${what} that closes ends very many streams in slices, each with its response`, async () => {
    const many = await open(2_000);
    const closed = close(many);
    const turns = await perTurn(many.streams, 2);
    // The first slice is written at once, before the first turn.
    assert.ok(
      turns.every((count, at) => count <= (at === 0 ? 128 : 64)),
      String(turns),
    );
    await closed;
    assert.ok(many.streams.every(({ ended, events }) => ended && 'result' in (events[1] as object)));
  });
}

test('comments that keep streams open are written in slices too', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { streams } = await open(1_000, { keepAliveIntervalMs: 1000 });
  t.mock.timers.tick(500);
  for (let turn = 0; turn < 40; turn++) await new Promise((resolve) => setImmediate(resolve));
  t.mock.timers.tick(500);
  const turns = await perTurn(streams, 2);
  // The first slice was written by the tick itself, before the first turn.
  assert.ok(
    turns.every((count, at) => count <= (at === 0 ? 128 : 64)),
    String(turns),
  );
  for (const stream of streams) stream.leave();
});

test('there is one limit of listen streams: beyond it a client gets 503 and hears when to come back', async () => {
  const handler = createHttpHandler(createServer({ name: 's', version: '1' }), { maxStreams: 10_050 });
  const streams = await subscribe(handler, 10_050);
  assert.ok(streams.every(({ status }) => status === 200));
  const refused = await visit(handler, subscription);
  assert.deepEqual([refused.status, refused.headers['retry-after']], [503, '10']);
  for (const stream of streams) stream.leave();
});

test('a limit of listen streams that a server has of its own is 503 as well', async () => {
  const server = createServer({ name: 's', version: '1' }, { subscriptions: { listeners: 1 } });
  const handler = createHttpHandler(server);
  const subscription = call({ method: 'subscriptions/listen', params: { notifications: {} } });
  const first = begin(handler, subscription);
  await first.until(({ events }) => events.length === 1);
  const refused = await visit(handler, subscription);
  assert.deepEqual([refused.status, refused.headers['retry-after']], [503, '10']);
  first.leave();
});
