import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { memoryStore } from '../../packages/parley/src/storage/memory/store.ts';
import { memoryTasks } from '../../packages/parley/src/storage/memory-tasks.ts';
import type { Store } from '../../packages/parley/src/storage/store.ts';
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
    const ways: readonly ((probeClient: Speaker, at: number) => Visit)[] = [
      (probeClient, at) => probeClient.request(at, 'ping'),
      (probeClient, at) => probeClient.request(at, 'tools/call', { name: 'where' }),
      (probeClient, at) =>
        probeClient.say(at, { id: question, result: { action: 'accept', content: { name: 'Eve' } } }),
      (probeClient, at) => probeClient.say(at, { method: 'notifications/cancelled', params: { requestId: 2 } }),
      (probeClient, at) => probeClient.listen(at),
      (probeClient, at) => probeClient.listen(at, eventId),
      (probeClient, at) => probeClient.end(at),
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

const newest = '2026-07-28';

/** Says something in 2026-07-28 at one process, as somebody. */
async function asked(
  { service }: Pick<Scene, 'service'>,
  at: number,
  { who, method, params }: { readonly who: string; readonly method: string; readonly params: Record<string, unknown> },
): Promise<{ readonly status: number; readonly said: Record<string, unknown> }> {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': newest,
    'io.modelcontextprotocol/clientCapabilities': {
      elicitation: { form: {} },
      extensions: { 'io.modelcontextprotocol/tasks': {} },
    },
  };
  const name = params['name'] ?? params['taskId'];
  const probeClient = new Speaker(service, newest, {
    authorization: who,
    'mcp-protocol-version': newest,
    'mcp-method': method,
    ...(typeof name === 'string' && { 'mcp-name': name }),
  });
  const visit = await probeClient.request(at, method, { ...params, _meta }).whole();
  return { status: await visit.status(), said: visit.messages.at(-1) ?? {} };
}

test('the state of somebody else’s rounds is at every process as one that is made up', async (t) => {
  const { service, world } = await scene(t, '2025-11-25');
  const first = await asked({ service }, 0, {
    who: 'ada',
    method: 'tools/call',
    params: { name: 'ask', arguments: {} },
  });
  const { requestState: text, inputRequests } = first.said['result'] as {
    readonly requestState: string;
    readonly inputRequests: object;
  };
  const inputResponses = Object.fromEntries(
    Object.keys(inputRequests).map((key) => [key, { action: 'accept', content: { name: 'Eve' } }]),
  );
  const params = { name: 'ask', arguments: {}, inputResponses };
  // A state that is as long, and that nobody sealed.
  const madeUp = text.slice(0, -1) + (text.endsWith('A') ? 'B' : 'A');
  const runs = world.runs.length;
  for (const at of [0, 1, 2]) {
    const ways = [text, madeUp].map((state) =>
      asked({ service }, at, { who: 'eve', method: 'tools/call', params: { ...params, requestState: state } }),
    );
    const [theirs, nobodys] = await Promise.all(ways);
    assert.deepEqual(theirs, nobodys);
    assert.ok('error' in (theirs?.said ?? {}), JSON.stringify(theirs));
  }
  assert.equal(world.runs.length, runs);
  const own = await asked({ service }, 2, {
    who: 'ada',
    method: 'tools/call',
    params: { ...params, requestState: text },
  });
  assert.match(JSON.stringify(own.said), /hello, Eve/);
});

test('somebody else’s task is at every process as one that nobody has', async (t) => {
  const tasks = memoryTasks();
  const store: Store = { ...memoryStore(), shared: true, tasks };
  const service = startService(
    t,
    (server) => {
      server.tool('work', { task: { support: 'required', after: 0 } }, async (_, { signal }) => {
        await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
        return 'done';
      });
    },
    {
      nodes: 3,
      storeOf: () => store,
      http: { authenticate: (request) => ({ principal: request.header('authorization') ?? 'nobody' }) },
    },
  );
  const begun = await asked({ service }, 0, {
    who: 'ada',
    method: 'tools/call',
    params: { name: 'work', arguments: {} },
  });
  const { taskId } = begun.said['result'] as { readonly taskId: string };
  assert.equal(typeof taskId, 'string', JSON.stringify(begun));
  const madeUp = taskId.replaceAll(/[0-9a-f]/g, 'a');
  for (const at of [0, 1, 2])
    for (const [method, more] of [
      ['tasks/get', {}],
      ['tasks/cancel', {}],
      ['tasks/update', { inputResponses: {} }],
    ] as const) {
      const [theirs, nobodys] = await Promise.all(
        [taskId, madeUp].map((id) => asked({ service }, at, { who: 'eve', method, params: { taskId: id, ...more } })),
      );
      assert.deepEqual(theirs, JSON.parse(JSON.stringify(nobodys).replaceAll(madeUp, taskId)), `${method} at ${at}`);
      assert.ok('error' in (theirs?.said ?? {}), `${method} at ${at}: ${JSON.stringify(theirs)}`);
    }
  for (const at of [0, 1, 2]) {
    const own = await asked({ service }, at, { who: 'ada', method: 'tasks/get', params: { taskId } });
    assert.match(JSON.stringify(own.said), /"working"/);
  }
  await asked({ service }, 1, { who: 'ada', method: 'tasks/cancel', params: { taskId } });
});
