import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { define, World } from './definition.ts';
import { startService, type Service } from './service.ts';
import { Speaker, type Visit } from './speaker.ts';

const revisions = ['2025-03-26', '2025-06-18', '2025-11-25'] as const;

interface Scene {
  readonly world: World;
  readonly service: Service;
  readonly owner: Speaker;
  /** Somebody else, who has learned the id of the session. */
  readonly stranger: Speaker;
  /** The same, with an id that nobody has. */
  readonly guesser: Speaker;
}

async function scene(t: TestContext, revision: string): Promise<Scene> {
  const world = new World();
  const service = startService(t, define(world), {
    nodes: 3,
    http: {
      authenticate: (request) => {
        const principal = request.header('authorization');
        return principal === undefined ? { status: 401 } : { principal };
      },
    },
  });
  const owner = await new Speaker(service, revision, { authorization: 'ada' }).open(0, 1);
  const stranger = await new Speaker(service, revision, { authorization: 'eve' }).open(1, 2);
  const guesser = await new Speaker(service, revision, { authorization: 'eve' }).open(2, 0);
  stranger.headers['mcp-session-id'] = owner.headers['mcp-session-id'] ?? '';
  guesser.headers['mcp-session-id'] = 'a'.repeat(48);
  return { world, service, owner, stranger, guesser };
}

async function seen(visit: Visit): Promise<unknown> {
  const { messages } = await visit.whole();
  return { status: await visit.status(), messages: messages.map(({ id: _, ...message }) => message) };
}

for (const revision of revisions)
  test(`somebody else’s session of ${revision} is at every process as one that nobody has`, async (t) => {
    const { owner, stranger, guesser, world } = await scene(t, revision);
    const running = owner.request(0, 'tools/call', { name: 'steps', _meta: { progressToken: 'p' } });
    world.pass('step 1');
    await running.until(({ messages }) => messages.length === 1);
    const asked = owner.request(1, 'tools/call', { name: 'ask' });
    await asked.until(({ messages }) => messages.length === 1);
    const question = asked.messages[0]?.['id'];
    const eventId = running.lastId ?? '';
    const ways: readonly ((speaker: Speaker, at: number) => Visit)[] = [
      (speaker, at) => speaker.request(at, 'ping'),
      (speaker, at) => speaker.request(at, 'tools/call', { name: 'where' }),
      (speaker, at) => speaker.say(at, { id: question, result: { action: 'accept', content: { name: 'Eve' } } }),
      (speaker, at) => speaker.say(at, { method: 'notifications/cancelled', params: { requestId: 2 } }),
      (speaker, at) => speaker.listen(at),
      (speaker, at) => speaker.listen(at, eventId),
      (speaker, at) => speaker.end(at),
    ];
    for (const [number, way] of ways.entries())
      for (const at of [0, 1, 2]) {
        const [theirs, nobodys] = [await seen(way(stranger, at)), await seen(way(guesser, at))];
        assert.deepEqual(theirs, nobodys, `way ${number} at ${at}`);
        assert.equal((theirs as { status: number }).status, 404, `way ${number} at ${at}`);
      }
    // Nothing of it reached the session.
    assert.deepEqual(world.cancelled, []);
    for (const step of ['step 2', 'step 3', 'end']) world.pass(step);
    await running.whole();
    assert.equal(running.messages.length, 4);
    assert.equal(asked.messages.length, 1);
    assert.equal(await owner.request(2, 'ping').status(), 200);
  });

test('an answer or an event of one own session is nothing to another own one', async (t) => {
  const { owner, service, world } = await scene(t, '2025-11-25');
  const other = await new Speaker(service, '2025-11-25', { authorization: 'ada' }).open(2, 1);
  const asked = owner.request(0, 'tools/call', { name: 'ask' });
  await asked.until(({ messages }) => messages.length === 1);
  const result = { action: 'accept', content: { name: 'Eve' } };
  for (const at of [0, 1, 2])
    assert.equal(await other.say(at, { id: asked.messages[0]?.['id'], result }).status(), 202);
  for (const at of [0, 1, 2]) assert.equal(await other.listen(at, asked.lastId).status(), 400);
  // It still waits for its own answer.
  await owner.say(1, { id: asked.messages[0]?.['id'], result: { ...result, content: { name: 'Ada' } } }).whole();
  await asked.whole();
  assert.match(JSON.stringify(asked.messages.at(-1)), /hello, Ada/);
  assert.equal(world.runs.length, 1);
});

test('a session that nobody knows any more is 404 at every process, and a made-up event 400', async (t) => {
  const { owner } = await scene(t, '2025-11-25');
  for (const id of [`${'a'.repeat(18)}-1:1`, 'x', `${'a'.repeat(18)}-1-2:3`])
    for (const at of [0, 1, 2]) assert.equal(await owner.listen(at, id).status(), 400);
  assert.equal(await owner.end(1).status(), 204);
  for (const at of [0, 1, 2]) assert.equal(await owner.request(at, 'ping').status(), 404);
});
