import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { memoryStore } from '../../packages/parley/src/storage/memory/store.ts';
import type { Store } from '../../packages/parley/src/storage/store.ts';
import { define, World } from './definition.ts';
import { startService, type Service, type ServiceOptions } from './service.ts';
import { Speaker, type Visit } from './speaker.ts';

interface Scene {
  readonly service: Service;
  readonly store: Store;
  readonly client: Speaker;
  readonly record: () => { readonly level: string; readonly watched: readonly string[] };
}

async function scene(t: TestContext, options: ServiceOptions & { readonly now?: () => number } = {}): Promise<Scene> {
  const { now, ...given } = options;
  const store: Store = { ...memoryStore(now === undefined ? {} : { now }), shared: true };
  const service = startService(t, define(new World()), { nodes: 3, storeOf: () => store, ...given });
  const client = await new Speaker(service, '2025-11-25').open(0, 1);
  const record = (): never => {
    const kept = store.records.get(`session ${client.headers['mcp-session-id']}`);
    assert.ok(kept !== undefined && 'text' in kept);
    return (JSON.parse(kept.text) as { readonly record: never }).record;
  };
  return { service, store, client, record };
}

test('of what a client changes at several processes at once nothing is lost', async (t) => {
  const { client, record, service } = await scene(t);
  const uris = Array.from({ length: 18 }, (_, at) => `note://${at}`);
  const subscribed = uris.map((uri, at) => client.request(at % 3, 'resources/subscribe', { uri }));
  const level = client.request(1, 'logging/setLevel', { level: 'error' });
  for (const visit of [...subscribed, level]) assert.equal(await visit.status(), 200);
  assert.deepEqual([...record().watched].toSorted(), uris.toSorted());
  assert.equal(record().level, 'error');
  const ended = uris.map((uri, at) => client.request((at + 1) % 3, 'resources/unsubscribe', { uri }));
  for (const visit of ended) assert.equal(await visit.status(), 200);
  assert.deepEqual(record().watched, []);
  assert.deepEqual(service.errors, []);
});

test('of several streams that are opened at once for what belongs to no request one lives', async (t) => {
  for (let round = 0; round < 20; round++) {
    const { client } = await scene(t);
    const streams = [0, 1, 2, 0, 1, 2].map((at) => client.listen(at));
    const statuses = await Promise.all(streams.map((stream) => stream.status()));
    assert.deepEqual(
      statuses.toSorted((one, other) => one - other),
      [200, 409, 409, 409, 409, 409],
      `round ${round}: ${statuses.join()}`,
    );
    for (const stream of streams) stream.leave();
  }
});

test('a stream that another process is about to open is open', async (t) => {
  const { client, service } = await scene(t, { isRemote: false });
  const put = service.nodes[0]?.hold('put', 'answer');
  const first = client.listen(0);
  await put?.reached;
  assert.equal(await client.listen(1).status(), 409);
  put?.release();
  assert.equal(await first.status(), 200);
  first.leave();
});

test('a stream that is about to go on here is not opened by another process', async (t) => {
  const { client, service } = await scene(t, { isRemote: false });
  const first = await client.listen(0).until(({ lastId }) => lastId !== undefined);
  first.leave();
  const read = service.nodes[1]?.hold('write', 'answer');
  const second = client.listen(1, first.lastId);
  await read?.reached;
  assert.equal(await client.listen(2).status(), 409);
  read?.release();
  assert.equal(await second.status(), 200);
  second.leave();
});

test('a stream that is taken while it is about to be opened is not opened', async (t) => {
  const { client, service } = await scene(t, { isRemote: false });
  const before = await client.listen(0).until(({ lastId }) => lastId !== undefined);
  before.leave();
  const got = service.nodes[0]?.hold('get', 'answer');
  const first = client.listen(0);
  await got?.reached;
  const second = client.listen(1, before.lastId);
  assert.equal(await second.status(), 200);
  got?.release();
  assert.equal(await first.status(), 409);
  assert.equal(second.ended, false);
  second.leave();
});

