/** The parts that servers have of one merged listen stream: what is acknowledged, told, missed and ended. */

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { madeCall } from '../../../../../test/support/made-call.ts';
import { settle } from '../../../../../test/support/raw.ts';
import type { Call } from '../../server/runtime/call.ts';
import { McpError } from '../../protocol/error.ts';
import type { JsonObject } from '../../protocol/features/common.ts';
import type { SubscriptionFilter } from '../../protocol/features/subscriptions.ts';
import { tasksExtension } from '../../protocol/features/tasks.ts';
import { MergedListen } from './listen.ts';
import type { Backend } from './backend.ts';

const acknowledged = 'notifications/subscriptions/acknowledged';
const updated = 'notifications/resources/updated';

/** One part of a stream, as a server has it. */
interface Part {
  readonly filter: SubscriptionFilter;
  readonly call: Call;
  readonly end: () => void;
  readonly fail: (error: unknown) => void;
}

/** A server of which each part of a stream is kept. */
function server(name: string, hasTasks = false, failsAtEnd = false) {
  const parts: Part[] = [];
  const handler = ({ notifications }: JsonObject, call: Call): Promise<JsonObject> =>
    new Promise((resolve, reject) => {
      const filter = notifications as SubscriptionFilter;
      parts.push({ filter, call, end: () => resolve({}), fail: reject });
      call.signal.addEventListener('abort', () => (failsAtEnd ? reject(new Error('gone')) : resolve({})));
    });
  const capabilities = hasTasks ? { extensions: { [tasksExtension]: {} } } : {};
  const single = { host: { handler: () => handler, capabilities: () => capabilities } };
  const backend = { name, single } as unknown as Backend;
  const last = (): Part => parts.at(-1) ?? assert.fail(`${name} has no part of a stream`);
  const agree = (more: JsonObject = {}): void =>
    last().call.send(acknowledged, { notifications: { ...last().filter, ...more } });
  return {
    backend,
    parts,
    last,
    agree,
    say: (method: string, params: JsonObject = {}) => last().call.send(method, params),
  };
}

type Server = ReturnType<typeof server>;

interface Owners {
  readonly uris?: ReadonlyMap<string, Backend>;
  readonly tasks?: ReadonlyMap<Backend, readonly string[]>;
}

function listening(t: TestContext, servers: readonly Server[], { uris = new Map(), tasks = new Map() }: Owners = {}) {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  t.after(() => t.mock.timers.reset());
  const warnings: string[] = [];
  const listens = new MergedListen({
    backends: servers.map(({ backend }) => backend),
    serverTimeoutMs: 1_000,
    ownersOf: async () => uris,
    tasksOf: async () => tasks,
    honored: ({ resourceSubscriptions: _, taskIds: __, ...flags }) => flags,
    onWarning: (message) => warnings.push(message),
    random: () => 0,
  });
  const listen = async (asked: SubscriptionFilter) => {
    const made = madeCall('subscriptions/listen');
    const state: { result: unknown } = { result: undefined };
    void listens.listen(asked, made.call).then((result) => (state.result = result));
    await settle();
    return { ...made, state };
  };
  const pass = async (ms: number): Promise<void> => {
    t.mock.timers.tick(ms);
    await settle();
  };
  return { listens, listen, pass, warnings };
}

