/** One process works on tasks: what it claims, keeps hold of, gives back and sweeps. */

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { extended, taskClient, type TaskClient } from '../../../../../test/support/task-client.ts';
import { memoryTasks } from '../../storage/memory-tasks.ts';
import type { TaskStore } from '../../storage/tasks.ts';
import type { ToolContext } from '../definition/tool-context.ts';
import { createServer, type Server } from '../server.ts';
import type { TaskOptions } from '../definition/task-definition.ts';

type Json = Readonly<Record<string, unknown>>;

const form = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } as const;
const one = { node: 'other', forMs: 1, most: 10 } as const;
const never = new Promise<never>(() => undefined);

interface Working {
  readonly server: Server;
  readonly client: TaskClient;
}

/** A server with a tool, whose timers run when the test says so. */
async function working(
  t: TestContext,
  tasks: TaskOptions,
  run: (ctx: ToolContext) => unknown,
  name = 't',
): Promise<Working> {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const server = createServer(
    { name: 's', version: '1' },
    { tasks, rateLimits: { tasks: { perSecond: 1e6, burst: 1e6 } } },
  );
  t.after(() => (t.mock.timers.reset(), server.close()));
  server.tool(name, { task: 'required' }, async (_, ctx) => String(await run(ctx)));
  const client = await taskClient(server, { revision: '2026-07-28', capabilities: extended });
  // What works on tasks is loaded by then.
  await client.ask('tasks/get', { taskId: 'x'.repeat(24) });
  return { server, client };
}

/** A second server of the same test. */
async function another(t: TestContext, tasks: TaskOptions, name: string): Promise<void> {
  t.mock.timers.reset();
  await working(t, tasks, () => 'x', name);
}

/** A server of another process, which has the same tool. */
async function secondOf(t: TestContext, tasks: TaskOptions, run: (ctx: ToolContext) => unknown): Promise<Server> {
  const server = createServer({ name: 's', version: '1' }, { tasks });
  t.after(() => server.close());
  server.tool('t', { task: 'required' }, async (_, ctx) => String(await run(ctx)));
  return server;
}

async function begun({ client }: Working, name = 't'): Promise<string> {
  return String((await client.ask('tools/call', { name }))['taskId']);
}

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

async function textOf(store: TaskStore, id: string): Promise<string> {
  return (await store.get(id))?.text ?? '';
}

test('a task whose tool this process lacks is put back for five seconds', async (t) => {
  let now = 0;
  const store = memoryTasks({ now: () => now });
  const serving = await working(t, { store, limits: { running: 0 } }, () => 'x');
  const taskId = await begun(serving);
  await another(t, { store }, 'other');
  now = 2000;
  t.mock.timers.tick(2200);
  await until(t, async () => (await store.get(taskId))?.epoch === 1);
  await settle(t);
  now = 6999;
  assert.deepEqual(await store.claim('s', one), []);
  now = 7000;
  assert.equal((await store.claim('s', one)).length, 1);
});

test('a new task is for its maker to begin for two seconds, and then for anybody', async (t) => {
  let now = 0;
  const store = memoryTasks({ now: () => now });
  await begun(await working(t, { store, limits: { running: 0 } }, () => 'x'));
  now = 1999;
  assert.deepEqual(await store.claim('s', one), []);
  now = 2000;
  assert.equal((await store.claim('s', one)).length, 1);
});

test('what was claimed while the last place was taken is had by others at once', async (t) => {
  const store = memoryTasks({ now: () => 0 });
  let [claims, go] = [(): void => undefined, (): void => undefined];
  const claimed = new Promise<void>((resolve) => (claims = resolve));
  const opened = new Promise<void>((resolve) => (go = resolve));
  const claim: TaskStore['claim'] = async (queue, by) => {
    claims();
    await opened;
    return await store.claim(queue, by);
  };
  const process = await working(t, { store: { ...store, claim }, limits: { running: 1 } }, () => never);
  const text = JSON.stringify({
    id: 'y'.repeat(24),
    owner: '',
    request: { name: 't' },
    status: 'working',
    hand: 'queued',
  });
  await store.add(
    { id: 'y'.repeat(24), queue: 's', owner: '', version: 1, epoch: 0, open: true, dueInMs: 0, text },
    10,
  );
  t.mock.timers.tick(2200);
  await claimed;
  const mine = await begun(process);
  await until(t, async () => /"hand":"running"/.test(await textOf(store, mine)));
  go();
  await until(t, async () => (await store.get('y'.repeat(24)))?.epoch === 1);
  await settle(t);
  assert.deepEqual(
    (await store.claim('s', one)).map(({ id, epoch }) => [id, epoch]),
    [['y'.repeat(24), 2]],
  );
});

test('what expired is swept each half minute, a thousand at once', async (t) => {
  const store = memoryTasks();
  const sweeps: number[] = [];
  const sweep: TaskStore['sweep'] = async (most) => (sweeps.push(most), await store.sweep(most));
  await working(t, { store: { ...store, sweep } }, () => 'x');
  t.mock.timers.tick(26_000);
  await settle(t);
  assert.deepEqual(sweeps, []);
  t.mock.timers.tick(8000);
  await until(t, () => sweeps.length > 0);
  assert.deepEqual(sweeps, [1000]);
});

