import assert from 'node:assert/strict';
import { it } from 'node:test';
import { turns } from '../../../../../test/support/turns.ts';
import { ways } from '../../../../../test/support/ways.ts';
import { createHandler } from '../../transports/http/server/fetch.ts';
import { httpTransport } from '../../transports/http/client/transport.ts';
import { revisions } from '../../protocol/revision.ts';
import { createServer } from '../../server/server.ts';
import { createConnect } from '../connect.ts';
import { McpError } from '../../protocol/error.ts';
import { connectInMemory } from '../../testing/pair.ts';
import type { Subscription, SubscriptionEvent, Topics } from '../api/subscription.ts';

for (const way of ways) {
  for (const { date, era } of revisions) {
    // The oldest revision has another HTTP transport, with a pair of endpoints.
    if (way.name === 'HTTP' && date === revisions[0]?.date) continue;
    it(`changes of a server of our own are heard over ${way.name} at ${date}`, async () => {
      const server = createServer({ name: 's', version: '1' });
      server.tool('first', {}, () => 'x');
      server.resource('memo://one', { name: 'one' }, () => 'x');
      const client = await createConnect({ http: () => way.reach(server) })(way.reach(server), { revisions: [date] });
      const events: SubscriptionEvent[] = [];
      let arrived = (): void => {};
      const subscription = await client.subscribe({ tools: true, updates: ['memo://one'] }, (event) => {
        events.push(event);
        arrived();
      });
      assert.deepEqual(subscription.honored, { tools: true, updates: ['memo://one'] });
      const change = async (make: () => void): Promise<void> => {
        const next = new Promise<void>((resolve) => (arrived = resolve));
        make();
        await next;
      };
      await change(() => server.changed('tools'));
      await change(() => server.resourceUpdated('memo://one'));
      assert.deepEqual(events, [
        { type: 'list', list: 'tools' },
        { type: 'update', uri: 'memo://one' },
      ]);
      await subscription.close();
      assert.deepEqual(subscription.honored, { tools: true, updates: ['memo://one'] });
      if (era === 'stateless') {
        const other = await client.subscribe({ tools: true }, () => undefined);
        await server.close();
        await client.close();
        assert.deepEqual(await other.closed, { graceful: true });
      }
      await client.close();
      await server.close();
    });
  }
}

for (const { date } of revisions.slice(1))
  it(`what changes after a server was closed and another took its place is heard at ${date}`, async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const definition = () => {
      const server = createServer({ name: 's', version: '1' });
      server.resource('memo://one', { name: 'one' }, () => 'x');
      return server;
    };
    const servers = [definition(), definition()];
    const handlers = servers.map((server) => createHandler(server));
    let now = 0;
    const transport = httpTransport('http://127.0.0.1/mcp', {
      fetch: async (url, request) => (await handlers[now]?.(new Request(url, request))) ?? assert.fail(),
    });
    const client = await createConnect({ http: () => assert.fail() })(transport, { revisions: [date] });
    const events: SubscriptionEvent[] = [];
    await client.subscribe({ updates: ['memo://one'] }, (event) => void events.push(event));
    now = 1;
    await handlers[0]?.close();
    for (let seconds = 0; events.length === 0 && seconds < 100; seconds++) {
      t.mock.timers.tick(1_000);
      await turns();
    }
    servers[1]?.resourceUpdated('memo://one');
    for (let waits = 0; events.at(-1)?.type !== 'update' && waits < 100; waits++) await turns();
    assert.deepEqual(events, [{ type: 'reopened' }, { type: 'update', uri: 'memo://one' }]);
    await client.close();
  });

it('a resource that a server has no time to watch again after a restart is watched later', async (t) => {
  const definition = () => {
    const server = createServer({ name: 's', version: '1' });
    server.resource('memo://one', { name: 'one' }, () => 'x');
    return server;
  };
  const servers = [definition(), definition()];
  const handlers = servers.map((server) => createHandler(server));
  let now = 0;
  let refusals = 0;
  const transport = httpTransport('http://127.0.0.1/mcp', {
    fetch: async (url, request) => {
      const isRenewed = now === 1 && String(request?.body).includes('resources/subscribe');
      if (isRenewed && refusals++ === 0) return new Response(undefined, { status: 503 });
      return (await handlers[now]?.(new Request(url, request))) ?? assert.fail();
    },
  });
  const client = await createConnect({ http: () => assert.fail() })(transport, {
    revisions: ['2025-11-25'],
    onWarning: () => undefined,
  });
  t.after(() => client.close());
  let reopened = 0;
  let heard = (): void => undefined;
  const subscription = await client.subscribe({ updates: ['memo://one'] }, ({ type }) => {
    if (type === 'reopened') reopened++;
    heard();
  });
  now = 1;
  await client.ping().catch(() => undefined);
  while (subscription.honored.updates === undefined || reopened < 2)
    await new Promise<void>((resolve) => (heard = resolve));
  assert.equal(refusals, 2);
  const updated = new Promise<void>((resolve) => (heard = resolve));
  servers[1]?.resourceUpdated('memo://one');
  await updated;
});

it('a client has up to 1,000 subscriptions, of up to 10,000 resources each', async () => {
  const server = createServer({ name: 's', version: '1' });
  server.tool('first', {}, () => 'x');
  server.resource('memo://one', { name: 'one' }, () => 'x');
  const client = await connectInMemory(server, { revision: '2026-07-28' });
  const subscribe = (topics: Topics): Promise<Subscription> => client.subscribe(topics, () => undefined);
  const uris = (length: number): Topics => ({ updates: Array.from({ length }, (_, at) => `memo://${at}`) });
  await assert.rejects(subscribe(uris(10_001)), { name: 'TypeError', message: /at most 10000 resources/ });
  await assert.rejects(subscribe({ updates: [] }), { name: 'TypeError', message: /needs at least one topic/ });
  // The server may refuse as many, which is not for the client to say.
  await subscribe(uris(10_000)).then(
    (subscription) => subscription.close(),
    (error: unknown) => assert.ok(error instanceof McpError),
  );
  const [first] = await Promise.all(Array.from({ length: 1_000 }, () => subscribe({ tools: true })));
  await assert.rejects(subscribe({ tools: true }), { name: 'TypeError', message: /at most 1000 subscriptions/ });
  await first?.close();
  await subscribe({ tools: true });
  await client.close();
});
