/** One stream of a client, made of the streams of several servers. */

import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { madeCall } from '../../../../../test/support/made-call.ts';
import { settle } from '../../../../../test/support/raw.ts';
import type { Call } from '../../server/runtime/call.ts';
import { tasksExtension } from '../../protocol/features/tasks.ts';
import { McpError, type ErrorName } from '../../protocol/error.ts';
import type { SubscriptionFilter } from '../../protocol/features/subscriptions.ts';
import { MergedListen } from './listen.ts';
import type { Backend } from './backend.ts';

const acknowledged = 'notifications/subscriptions/acknowledged';
const toolsChanged = 'notifications/tools/list_changed';
const updated = 'notifications/resources/updated';

/** A stream that one server was asked for. */
interface Part {
  readonly filter: SubscriptionFilter;
  readonly call: Call;
  agree(notifications?: object): void;
  end(error?: Error): void;
}

/** A merged bridge before servers a and b, whose streams the test answers. */
function merged(
  t: TestContext,
  { owners = {}, tasks = {} }: { owners?: Record<string, 'a' | 'b'>; tasks?: Record<string, string> } = {},
) {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let now = 0;
  t.mock.method(performance, 'now', () => now);
  const parts: Record<'a' | 'b', Part[]> = { a: [], b: [] };
  const slotOf = (name: 'a' | 'b'): Backend => {
    const handler = (params: { notifications: SubscriptionFilter }, call: Call): Promise<void> =>
      new Promise((resolve, reject) => {
        parts[name].push({
          filter: params.notifications,
          call,
          agree: (notifications = params.notifications) => call.send(acknowledged, { notifications } as never),
          end: (error) => (error === undefined ? resolve() : reject(error)),
        });
      });
    const host = { handler: () => handler, capabilities: () => ({ extensions: { [tasksExtension]: {} } }) };
    return { name, single: { host } } as unknown as Backend;
  };
  const backends = { a: slotOf('a'), b: slotOf('b') };
  const warnings: string[] = [];
  const listens = new MergedListen({
    backends: [backends.a, backends.b],
    serverTimeoutMs: 10_000,
    ownersOf: async (uris) =>
      new Map(uris.flatMap((uri) => (owners[uri] === undefined ? [] : [[uri, backends[owners[uri]]]]))),
    tasksOf: async (ids) =>
      new Map(ids.flatMap((id) => (tasks[id] === undefined ? [] : [[backends[tasks[id] as 'a'], [id]]]))),
    honored: ({ toolsListChanged, promptsListChanged }) => ({
      ...(toolsListChanged === true && { toolsListChanged }),
      ...(promptsListChanged === true && { promptsListChanged }),
    }),
    onWarning: (message) => void warnings.push(message),
    random: () => 0,
  });
  return {
    listens,
    backends,
    parts,
    warnings,
    async listen(asked: SubscriptionFilter) {
      const { call, sent } = madeCall('subscriptions/listen');
      let isOver = false;
      const over = listens.listen(asked, call).then((result) => ((isOver = true), result));
      await settle();
      return { call, sent, over, isOver: () => isOver };
    },
    async pass(ms: number) {
      await settle();
      now += ms;
      t.mock.timers.tick(ms);
      await settle();
    },
  };
}

