/** What the extension `io.modelcontextprotocol/tasks` asks of a server. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { metaKey } from '../../packages/parley/src/protocol/meta.ts';
import { McpError } from '../../packages/parley/src/server.ts';
import { memoryTasks } from '../../packages/parley/src/storage/memory-tasks.ts';
import { extended, extension, taskClient, whenTask } from '../support/task-client.ts';
import { beginTask, form, gate, named, taskServer, type Json } from '../support/task-server.ts';

const newest = { revision: '2026-07-28', capabilities: extended } as const;
const never = new Promise<never>(() => undefined);

test('tasks/get has what belongs to the status, and no more [tasks-065]', async (t) => {
  const ends: readonly (readonly [string, () => unknown, readonly string[]])[] = [
    ['working', () => never, []],
    ['cancelled', () => never, []],
    ['completed', () => 'x', ['result']],
    [
      'failed',
      () => {
        throw new McpError('invalidParams', 'no such year');
      },
      ['error', 'statusMessage'],
    ],
  ];
  for (const [wanted, run, more] of ends) {
    const client = await taskClient(taskServer(t, run), newest);
    const { taskId } = await beginTask(client);
    if (wanted === 'cancelled') await client.ask('tasks/cancel', { taskId });
    const { _meta, ...task } = await whenTask(client, taskId, ({ status }) => status === wanted);
    const common = ['createdAt', 'lastUpdatedAt', 'pollIntervalMs', 'resultType', 'status', 'taskId', 'ttlMs'];
    assert.deepEqual(Object.keys(task).toSorted(), [...common, ...more].toSorted(), wanted);
  }
});

test('tasks/get gives all that waits for an answer, and what is answered no more [tasks-066, tasks-075]', async (t) => {
  const server = taskServer(t, async (ctx) => {
    const asks = ['a', 'b'].map((key) => ctx.elicit({ message: key, schema: form }, { key }));
    return JSON.stringify(await Promise.all(asks));
  });
  const client = await taskClient(server, newest);
  const { taskId } = await beginTask(client);
  const open = async (): Promise<readonly string[]> => {
    const { inputRequests } = await whenTask(client, taskId, ({ status }) => status === 'input_required');
    return Object.keys(inputRequests as Json);
  };
  assert.deepEqual(await open(), ['a', 'b']);
  await client.ask('tasks/update', { taskId, inputResponses: { a: named, c: named } });
  assert.deepEqual(await open(), ['b']);
  const late = { action: 'accept', content: { name: 'late' } };
  await client.ask('tasks/update', { taskId, inputResponses: { a: late, b: named } });
  const { result } = await whenTask(client, taskId, ({ status }) => status === 'completed');
  assert.equal(JSON.stringify(result).includes('late'), false);
});

test('what answers for a task is complete, empty where it acknowledges, and says task when it begins alone [tasks-057, tasks-067, tasks-073, tasks-077, B06]', async (t) => {
  const client = await taskClient(
    taskServer(t, () => never),
    newest,
  );
  const begun = await beginTask(client, { task: { ttl: 7 } });
  const { taskId } = begun;
  assert.deepEqual([begun['resultType'], begun['task']], ['task', undefined]);
  const update = await client.ask('tasks/update', { taskId, inputResponses: {} });
  const cancel = await client.ask('tasks/cancel', { taskId });
  for (const { _meta, ...acknowledged } of [update, cancel]) assert.deepEqual(acknowledged, { resultType: 'complete' });
  assert.equal((await client.ask('tasks/get', { taskId }))['resultType'], 'complete');
  for (const method of ['tools/list', 'server/discover'])
    assert.equal((await client.ask(method))['resultType'], 'complete', method);
});

test('the ttl of an old params.task is ignored [tasks-091]', async (t) => {
  const client = await taskClient(
    taskServer(t, () => never),
    newest,
  );
  const [plain, wished] = [await beginTask(client), await beginTask(client, { task: { ttl: 7 } })];
  assert.equal(wished['ttlMs'], plain['ttlMs']);
  const undeclared = await taskClient(
    taskServer(t, () => 'x'),
    { revision: '2026-07-28' },
  );
  assert.equal((await beginTask(undeclared, { task: {} }))['resultType'], 'complete');
});

test('an unknown task is an error that says so, for each method [tasks-074, tasks-078, tasks-097]', async (t) => {
  const client = await taskClient(
    taskServer(t, () => 'x'),
    newest,
  );
  for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
    const { code, message } = await client.ask(method, { taskId: 'x'.repeat(24), inputResponses: {} });
    assert.deepEqual([code, message], [-32602, 'the task does not exist'], method);
  }
});

test('a client hears of a task only when its store has it, however long that takes [tasks-059, tasks-060]', async (t) => {
  const store = memoryTasks();
  const [adding, consistent] = [gate(), gate()];
  const add: typeof store.add = async (task, most) => {
    adding.open();
    await consistent.opened;
    return await store.add(task, most);
  };
  const client = await taskClient(
    taskServer(t, () => never, { tasks: { store: { ...store, add } } }),
    newest,
  );
  let told: Json | undefined;
  const begun = beginTask(client).then((task) => (told = task));
  await adding.opened;
  assert.equal(told, undefined);
  consistent.open();
  const { taskId } = await begun;
  assert.equal((await client.ask('tasks/get', { taskId }))['taskId'], taskId);
});

test('what is asked before there is a task is a round of the call, and its answers reach the task [tasks-061]', async (t) => {
  const server = taskServer(
    t,
    async (ctx) => {
      const before = await ctx.elicit({ message: 'a', schema: form });
      await ctx.background();
      return JSON.stringify([before, ctx.task !== undefined]);
    },
    { use: { after: 'background' } },
  );
  const client = await taskClient(server, newest);
  const { resultType, inputRequests, requestState } = await beginTask(client);
  assert.equal(resultType, 'input_required');
  const [key = ''] = Object.keys(inputRequests as Json);
  const begun = await beginTask(client, { inputResponses: { [key]: named }, requestState });
  assert.deepEqual([begun['resultType'], begun['requestState']], ['task', undefined]);
  const { result } = await whenTask(client, begun['taskId'], ({ status }) => status === 'completed');
  assert.match(JSON.stringify(result), /ann.*true/);
});

test('who listens to a task hears of its status, and of no progress and no log [tasks-080]', async (t) => {
  const go = gate();
  const server = taskServer(t, async (ctx) => {
    await go.opened;
    ctx.progress(1, 2, 'half');
    ctx.log('error', 'words');
    return 'x';
  });
  const client = await taskClient(server, newest);
  const meta = { progressToken: 'p', [metaKey.logLevel]: 'debug' };
  const { taskId } = await beginTask(client, { _meta: meta });
  const listener = await taskClient(server, newest);
  void listener
    .ask('subscriptions/listen', { notifications: { taskIds: [taskId] }, _meta: meta })
    .catch(() => undefined);
  go.open();
  await whenTask(client, taskId, ({ status }) => status === 'completed');
  const methods = new Set([...listener.heard, ...client.heard].map(({ method }) => method));
  assert.deepEqual([...methods], ['notifications/subscriptions/acknowledged', 'notifications/tasks']);
  listener.close();
});

test('a server names the extension in what it declares, and any method may yet answer with a task [tasks-055]', async (t) => {
  const client = await taskClient(
    taskServer(t, () => 'x'),
    newest,
  );
  const { capabilities } = await client.ask('server/discover');
  // The value is an object, in which later versions have room for the requests that they add.
  assert.deepEqual((capabilities as { extensions: Json }).extensions[extension], {});
});