test('the acknowledgement names the lists, and what each server watches, in one message', async (t) => {
  const [a, b, c] = [server('a', true), server('b'), server('c')];
  const owners = { uris: new Map([['x:a', a.backend]]), tasks: new Map([[a.backend, ['task', 'other']]]) };
  const { listen, pass } = listening(t, [a, b, c], owners);
  const asked = { toolsListChanged: true, resourceSubscriptions: ['x:a', 'x:a', 'x:?'], taskIds: ['task', 'other'] };
  const { sent } = await listen(asked);
  assert.deepEqual(
    [a, b, c].map(({ parts }) => parts.map(({ filter }) => filter)),
    [
      [{ toolsListChanged: true, resourceSubscriptions: ['x:a', 'x:?'], taskIds: ['task', 'other'] }],
      [{ toolsListChanged: true, resourceSubscriptions: ['x:?'] }],
      [{ toolsListChanged: true, resourceSubscriptions: ['x:?'] }],
    ],
  );
  b.agree({ resourceSubscriptions: [] });
  c.say(acknowledged, { notifications: {} });
  await pass(50);
  assert.deepEqual(sent, []);
  a.agree({ resourceSubscriptions: ['x:a', 'x:more'], taskIds: ['task'] });
  await settle();
  const notifications = { toolsListChanged: true, resourceSubscriptions: ['x:a'], taskIds: ['task'] };
  assert.deepEqual(sent, [[acknowledged, { notifications }]]);
});

test('a server that does not agree in time is left out of the acknowledgement', async (t) => {
  const [a, b] = [server('a'), server('b')];
  const { listen, pass } = listening(t, [a, b], { uris: new Map([['x:a', a.backend]]) });
  const { sent } = await listen({ resourceSubscriptions: ['x:a'] });
  assert.deepEqual([a.parts.length, b.parts.length], [1, 0]);
  await pass(999);
  assert.deepEqual(sent, []);
  await pass(1);
  assert.deepEqual(sent, [[acknowledged, { notifications: { resourceSubscriptions: [] } }]]);
});

test('lists alone wait a moment for slow servers, and tasks are of servers that have some', async (t) => {
  const [a, b] = [server('a'), server('b')];
  const { listen, pass } = listening(t, [a, b]);
  const { sent } = await listen({ promptsListChanged: true, taskIds: ['task'] });
  a.agree();
  await pass(49);
  assert.deepEqual(sent, []);
  await pass(1);
  assert.deepEqual(sent, [[acknowledged, { notifications: { promptsListChanged: true } }]]);
});

test('what servers tell comes after the acknowledgement, if it was agreed', async (t) => {
  const [a, b] = [server('a', true), server('b')];
  const owners = { uris: new Map([['x:a', a.backend]]), tasks: new Map([[a.backend, ['task']]]) };
  const { listen } = listening(t, [a, b], owners);
  const { sent } = await listen({ resourcesListChanged: true, resourceSubscriptions: ['x:a'], taskIds: ['task'] });
  const said = (): void => {
    a.say(updated, { uri: 'x:a' });
    a.say(updated, { uri: 'x:b' });
    a.say('notifications/tasks', { taskId: 'task' });
    a.say('notifications/tasks', { taskId: 'other' });
    a.say('notifications/other', {});
    b.say('notifications/resources/list_changed');
  };
  said();
  assert.deepEqual(sent, []);
  a.agree();
  b.agree();
  await settle();
  const told = [
    [updated, { uri: 'x:a' }],
    ['notifications/tasks', { taskId: 'task', ttlMs: null }],
    ['notifications/resources/list_changed', {}],
  ];
  assert.equal(sent.shift()?.[0], acknowledged);
  assert.deepEqual(sent.splice(0), told);
  said();
  assert.deepEqual(sent, told);
});

test('1000 messages wait for the acknowledgement', async (t) => {
  const a = server('a');
  const { listen } = listening(t, [a]);
  const { sent } = await listen({ toolsListChanged: true });
  for (let count = 0; count < 1_001; count++) a.say('notifications/tools/list_changed');
  a.agree();
  await settle();
  assert.equal(sent.length, 1_001);
});