describe('a merged stream', () => {
  test('begins with what its servers agreed to, and tells what each of them tells of that', async (t) => {
    const { parts, listen, pass } = merged(t, {
      owners: { 'a:1': 'a', 'b:1': 'b', 'b:2': 'b' },
      tasks: { t1: 'a', t2: 'b' },
    });
    const { sent } = await listen({
      toolsListChanged: true,
      resourcesListChanged: true,
      resourceSubscriptions: ['a:1', 'b:1', 'b:2', 'b:1'],
      taskIds: ['t1', 't2'],
    });
    const [[a], [b]] = [parts.a, parts.b];
    assert.deepEqual(a?.filter, { toolsListChanged: true, resourceSubscriptions: ['a:1'], taskIds: ['t1'] });
    assert.deepEqual(b?.filter, { toolsListChanged: true, resourceSubscriptions: ['b:1', 'b:2'], taskIds: ['t2'] });
    a?.agree();
    // What comes before the acknowledgement waits for it.
    a?.call.send(updated, { uri: 'a:1' });
    await settle();
    assert.deepEqual(sent, []);
    b?.agree({ toolsListChanged: true, resourceSubscriptions: ['b:2'], taskIds: [7] });
    await pass(50);
    const agreed = { toolsListChanged: true, resourceSubscriptions: ['a:1', 'b:2'], taskIds: ['t1'] };
    assert.deepEqual(sent.splice(0), [
      [acknowledged, { notifications: agreed }],
      [updated, { uri: 'a:1' }],
    ]);
    const task = { taskId: 't1', status: 'working', createdAt: 'x', lastUpdatedAt: 'x', ttlMs: null };
    for (const [method, params, isTold] of [
      [toolsChanged, {}, true],
      [updated, { uri: 'b:2' }, true],
      [updated, { uri: 'b:2/part' }, true],
      [updated, { uri: 'b:1' }, false],
      ['notifications/tasks', task, true],
      ['notifications/tasks', { ...task, taskId: 't2' }, false],
      ['notifications/message', { level: 'info', data: 'x' }, false],
    ] as const) {
      b?.call.send(method, params);
      assert.equal(sent.splice(0).length, isTold ? 1 : 0, JSON.stringify([method, params]));
    }
  });

  test('asks every server for a resource that nobody lists', async (t) => {
    const { parts, listen } = merged(t);
    await listen({ resourceSubscriptions: ['x:1'] });
    for (const name of ['a', 'b'] as const)
      assert.deepEqual(parts[name][0]?.filter, { resourceSubscriptions: ['x:1'] });
  });

  test('is acknowledged without what a server does not agree to within the patience', async (t) => {
    const { parts, listen, pass } = merged(t, { owners: { 'a:1': 'a' } });
    const { sent, isOver } = await listen({ toolsListChanged: true, resourceSubscriptions: ['a:1'] });
    parts.b[0]?.agree();
    await pass(9_999);
    assert.deepEqual(sent, []);
    await pass(1);
    assert.deepEqual(sent.splice(0), [
      [acknowledged, { notifications: { toolsListChanged: true, resourceSubscriptions: [] } }],
    ]);
    assert.equal(isOver(), false);
  });

  test('waits 50 ms for the servers that watch nothing of it, once one has agreed', async (t) => {
    const { parts, listen, pass } = merged(t);
    const { sent } = await listen({ toolsListChanged: true });
    parts.a[0]?.agree();
    await pass(49);
    assert.deepEqual(sent, []);
    await pass(1);
    assert.equal(sent.length, 1);
  });

  test('keeps 1,000 messages that come before its acknowledgement', async (t) => {
    const { parts, listen, pass } = merged(t);
    const { sent } = await listen({ toolsListChanged: true });
    for (let count = 0; count < 1_001; count++) parts.a[0]?.call.send(toolsChanged, {});
    parts.a[0]?.agree();
    await pass(50);
    assert.equal(sent.length, 1_001);
  });

  test('ends with its call, its bridge, or when it is asked to', async (t) => {
    for (const end of ['abort', 'leave', 'stop'] as const) {
      const { listens, parts, listen, backends } = merged(t);
      const { call, sent, over } = await listen({ toolsListChanged: true });
      if (end === 'stop') listens.stop();
      else call[end]();
      assert.equal(typeof (await over), 'object');
      await settle();
      assert.deepEqual([parts.a[0]?.call.aborted, sent], [true, []]);
      // It is told nothing more, and follows nobody.
      listens.changed(toolsChanged);
      parts.a[0]?.call.send(toolsChanged, {});
      listens.joined(backends.a, backends.a.single ?? assert.fail());
      await settle();
      assert.deepEqual([sent, parts.a.length], [[], 1]);
      t.mock.reset();
    }
  });

  test('ends at once if its call is aborted, or its bridge stopped, before it begins', async (t) => {
    for (const end of ['abort', 'stop'] as const) {
      const { listens } = merged(t);
      const { call, sent } = madeCall('subscriptions/listen');
      if (end === 'stop') listens.stop();
      else call.abort();
      await listens.listen({ toolsListChanged: true }, call);
      assert.deepEqual(sent, []);
      t.mock.reset();
    }
  });

  test('hears of a list that changed if it asked for that list', async (t) => {
    const { listens, parts, listen, pass } = merged(t);
    const both = [await listen({ toolsListChanged: true }), await listen({ promptsListChanged: true })];
    for (const [at] of both.entries()) parts.a[at]?.agree();
    await pass(50);
    for (const { sent } of both) sent.splice(0);
    listens.changed(toolsChanged);
    listens.changed('notifications/x.example/changed');
    await settle();
    assert.deepEqual(
      both.map(({ sent }) => sent.map(([method]) => method)),
      [[toolsChanged], []],
    );
  });
});

describe('a server of a merged stream', () => {
  test('is followed again after 1 s, 2 s and 4 s, and what it may have missed is told', async (t) => {
    const { parts, listen, pass } = merged(t, { owners: { 'a:1': 'a' } });
    const { sent } = await listen({ toolsListChanged: true, resourceSubscriptions: ['a:1'] });
    parts.a[0]?.agree();
    await pass(50);
    sent.splice(0);
    for (const [lasted, rest] of [
      [0, 1_000],
      [0, 2_000],
      [29_999, 4_000],
      [30_000, 1_000],
    ] as const) {
      const before = parts.a.length;
      await pass(lasted);
      parts.a.at(-1)?.end();
      await pass(rest - 1);
      assert.equal(parts.a.length, before);
      await pass(1);
      assert.equal(parts.a.length, before + 1);
      parts.a.at(-1)?.agree();
      assert.deepEqual(sent.splice(0), [
        [toolsChanged, {}],
        [updated, { uri: 'a:1' }],
      ]);
    }
  });

  test('that fails is warned of, and followed again if that may pass', async (t) => {
    for (const [kind, isFollowed] of [
      ['internalError', true],
      ['busy', true],
      ['invalidParams', false],
      ['methodNotFound', false],
    ] as readonly (readonly [ErrorName, boolean])[]) {
      const { parts, listen, warnings, pass } = merged(t);
      const { sent, isOver } = await listen({ toolsListChanged: true });
      parts.b[0]?.agree();
      parts.a[0]?.end(new McpError(kind, 'not now'));
      await pass(50);
      assert.equal(sent.length, 1);
      assert.deepEqual(warnings, ['a: changes cannot be followed for a client: not now']);
      await pass(1_000);
      assert.deepEqual([parts.a.length, isOver()], [isFollowed ? 2 : 1, false]);
      t.mock.reset();
    }
  });

  test('that comes later is followed, and one that is followed is not followed twice', async (t) => {
    const { listens, backends, parts, listen } = merged(t);
    await listen({ toolsListChanged: true });
    await listen({});
    listens.joined(backends.a, backends.a.single ?? assert.fail());
    await settle();
    assert.equal(parts.a.length, 1);
    parts.a[0]?.end(new McpError('methodNotFound', 'no'));
    await settle();
    listens.joined(backends.a, backends.a.single ?? assert.fail());
    await settle();
    assert.equal(parts.a.length, 2);
  });
});
