/** How long a task lives, and how long its run waits. */

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { extended, taskClient, whenTask, type TaskClient } from '../../../../../test/support/task-client.ts';
import { beginTask, form, gate, named, taskServer, type Json } from '../../../../../test/support/task-server.ts';
import { memoryTasks } from '../../storage/memory-tasks.ts';
import type { TaskStore } from '../../storage/tasks.ts';
import type { ToolContext } from '../definition/tool-context.ts';

const newest = { revision: '2026-07-28', capabilities: extended } as const;
const core = { revision: '2025-11-25', capabilities: { elicitation: {} } } as const;
const unknown = { code: -32602, message: 'the task does not exist' };

/** Lets happen what needs no timer, or only one of no time. */
async function settle(t: TestContext): Promise<void> {
  for (let turn = 0; turn < 60; turn++) {
    await new Promise((resolve) => void setImmediate(resolve));
    t.mock.timers.tick(0);
  }
}

/** Lets it happen until something is so. */
async function until(t: TestContext, isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 200 && !(await isSo()); tries++) await settle(t);
  assert.ok(await isSo());
}

test('a life that is over aborts the work, and the task is as one that nobody ever had', async (t) => {
  let now = 0;
  const [stopped, ctx] = [gate(), gate()];
  let reason: unknown;
  const run = async ({ signal }: ToolContext): Promise<string> => {
    ctx.open();
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    reason = signal.reason;
    stopped.open();
    return 'late';
  };
  const server = taskServer(t, run, { tasks: { store: memoryTasks({ now: () => now }), ttlMs: 60, outcomeTtlMs: 10 } });
  const [client, old] = [await taskClient(server, newest), await taskClient(server, core)];
  const { taskId } = await beginTask(client);
  await ctx.opened;
  assert.equal((await client.ask('tasks/get', { taskId }))['status'], 'working');
  now = 60;
  await stopped.opened;
  assert.match(String(reason), /another process runs the task, or it is gone/);
  for (const method of ['get', 'cancel', 'update'])
    assert.deepEqual(await client.ask(`tasks/${method}`, { taskId, inputResponses: {} }), unknown, method);
  for (const method of ['get', 'cancel', 'result'])
    assert.deepEqual(await old.ask(`tasks/${method}`, { taskId }), unknown, method);
});

for (const [what, store, ends] of [
  ['in the memory of this process goes on waiting, since nobody else could go on', undefined, false],
  ['in a memory that was made by hand does so too', memoryTasks(), false],
  ['in a store that others may share ends after ten minutes', { ...memoryTasks() }, true],
] as const)
  test(`a run that waits for an answer to a task ${what}`, async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout', 'Date'] });
    t.after(() => t.mock.timers.reset());
    let runs = 0;
    const run = async (ctx: ToolContext): Promise<string> => {
      runs++;
      return (await ctx.elicit({ message: 'who?', schema: form })).action;
    };
    const server = taskServer(t, run, { tasks: { ttlMs: 3_600_000, ...(store !== undefined && { store }) } });
    const client = await taskClient(server, newest);
    let task: Json = {};
    const { taskId } = await beginTask(client);
    const look = async (): Promise<Json> => (task = await client.ask('tasks/get', { taskId }));
    await until(t, async () => (await look())['status'] === 'input_required');
    for (let minutes = 0; minutes < 12; minutes += 0.5) {
      t.mock.timers.tick(30_000);
      await settle(t);
    }
    const [key = ''] = Object.keys(task['inputRequests'] as Json);
    await client.ask('tasks/update', { taskId, inputResponses: { [key]: named } });
    await until(t, async () => (await look())['status'] === 'completed');
    assert.equal(runs, ends ? 2 : 1);
  });

test('all tasks that a process runs are held by one word to the store, each third of a lease', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  t.after(() => t.mock.timers.reset());
  const store = memoryTasks();
  const renewals: number[] = [];
  const renew: TaskStore['renew'] = (leases, forMs) => {
    renewals.push(leases.length);
    assert.equal(forMs, 30_000);
    return store.renew(leases, forMs);
  };
  const server = taskServer(t, () => new Promise(() => undefined), { tasks: { store: { ...store, renew } } });
  const client = await taskClient(server, newest);
  const ids = [await beginTask(client), await beginTask(client), await beginTask(client)].map(({ taskId }) => taskId);
  const isRun = async (id: unknown): Promise<boolean> =>
    /"hand":"running"/.test((await store.get(String(id)))?.text ?? '');
  for (const id of ids) await until(t, () => isRun(id));
  t.mock.timers.tick(8_900);
  await settle(t);
  assert.deepEqual(renewals, []);
  t.mock.timers.tick(2_200);
  await settle(t);
  assert.deepEqual(renewals, [3]);
});

test('a wish for a life is heeded up to the longest, and the real one is told', async (t) => {
  const server = taskServer(t, () => 'x', { tasks: { ttlMs: 5_000, maxTtlMs: 10_000 } });
  const client = await taskClient(server, core);
  const lives = [[{}], [{ ttl: 7_000 }], [{ ttl: 99_000 }]] as const;
  const told: unknown[] = [];
  for (const [task] of lives) told.push((await beginTask(client, { task }))['ttl']);
  assert.deepEqual(told, [5_000, 7_000, 10_000]);
});

test('what was begun in one session is known in another by its id alone, where nobody has a principal', async (t) => {
  const server = taskServer(t, () => 'x');
  const first: TaskClient = await taskClient(server, { ...newest, info: { name: 'one', version: '1' } });
  const { taskId } = await beginTask(first);
  first.close();
  const second = await taskClient(server, { ...newest, info: { name: 'two', version: '2' } });
  assert.equal((await whenTask(second, taskId, ({ status }) => status !== 'working'))['status'], 'completed');
  const third = await taskClient(server, { ...core, info: { name: 'three', version: '1' } });
  const { content } = await third.ask('tasks/result', { taskId });
  assert.deepEqual(content, [{ type: 'text', text: 'x' }]);
});
