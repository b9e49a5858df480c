import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { settle, visit } from './support/fake-http.ts';
import { connect } from '../packages/parley/src/client.ts';
import { listen } from '../packages/parley/src/node.ts';
import { memoryRoundStore } from '../packages/parley/src/server/runtime/input/state-store.ts';
import { Rates } from '../packages/parley/src/server/rates/rates.ts';
import { createServer } from '../packages/parley/src/server.ts';
import { memoryEvents } from '../packages/parley/src/storage/events.ts';
import { connect as openSession, request } from './support/session-client.ts';

const day = 24 * 60 * 60_000;

/** The wall clock jumps by a day, as it does where it was set wrong; no time passes. */
function jump(t: TestContext): () => void {
  const now = Date.now();
  t.mock.timers.enable({ apis: ['Date'], now });
  return () => t.mock.timers.setTime(now + day);
}

test('a jump of the wall clock ends no session, and forgets none of its events', async (t) => {
  const jumps = jump(t);
  const client = await openSession('2025-11-25');
  const answer = client.post(request('slow'));
  await settle();
  client.fake.conversations[0]?.link.send({ jsonrpc: '2.0', method: 'notifications/message' }, 2);
  answer.leave();
  client.fake.conversations[0]?.release(2);
  await settle();
  jumps();
  const resumed = await client.get({ 'last-event-id': answer.frames[0]?.id ?? '' }).done();
  assert.equal(resumed.events.length, 2);
  assert.equal(
    (await visit(client.handler, { method: 'DELETE', headers: { 'Mcp-Session-Id': client.id } })).status,
    204,
  );
});

test('a jump of the wall clock drops nothing from the stores of this process', async (t) => {
  const jumps = jump(t);
  const [rounds, events] = [memoryRoundStore(), memoryEvents().open()];
  await rounds.add('a', 'kept', 60_000);
  events.append('s', { number: 1, data: 'kept' });
  jumps();
  assert.equal(await rounds.get('a'), 'kept');
  assert.deepEqual(events.replayAfter('s', 0), [{ number: 1, data: 'kept' }]);
});

test('a jump of the wall clock fills no measure of a rate limit', async (t) => {
  const jumps = jump(t);
  const rates = new Rates({ limits: {}, shared: undefined, name: 's', onError: () => undefined });
  const measure = rates.of('tools', { perSecond: 0.001 });
  const take = async (): Promise<boolean | undefined> =>
    (await measure?.({ auth: undefined, session: undefined, address: undefined }))?.ok;
  assert.deepEqual([await take(), await take()], [true, false]);
  jumps();
  assert.equal(await take(), false);
});

test('a jump of the wall clock leaves negotiations and cached responses of a client as they are', async (t) => {
  const server = createServer({ name: 's', version: '1' }, { cache: { ttlMs: 60_000, cacheScope: 'private' } });
  server.tool('a', {}, () => 'x');
  const listening = await listen(server, { port: 0, drainTimeoutMs: 0 });
  t.after(() => listening.close());
  const jumps = jump(t);
  const client = await connect(listening.url);
  t.after(() => client.close());
  const [first] = await client.listTools();
  jumps();
  assert.deepEqual(first?.name, 'a');
  server.tool('b', {}, () => 'x');
  assert.equal((await client.listTools()).length, 1);
});
