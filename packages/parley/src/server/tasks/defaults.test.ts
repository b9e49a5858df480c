/** What holds of tasks where nothing else is said, and what handlers see before there is one. */

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { extended, taskClient, whenTask, type TaskClient } from '../../../../../test/support/task-client.ts';
import { beginTask, form, gate, taskServer, type Json } from '../../../../../test/support/task-server.ts';
import { McpError } from '../../protocol/error.ts';
import { memoryTasks } from '../../storage/memory-tasks.ts';
import type { ToolContext } from '../definition/tool-context.ts';
import { createServer, type Server } from '../server.ts';
import type { TaskOptions } from '../definition/task-definition.ts';

const newest = { revision: '2026-07-28', capabilities: extended } as const;
const core = { revision: '2025-11-25', capabilities: { elicitation: {} } } as const;
const never = new Promise<never>(() => undefined);

/** Lets happen what needs no timer, or only one of no time. */
async function settle(t: TestContext): Promise<void> {
  for (let turn = 0; turn < 60; turn++) {
    await new Promise((resolve) => void setImmediate(resolve));
    t.mock.timers.tick(0);
  }
}

/** A server with a tool for whose tasks nothing is said. */
function plainServer(t: TestContext, run: (ctx: ToolContext) => unknown, tasks: TaskOptions = {}): Server {
  const rateLimits = { tasks: { perSecond: 1e6, burst: 1e6 } };
  const server = createServer({ name: 's', version: '1' }, { rateLimits, tasks });
  t.after(() => server.close());
  server.tool('t', { task: 'optional' }, async (_, ctx) => String(await run(ctx)));
  server.tool('only', { task: 'required' }, async (_, ctx) => String(await run(ctx)));
  return server;
}

async function beginMany(client: TaskClient, count: number): Promise<readonly Json[]> {
  return await Promise.all(Array.from({ length: count }, () => beginTask(client)));
}

test('options that are there and undefined are as if they were left out', async (t) => {
  const unset = { ttlMs: undefined, waitTimeoutMs: undefined, limits: { perOwner: undefined, running: undefined } };
  const client = await taskClient(
    taskServer(t, () => 'x', { tasks: unset as never }),
    newest,
  );
  const { taskId, ttlMs } = await beginTask(client);
  assert.equal(ttlMs, 3_600_000);
  await whenTask(client, taskId, ({ status }) => status === 'completed');
});

for (const [whose, principal, most] of [
  ['a principal', 'ann', 100],
  ['nobody', undefined, 1000],
] as const)
  test(`${most} tasks of ${whose} may be unfinished by default, and no more`, async (t) => {
    const server = taskServer(t, () => never, { use: { support: 'required' }, tasks: { limits: { running: 0 } } });
    const client = await taskClient(server, {
      ...newest,
      address: null,
      ...(principal !== undefined && { principal }),
    });
    const all = await beginMany(client, most + 1);
    const refused = all.filter(({ code }) => code !== undefined);
    assert.deepEqual(
      refused.map(({ code, data }) => [code, data]),
      [[-32603, { limit: most }]],
    );
    // Those of others count for themselves.
    const other = await taskClient(server, { ...newest, principal: 'bob' });
    assert.equal((await beginTask(other))['status'], 'working');
  });

test('16 tasks run at once by default, and the others wait', async (t) => {
  let [runs, most] = [0, 0];
  const go = gate();
  const run = async (): Promise<string> => {
    most = Math.max(most, ++runs);
    await go.opened;
    runs--;
    return 'x';
  };
  // One address would have a share of what may run.
  const client = await taskClient(taskServer(t, run), { ...newest, address: null });
  const all = await beginMany(client, 20);
  for (let turns = 0; turns < 200 && runs < 16; turns++) await new Promise((resolve) => void setTimeout(resolve, 1));
  assert.equal(runs, 16);
  go.open();
  for (const { taskId } of all) await whenTask(client, taskId, ({ status }) => status === 'completed');
  assert.equal(most, 16);
});

test('a task for which there was no room when it was made begins as soon as there is some', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  t.after(() => t.mock.timers.reset());
  const go = gate();
  const order: number[] = [];
  const run = async (): Promise<string> => {
    order.push(order.length);
    if (order.length === 1) await go.opened;
    return 'x';
  };
  const client = await taskClient(taskServer(t, run, { tasks: { limits: { running: 1 } } }), newest);
  const all = await beginMany(client, 5);
  await settle(t);
  assert.equal(order.length, 1);
  go.open();
  for (let turns = 0; turns < 20 && order.length < 5; turns++) await settle(t);
  for (const { taskId } of all) assert.equal((await client.ask('tasks/get', { taskId }))['status'], 'completed');
});

test('a limit of tasks below that of runs keeps a place for another principal', async (t) => {
  const run = (ctx: ToolContext): Promise<string> => (ctx.auth?.principal === 'bob' ? never : Promise.resolve('x'));
  const tasks = { limits: { running: 2, perOwner: 1 } };
  const server = taskServer(t, run, { tasks, use: { support: 'required' } });
  const [bob, ann] = [
    await taskClient(server, { ...newest, principal: 'bob' }),
    await taskClient(server, { ...newest, principal: 'ann' }),
  ];
  await beginTask(bob);
  assert.equal((await bob.ask('tools/call', { name: 't' }))['code'], -32_603);
  const { taskId } = await beginTask(ann);
  await whenTask(ann, taskId, ({ status }) => status === 'completed');
});

