/** What processes do when they do not hear each other. */

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { memoryStore } from '../../packages/parley/src/storage/memory/store.ts';
import type { Store } from '../../packages/parley/src/storage/store.ts';
import { define, World } from './definition.ts';
import { startService, type Service } from './service.ts';
import { Speaker, type Visit } from './speaker.ts';

/** What becomes of a text that a process publishes: how many heard it, where the bus is not asked. */
type Published = (text: { readonly kind: string; readonly reply?: string }, at: number) => number | undefined;

interface Scene {
  readonly world: World;
  readonly service: Service;
  /** A stream of the first process, which the second one reads. */
  readonly stream: Visit;
  readonly client: Speaker;
  /** Lets so much time pass, with all that happens in it. */
  pass(ms: number): Promise<void>;
}

async function scene(t: TestContext, published: Published = () => undefined): Promise<Scene> {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  // What ends after the test takes its real time.
  t.after(() => t.mock.timers.reset());
  const shared: Store = { ...memoryStore(), shared: true };
  let nodes = 0;
  const storeOf = (): Store => {
    const at = nodes++;
    const publish: Store['bus']['publish'] = (channel, text) =>
      // Its first character says how it travels.
      published(JSON.parse(text.slice(1)) as never, at) ?? shared.bus.publish(channel, text);
    return { ...shared, bus: { ...shared.bus, publish } };
  };
  const world = new World();
  const service = startService(t, define(world), { nodes: 3, isRemote: false, storeOf });
  const client = await new Speaker(service, '2025-11-25').open(0, 1);
  const first = client.request(0, 'tools/call', { name: 'steps', _meta: { progressToken: 'p' } });
  world.pass('step 1');
  await first.until(({ messages }) => messages.length === 1);
  first.leave();
  const stream = client.listen(1, first.lastId);
  assert.equal(await stream.status(), 200);
  const pass = async (ms: number): Promise<void> => {
    for (let passed = 0; passed < ms; passed += 500) {
      t.mock.timers.tick(500);
      for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
    }
  };
  await pass(500);
  return { world, service, client, stream, pass };
}

const isError = ({ messages }: Visit): boolean =>
  (messages.at(-1)?.['error'] as { readonly code: number } | undefined)?.code === -32603;

test('who reads a stream elsewhere hears within 6 seconds that its process died, and not only after a long silence', async (t) => {
  const { service, stream, pass } = await scene(t);
  await pass(20_000);
  assert.equal(stream.ended, false);
  service.nodes[0]?.crash();
  await pass(6_000);
  assert.ok(isError(stream));
});

test('a process that died just now, and that the store still counts, is asked for once more', async (t) => {
  let isCounted = false;
  const { service, client, stream, pass } = await scene(t, ({ kind }) =>
    kind === 'reading' && isCounted ? 1 : undefined,
  );
  stream.leave();
  service.nodes[0]?.crash();
  isCounted = true;
  const later = client.listen(2, stream.lastId);
  assert.equal(await later.status(), 200);
  isCounted = false;
  await pass(1_500);
  assert.ok(isError(later));
});

test('a writer that once did not reach who reads it elsewhere is found again, and what it runs goes on', async (t) => {
  let isDeaf = false;
  const { world, stream, pass } = await scene(t, ({ kind, reply }) =>
    kind === 'reply' && reply === 'written' && isDeaf ? 0 : undefined,
  );
  isDeaf = true;
  await pass(5_500);
  isDeaf = false;
  await pass(30_000);
  for (const step of ['step 2', 'step 3', 'end']) world.pass(step);
  await pass(500);
  assert.equal(stream.messages.length, 3);
  assert.ok('result' in (stream.messages.at(-1) ?? {}));
});

test('a process that says nothing at all is taken for dead after 15 seconds, and what it still writes is nothing', async (t) => {
  let isFrozen = false;
  const { world, stream, pass } = await scene(t, (_, at) => (isFrozen && at === 0 ? 1 : undefined));
  isFrozen = true;
  await pass(14_000);
  assert.equal(stream.ended, false);
  await pass(2_000);
  assert.ok(isError(stream));
  for (const step of ['step 2', 'step 3', 'end']) world.pass(step);
  await pass(500);
  assert.equal(stream.messages.length, 1);
});

test('a stream goes on at another process of which an event was kept that its writer did not hear of, and tells it once', async (t) => {
  const { world, service, client, stream, pass } = await scene(t);
  stream.leave();
  const here = client.listen(0, stream.lastId);
  await here.until(({ lastId }) => lastId !== undefined);
  // Each is done, and nobody hears that it was.
  service.nodes[0]?.failAfter('append');
  world.pass('step 2');
  await here.until(({ messages }) => messages.length === 1);
  here.leave();
  const later = client.listen(1, here.lastId);
  await pass(500);
  for (const step of ['step 3', 'end']) world.pass(step);
  // Each is looked for a moment later.
  await pass(2_000);
  assert.deepEqual([later.messages.length, later.messages.filter((message) => 'result' in message).length], [2, 1]);
});

test('an answer that nobody hears is told again for some seconds, and is taken once', async (t) => {
  let lost = 2;
  const { world, client, pass } = await scene(t, ({ kind }) => (kind === 'message' && lost-- > 0 ? 0 : undefined));
  const asked = client.request(0, 'tools/call', { name: 'ask' });
  await asked.until(({ messages }) => messages.length === 1);
  const answer = { id: asked.messages[0]?.['id'], result: { action: 'accept', content: { name: 'Ada' } } };
  assert.equal(await client.say(1, answer).status(), 202);
  await pass(1_000);
  assert.equal(asked.ended, false);
  await pass(1_000);
  await asked.until(({ messages }) => 'result' in (messages.at(-1) ?? {}));
  assert.equal(lost, -1);
  assert.equal(world.runs.filter(({ tool }) => tool === 'ask').length, 1);
});

test('a process that does not say whether it has the stream for what belongs to no request loses it in 3 seconds', async (t) => {
  let isFrozen = false;
  const { client, pass } = await scene(t, (_, at) => (isFrozen && at === 0 ? 1 : undefined));
  const first = client.listen(0);
  assert.equal(await first.status(), 200);
  isFrozen = true;
  const later = client.listen(1);
  let status: number | undefined;
  void later.status().then((known) => (status = known));
  await pass(2_500);
  assert.equal(status, undefined);
  await pass(1_000);
  assert.equal(status, 200);
  // The one before hears that it was taken, and ends.
  await first.whole();
  later.leave();
});