test('more than a thousand that expired are swept by one process too, as long as there are more', async (t) => {
  for (const [found, expected] of [
    [[1000, 1000, 3], 3],
    [[], 100],
  ] as const) {
    t.mock.timers.reset();
    const left: number[] = [...found];
    let sweeps = 0;
    const sweep: TaskStore['sweep'] = async (most) => (sweeps++, left.shift() ?? most);
    await working(t, { store: { ...memoryTasks(), sweep } }, () => 'x');
    t.mock.timers.tick(34_000);
    await until(t, () => sweeps >= expected);
    await settle(t);
    assert.equal(sweeps, expected);
  }
});

const asks = async (ctx: ToolContext): Promise<string> =>
  `${(await ctx.elicit({ message: 'a', schema: form })).action}, run ${ctx.task?.attempt}`;

test('a run that waits for longer than it may in memory ends, and begins again with the answer', async (t) => {
  const store = memoryTasks();
  let runs = 0;
  let first: AbortSignal | undefined;
  const process = await working(t, { store, waitTimeoutMs: 1 }, (ctx) => ((first ??= ctx.signal), runs++, asks(ctx)));
  const taskId = await begun(process);
  await until(t, async () => /"status":"input_required".*"hand":"running"/.test(await textOf(store, taskId)));
  await until(t, async () => {
    // How long it waited is told by a clock of its own, and looked at with each renewal.
    t.mock.timers.tick(11_100);
    return /"status":"input_required".*"hand":"queued"/.test(await textOf(store, taskId));
  });
  await until(t, () => first?.aborted === true);
  const { inputRequests } = await process.client.ask('tasks/get', { taskId });
  const [key = ''] = Object.keys(inputRequests as Json);
  await process.client.ask('tasks/update', { taskId, inputResponses: { [key]: { action: 'decline' } } });
  await until(t, async () => /"status":"completed".*decline, run 1/.test(await textOf(store, taskId)));
  assert.equal(runs, 2);
});

test('of more runs that wait than may, those that wait the longest end', async (t) => {
  const store = memoryTasks();
  const process = await working(t, { store, limits: { waiting: 1 } }, asks);
  const ids = [await begun(process), await begun(process), await begun(process)];
  const count = async (words: RegExp): Promise<number> => {
    const texts = await Promise.all(ids.map(async (id) => await textOf(store, id)));
    return texts.filter((text) => words.test(text)).length;
  };
  await until(t, async () => (await count(/"status":"input_required"/)) === 3);
  t.mock.timers.tick(11_100);
  await until(t, async () => (await count(/"hand":"queued"/)) === 2);
  await settle(t);
  assert.equal(await count(/"hand":"running"/), 1);
});

test('a process that hears of nobody finds out by its next renewal that it lost a task', async (t) => {
  let now = 0;
  const { bus: _, ...store } = memoryTasks({ now: () => now });
  let signal: AbortSignal | undefined;
  const process = await working(t, { store }, (ctx) => (({ signal } = ctx), never));
  await begun(process);
  await until(t, () => signal !== undefined);
  now = 30_000;
  assert.equal((await store.claim('s', { ...one, forMs: 30_000 })).length, 1);
  assert.equal(signal?.aborted, false);
  t.mock.timers.tick(11_100);
  await until(t, () => signal?.aborted === true);
});

test('a store that hangs is asked again when a lease would have ended', async (t) => {
  const store = memoryTasks();
  const asked = { claim: 0, renew: 0 };
  const hanging: TaskStore = { ...store, claim: () => (asked.claim++, never), renew: () => (asked.renew++, never) };
  const process = await working(t, { store: hanging }, () => never);
  const taskId = await begun(process);
  await until(t, async () => /"hand":"running"/.test(await textOf(store, taskId)));
  t.mock.timers.tick(11_100);
  await until(t, () => asked.claim === 1 && asked.renew === 1);
  t.mock.timers.tick(30_000);
  await settle(t);
  t.mock.timers.tick(11_100);
  await until(t, () => asked.claim === 2 && asked.renew === 2);
});

test('an outcome is kept for a while, however short the life of its task was to be', async (t) => {
  let end = (): void => undefined;
  const ended = new Promise<void>((resolve) => (end = resolve));
  const process = await working(t, { ttlMs: 60_000, outcomeTtlMs: 300_000 }, () => ended);
  const taskId = await begun(process);
  const before = await process.client.ask('tasks/get', { taskId });
  assert.equal(before['ttlMs'], 60_000);
  end();
  let after: Json = {};
  await until(t, async () => (after = await process.client.ask('tasks/get', { taskId }))['status'] === 'completed');
  assert.ok(Number(after['ttlMs']) >= 300_000);
});

test('a listener hears of the end of a task in another process, whose store tells nobody', async (t) => {
  const { bus: _, ...store } = memoryTasks();
  let finish = (): void => undefined;
  const work = new Promise<void>((resolve) => (finish = resolve));
  const serving = await working(t, { store, queue: 'q', limits: { running: 0 } }, () => never);
  const taskId = await begun(serving);
  const { client } = serving;
  client.ask('subscriptions/listen', { notifications: { taskIds: [taskId] } }).catch(() => undefined);
  const told = (status: string): boolean =>
    client.heard.some(({ params }) => (params as { readonly status?: unknown }).status === status);
  await until(t, () => told('working'));
  const worker = await secondOf(t, { store, queue: 'q' }, async () => await work);
  let runs = false;
  worker.tasks.run(taskId).then(
    () => (runs = true),
    () => undefined,
  );
  finish();
  await until(t, () => runs);
  assert.equal(told('completed'), false);
  t.mock.timers.tick(1_000);
  await until(t, () => told('completed'));
  client.close();
});