test('a process that has nothing of a session any more says so', async (t) => {
  const store: Store = { ...memoryStore(), shared: true };
  const told: string[] = [];
  const { bus } = store;
  const publish: typeof bus.publish = (channel, text) => {
    told.push(text);
    return bus.publish(channel, text);
  };
  const storeOf = (): Store => ({ ...store, bus: { ...bus, publish } });
  const { client, service } = await scene(t, { isRemote: false, http: { maxSessions: 2 }, storeOf });
  const before = await client.listen(0).until(({ lastId }) => lastId !== undefined);
  before.leave();
  // The copy there makes way for others.
  for (let sessions = 0; sessions < 4; sessions++) await new Speaker(service, '2025-11-25').open(0, 0);
  const stream = client.listen(1);
  assert.equal(await stream.status(), 200);
  assert.ok(told.some((text) => text.includes('"reply":"not-open"')));
  stream.leave();
});

test('of several who resume one stream at once the last has it, and each event once', async (t) => {
  const world = new World();
  const service = startService(t, define(world), { nodes: 3 });
  const client = await new Speaker(service, '2025-11-25').open(0, 1);
  const first = client.request(0, 'tools/call', { name: 'steps', _meta: { progressToken: 'p' } });
  world.pass('step 1');
  await first.until(({ messages }) => messages.length === 1);
  first.leave();
  const readers = [1, 2, 0, 1, 2].map((at) => client.listen(at, first.lastId));
  for (const reader of readers) assert.equal(await reader.status(), 200);
  for (const step of ['step 2', 'step 3', 'end']) world.pass(step);
  for (const reader of readers) await reader.whole();
  const whole = readers.filter(({ messages }) => messages.length === 3);
  assert.ok(whole.length >= 1);
  for (const { messages } of readers) {
    const steps = messages.map(({ params }) => (params as { progress?: number } | undefined)?.progress);
    assert.deepEqual(steps, [2, 3, undefined].slice(0, steps.length));
  }
});

test('a session that is used at one process lives for all of them, and no longer than that', async (t) => {
  let time = 0;
  const http = { sessionIdleTimeoutMs: 60_000, now: () => time };
  const { client, store } = await scene(t, { http, now: () => time });
  for (; time < 300_000; time += 20_000) assert.equal(await client.request(2, 'ping').status(), 200);
  assert.equal(await client.request(0, 'ping').status(), 200);
  time += 61_000;
  for (const at of [0, 1, 2]) assert.equal(await client.request(at, 'ping').status(), 404);
  assert.equal(await store.records.get(`session ${client.headers['mcp-session-id']}`), undefined);
});

test('a copy that nobody uses is let go of, and the session goes on', async (t) => {
  const { client, service } = await scene(t, { http: { maxSessions: 2 } });
  // Another process has no room but for copies that are used.
  for (let sessions = 0; sessions < 4; sessions++) {
    const other = await new Speaker(service, '2025-11-25').open(1, 1);
    assert.equal(await other.request(1, 'ping').status(), 200);
  }
  for (const at of [1, 0, 2]) assert.equal(await client.request(at, 'ping').status(), 200);
});

test('what changed is told by a process that let go of its copy before its client came back to it', async (t) => {
  const { client, service } = await scene(t, { http: { maxSessions: 2 } });
  const stream = client.listen(1);
  assert.equal(await stream.status(), 200);
  service.nodes[1]?.server.tool('new', {}, () => 'new');
  const hasChanged = ({ messages }: Visit): boolean =>
    messages.some(({ method }) => method === 'notifications/tools/list_changed');
  await stream.until(hasChanged);
  stream.leave();
  service.nodes[1]?.server.tool('newer', {}, () => 'newer');
  await new Promise((resolve) => setTimeout(resolve, 400));
  for (let sessions = 0; sessions < 4; sessions++) await new Speaker(service, '2025-11-25').open(1, 1);
  const later = client.listen(1, stream.lastId);
  assert.equal(await later.status(), 200);
  await later.until(hasChanged);
});