test('32 requests of one client wait for results by default, and no more', async (t) => {
  const client = await taskClient(
    taskServer(t, () => never),
    core,
  );
  const { taskId } = await beginTask(client, { task: {} });
  const all = Array.from({ length: 33 }, () => client.ask('tasks/result', { taskId }));
  const refused = await Promise.race(all);
  assert.deepEqual([refused['code'], refused['data']], [-32603, { limit: 32 }]);
  await client.ask('tasks/cancel', { taskId });
  const answers = await Promise.all(all);
  assert.equal(answers.filter(({ message }) => message === 'the task was cancelled').length, 32);
});

test('a call becomes a task after half a second by default, and one of a tool that is a task alone at once', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  t.after(() => t.mock.timers.reset());
  const client = await taskClient(
    plainServer(t, () => never),
    newest,
  );
  assert.equal((await client.ask('tools/call', { name: 'only' }))['resultType'], 'task');
  let result: Json | undefined;
  client.ask('tools/call', { name: 't' }).then(
    (one) => (result = one),
    () => undefined,
  );
  await settle(t);
  t.mock.timers.tick(499);
  await settle(t);
  assert.equal(result, undefined);
  t.mock.timers.tick(1);
  await settle(t);
  assert.equal((result as Json | undefined)?.['resultType'], 'task');
});

test('a handler has a task once there is one, and the end of the exchange aborts none', async (t) => {
  const seen: unknown[] = [];
  const run = async (ctx: ToolContext): Promise<string> => {
    const before = ctx.task?.attempt;
    await ctx.background();
    // The request is answered by now, where it became a task.
    await new Promise((resolve) => void setTimeout(resolve, 5));
    seen.push([before, ctx.task?.attempt, ctx.signal.aborted]);
    return 'x';
  };
  const server = plainServer(t, run);
  const [client, old] = [await taskClient(server, newest), await taskClient(server, core)];
  const mute = await taskClient(server, { revision: newest.revision });
  await mute.ask('tools/call', { name: 't' });
  await old.ask('tools/call', { name: 't' });
  const { taskId } = await beginTask(client);
  await whenTask(client, taskId, ({ status }) => status === 'completed');
  const { task } = await old.ask('tools/call', { name: 't', task: {} });
  await old.ask('tasks/result', { taskId: (task as Json)['taskId'] });
  assert.deepEqual(seen, [
    [undefined, undefined, false],
    [undefined, undefined, false],
    [undefined, 1, false],
    [1, 1, false],
  ]);
});

test('arguments that do not fit make no task: they are answered as those of a plain call', async (t) => {
  const store = memoryTasks();
  let adds = 0;
  const add: typeof store.add = (task, most) => (adds++, store.add(task, most));
  const server = createServer({ name: 's', version: '1' }, { tasks: { store: { ...store, add } } });
  t.after(() => server.close());
  const input = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] } as const;
  for (const [name, task] of [
    ['soon', { support: 'optional', after: 0 }],
    ['later', 'optional'],
    ['alone', 'required'],
  ] as const)
    server.tool(name, { input, task }, () => 'x');
  const wrong = { arguments: { n: 'no number' } };
  const [client, old] = [await taskClient(server, newest), await taskClient(server, core)];
  for (const name of ['soon', 'later', 'alone'])
    assert.equal((await client.ask('tools/call', { name, ...wrong }))['isError'], true, name);
  assert.equal((await old.ask('tools/call', { name: 'alone', task: {}, ...wrong }))['isError'], true);
  assert.equal(adds, 0);
});

test('a task asks what the request declared that made it, and no more, whatever those declare that look at it', async (t) => {
  const run = async (ctx: ToolContext): Promise<string> =>
    await ctx.elicit({ message: 'who?', schema: form }).then(
      ({ action }) => action,
      (error: Error) => error.message,
    );
  const server = taskServer(t, run);
  const { extensions } = extended;
  const mute = await taskClient(server, { revision: newest.revision, capabilities: { extensions } });
  const { taskId } = await beginTask(mute);
  const client = await taskClient(server, newest);
  const task = await whenTask(client, taskId, ({ status }) => status !== 'working');
  assert.equal(task['status'], 'completed');
  assert.match(JSON.stringify(task['result']), /elicitation/);
});

test('left work is ended in any process that has the tool and the store, and failed where there is the store alone', async (t) => {
  const store = memoryTasks();
  const server = taskServer(t, (ctx) => ctx.task?.leave(), { tasks: { store } });
  const other = taskServer(t, () => 'x', { tasks: { store } });
  const bare = createServer({ name: 's', version: '1' }, { tasks: { store } });
  t.after(() => bare.close());
  const client = await taskClient(server, newest);
  const left = async (): Promise<string> => {
    const taskId = String((await beginTask(client))['taskId']);
    for (let tries = 0; tries < 1000 && !(await bare.tasks.say(taskId, 'soon')); tries++)
      await new Promise<void>((resolve) => void setTimeout(resolve, 1));
    return taskId;
  };
  const [one, two] = [await left(), await left()];
  await assert.rejects(bare.tasks.finish(one, 'done'), {
    name: 'TypeError',
    message: /the tool "t" of the task does not exist/,
  });
  assert.equal(await other.tasks.finish(one, 'done'), true);
  assert.equal(await bare.tasks.fail(two, new McpError('invalidParams', 'no')), true);
  const { result } = await client.ask('tasks/get', { taskId: one });
  assert.deepEqual((result as Json)['content'], [{ type: 'text', text: 'done' }]);
  assert.deepEqual((await client.ask('tasks/get', { taskId: two }))['error'], { code: -32602, message: 'no' });
});