test('a server that ends its part is followed again, and what may be missed is told', async (t) => {
  const a = server('a');
  const { listen, pass, warnings } = listening(t, [a], { uris: new Map([['x:a', a.backend]]) });
  const { sent, state } = await listen({ toolsListChanged: true, resourceSubscriptions: ['x:a'] });
  a.agree();
  await settle();
  sent.splice(0);
  for (const [again, ms] of [1_000, 2_000].entries()) {
    if (again === 0) a.last().end();
    else a.last().fail(new McpError('busy', 'no room'));
    await settle();
    await pass(ms - 1);
    assert.equal(a.parts.length, again + 1);
    await pass(1);
    assert.equal(a.parts.length, again + 2);
    a.agree();
    assert.deepEqual(sent.splice(0), [
      ['notifications/tools/list_changed', {}],
      [updated, { uri: 'x:a' }],
    ]);
  }
  assert.deepEqual([warnings, state.result], [['a: changes cannot be followed for a client: no room'], undefined]);
});

test('a server that refuses is not asked again until it joins anew', async (t) => {
  const a = server('a');
  const { listens, listen, pass, warnings } = listening(t, [a]);
  const { sent } = await listen({ toolsListChanged: true });
  a.last().fail(new McpError('methodNotFound', 'no streams'));
  await pass(60_000);
  assert.deepEqual([a.parts.length, sent.length, warnings.length], [1, 1, 1]);
  listens.joined(a.backend, a.backend.single ?? assert.fail());
  await settle();
  listens.joined(a.backend, a.backend.single ?? assert.fail());
  await settle();
  assert.equal(a.parts.length, 2);
});

test('changes of lists go to the streams that asked for them', async (t) => {
  const { listens, listen } = listening(t, []);
  const [tools, prompts] = [await listen({ toolsListChanged: true }), await listen({ promptsListChanged: true })];
  for (const { sent } of [tools, prompts]) sent.splice(0);
  listens.changed('notifications/tools/list_changed');
  listens.changed('notifications/unknown');
  await settle();
  assert.deepEqual([tools.sent, prompts.sent], [[['notifications/tools/list_changed', {}]], []]);
});

test('a stream ends with its client or its bridge, and the parts of all servers with it', async (t) => {
  for (const how of ['abort', 'stop'] as const) {
    const a = server('a');
    const { listens, listen, pass } = listening(t, [a]);
    const { call, sent, state } = await listen({ toolsListChanged: true });
    if (how === 'abort') call.abort();
    else listens.stop();
    await settle();
    assert.notEqual(state.result, undefined);
    assert.equal(a.last().call.signal.aborted, true);
    listens.joined(a.backend, a.backend.single ?? assert.fail());
    listens.changed('notifications/tools/list_changed');
    await pass(60_000);
    assert.deepEqual([a.parts.length, sent], [1, []]);
    const later = await listen({ toolsListChanged: true });
    assert.equal(later.state.result !== undefined, how === 'stop');
    later.call.abort();
    t.mock.timers.reset();
  }
});

test('a server that refuses is not waited for, and one that has the tasks is', async (t) => {
  const [a, b] = [server('a', true), server('b')];
  const owners = { uris: new Map([['x:b', b.backend]]), tasks: new Map([[a.backend, ['task']]]) };
  const { listen, pass } = listening(t, [a, b], owners);
  const { sent } = await listen({ resourceSubscriptions: ['x:b'], taskIds: ['task'] });
  b.last().fail(new McpError('invalidParams', 'no'));
  await pass(500);
  assert.deepEqual(sent, []);
  a.agree();
  await settle();
  assert.deepEqual(sent, [[acknowledged, { notifications: { resourceSubscriptions: [], taskIds: ['task'] } }]]);
});

test('nothing is told to a stream that ended, and no server is blamed for that', async (t) => {
  const a = server('a', false, true);
  const { listens, listen, warnings } = listening(t, [a]);
  const { sent } = await listen({ toolsListChanged: true });
  a.agree();
  await settle();
  sent.splice(0);
  const part = a.last();
  listens.stop();
  part.call.send('notifications/tools/list_changed', {});
  await settle();
  assert.deepEqual([sent, warnings], [[], []]);
});
