import assert from 'node:assert/strict';
import process from 'node:process';
import { test } from 'node:test';
import { whenTask } from '../../../../../test/support/task-client.ts';
import { memoryTasks } from '../../storage/memory-tasks.ts';
import type { TaskStore } from '../../storage/tasks.ts';
import { begun, engine, led, statusOf, textOf } from '../../../../../test/support/engine-led.ts';
import type { ToolContext } from '../definition/tool-context.ts';
import { runTasks } from '../run-tasks.ts';
import { createServer } from '../server.ts';

type Json = Readonly<Record<string, unknown>>;

const form = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } as const;

function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}

/** A store whose leases are over as soon as they begin, for whoever reads them. */
function overAtOnce(store: TaskStore): TaskStore {
  return {
    ...store,
    get: async (id) => {
      const found = await store.get(id);
      return found?.dueInMs === undefined ? found : { ...found, dueInMs: 0 };
    },
  };
}

test('an engine is told of a task before its client is, and nothing runs until it says so', async (t) => {
  const executor = engine();
  let runs = 0;
  const one = await led(t, { executor, queue: 'q' }, { run: () => ++runs });
  const taskId = await begun(one);
  assert.deepEqual(executor.words, [`start ${taskId} q`]);
  await new Promise((resolve) => void setTimeout(resolve, 10));
  assert.deepEqual([runs, await statusOf(one, taskId)], [0, 'working']);
  assert.equal(await one.server.tasks.run(taskId), 'ended');
  assert.deepEqual([runs, await statusOf(one, taskId)], [1, 'completed']);
});

test('an engine that refuses a task fails its call, and the task neither runs nor stays', async (t) => {
  const ids: string[] = [];
  const executor = engine({
    start: (id) => {
      ids.push(id);
      return Promise.reject(new Error('the engine is full, says its secret'));
    },
  });
  let runs = 0;
  const one = await led(t, { executor }, { run: () => ++runs });
  const { code, message } = await one.client.ask('tools/call', { name: 't' });
  assert.deepEqual([code, message], [-32603, 'the task could not be begun']);
  assert.deepEqual(one.faults, ['the start of the executor of tasks']);
  const [id = ''] = ids;
  assert.equal(await statusOf(one, id), 'cancelled');
  // It had taken it all the same.
  assert.equal(await one.server.tasks.run(id), 'ended');
  assert.equal(runs, 0);
});

test('an engine that throws, or does not settle, refuses a task too', async (t) => {
  const thrown = await led(
    t,
    {
      executor: engine({
        start: () => {
          throw new Error('no');
        },
      }),
    },
    { run: () => 'x' },
  );
  assert.equal((await thrown.client.ask('tools/call', { name: 't' }))['code'], -32603);
  const asked = gate();
  const silent = engine({ start: () => (asked.open(), new Promise<never>(() => undefined)) });
  const one = await led(t, { executor: silent }, { run: () => 'x' });
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const call = one.client.ask('tools/call', { name: 't' });
  await asked.opened;
  t.mock.timers.tick(10_000);
  assert.equal((await call)['code'], -32603);
});

test('an engine that calls twice, and again after the end, gets one run', async (t) => {
  const [runs, end] = [gate(), gate()];
  let all = 0;
  const run = async (): Promise<string> => {
    all++;
    runs.open();
    await end.opened;
    return 'x';
  };
  const one = await led(t, { executor: engine() }, { run, attempts: 3 });
  const taskId = await begun(one);
  const first = one.server.tasks.run(taskId);
  const twin = one.server.tasks.run(taskId);
  await runs.opened;
  assert.equal(await one.server.tasks.run(taskId), 'later');
  end.open();
  assert.deepEqual([await first, await twin].toSorted(), ['ended', 'later']);
  assert.equal(await one.server.tasks.run(taskId), 'ended');
  assert.equal(all, 1);
});

test('an engine that calls late finds a task that is gone, and one that never calls leaves it until it expires', async (t) => {
  let now = 0;
  const store = memoryTasks({ now: () => now });
  let runs = 0;
  const one = await led(t, { executor: engine(), store }, { run: () => ++runs, ttlMs: 60_000 });
  const taskId = await begun(one);
  now = 30_000;
  assert.equal(await statusOf(one, taskId), 'working');
  now = 60_000;
  assert.equal((await one.client.ask('tasks/get', { taskId }))['code'], -32602);
  assert.equal(await one.server.tasks.run(taskId), 'unknown');
  for (const id of ['', 'x'.repeat(24), 'a\0b', '../..']) assert.equal(await one.server.tasks.run(id), 'unknown');
  assert.equal(runs, 0);
});

test('a task goes on in the process that the engine chooses, once the lease of a dead one has ended', async (t) => {
  const store = memoryTasks();
  const runs = gate();
  const first = await led(
    t,
    { executor: engine(), store },
    { attempts: 2, run: () => (runs.open(), new Promise(() => undefined)) },
  );
  const second = await led(
    t,
    { executor: engine(), store: overAtOnce(store) },
    { attempts: 2, run: (ctx) => `run ${ctx.task?.attempt}` },
  );
  const taskId = await begun(first);
  const lost = first.server.tasks.run(taskId);
  await runs.opened;
  assert.equal(await first.server.tasks.run(taskId), 'later');
  assert.equal(await second.server.tasks.run(taskId), 'ended');
  assert.equal(await textOf(first, taskId), 'run 2');
  // The first finds out, and the engine that called it is not kept waiting for a handler that hangs.
  assert.ok(['ended', 'later'].includes(await lost));
});

test('an effect that is tried again after its process died has the same id', async (t) => {
  const store = memoryTasks();
  const runs = gate();
  const ids: string[] = [];
  const effect = async (ctx: ToolContext): Promise<unknown> =>
    await ctx.once('e', async (id) => {
      ids.push(id);
      runs.open();
      // It is done, and its process dies before it is kept.
      return ids.length === 1 ? await new Promise<never>(() => undefined) : id;
    });
  const use = { attempts: 2, run: effect, support: 'optional', after: 'background' } as const;
  const first = await led(
    t,
    { executor: engine(), store },
    { ...use, run: async (ctx) => (await ctx.background(), await effect(ctx)) },
  );
  const second = await led(t, { executor: engine(), store: overAtOnce(store) }, use);
  const taskId = await begun(first);
  await runs.opened;
  assert.equal(await second.server.tasks.run(taskId), 'ended');
  assert.equal(await textOf(second, taskId), ids[0]);
  assert.deepEqual(ids, [ids[0], ids[0]]);
  assert.ok(!ids[0]?.includes(taskId), 'it does not give the id of the task away');
});

test('a task that may not run again fails when the engine comes again after its process died', async (t) => {
  const store = memoryTasks();
  const runs = gate();
  const first = await led(t, { executor: engine(), store }, { run: () => (runs.open(), new Promise(() => undefined)) });
  let others = 0;
  const second = await led(t, { executor: engine(), store: overAtOnce(store) }, { run: () => ++others });
  const taskId = await begun(first);
  void first.server.tasks.run(taskId);
  await runs.opened;
  assert.equal(await second.server.tasks.run(taskId), 'ended');
  assert.deepEqual([await statusOf(second, taskId), others], ['failed', 0]);
});

test('a run that waits for its client is given back, and the engine is woken by the answer', async (t) => {
  const store = memoryTasks();
  const executor = engine();
  const run = async (ctx: ToolContext): Promise<string> =>
    `${(await ctx.elicit({ message: 'a', schema: form })).action}, run ${ctx.task?.attempt}`;
  const first = await led(t, { executor, store }, { run });
  const taskId = await begun(first);
  const turn = first.server.tasks.run(taskId);
  const asks = await whenTask(first.client, taskId, ({ status }) => status === 'input_required');
  await first.server.tasks.drain({ timeoutMs: 0 });
  assert.equal(await turn, 'asks');
  const second = await led(t, { executor, store }, { run });
  assert.equal(await second.server.tasks.run(taskId), 'asks');
  const [key = ''] = Object.keys(asks['inputRequests'] as Json);
  await second.client.ask('tasks/update', { taskId, inputResponses: { [key]: { action: 'decline' } } });
  assert.deepEqual(executor.words.slice(1), [`wake ${taskId}`]);
  assert.equal(await second.server.tasks.run(taskId), 'ended');
  assert.equal(await textOf(second, taskId), 'decline, run 1');
});

test('an engine is told of a cancel, and its run is over though the handler hangs', async (t) => {
  const executor = engine();
  const runs = gate();
  const one = await led(t, { executor }, { run: () => (runs.open(), new Promise(() => undefined)) });
  const taskId = await begun(one);
  const turn = one.server.tasks.run(taskId);
  await runs.opened;
  await one.client.ask('tasks/cancel', { taskId });
  assert.equal(await turn, 'ended');
  assert.deepEqual(executor.words.slice(1), [`cancel ${taskId}`]);
});

test('a word to an engine that is away is tried again, five times at most, and holds up no client', async (t) => {
  let cancels = 0;
  const executor = engine({ cancel: () => (cancels++, Promise.reject(new Error('away'))) });
  const one = await led(t, { executor }, { run: () => 'x' });
  const taskId = await begun(one);
  t.mock.timers.enable({ apis: ['setTimeout'] });
  await one.client.ask('tasks/cancel', { taskId });
  for (let turns = 0; turns < 400; turns++) {
    await Promise.resolve();
    if (turns % 20 === 19) t.mock.timers.tick(100);
  }
  assert.equal(cancels, 5);
  assert.deepEqual(one.faults, ['the cancel of the executor of tasks']);
});

test('a call that becomes a task is handed to the engine, which finds it running', async (t) => {
  const executor = engine();
  const [runs, end] = [gate(), gate()];
  const one = await led(
    t,
    { executor },
    { after: 'background', run: async (ctx) => (await ctx.background(), runs.open(), await end.opened, 'x') },
  );
  const taskId = await begun(one);
  await runs.opened;
  assert.deepEqual(executor.words, [`start ${taskId} s`]);
  assert.equal(await one.server.tasks.run(taskId), 'later');
  end.open();
  await whenTask(one.client, taskId, ({ status }) => status === 'completed');
});

test('a call stays one where the engine does not take its task', async (t) => {
  const executor = engine({ start: () => Promise.reject(new Error('no')) });
  const one = await led(
    t,
    { executor },
    { support: 'optional', after: 'background', run: async (ctx) => (await ctx.background(), String(ctx.task?.id)) },
  );
  const { content } = await one.client.ask('tools/call', { name: 't' });
  assert.deepEqual(content, [{ type: 'text', text: 'undefined' }]);
});

test('a process refuses a run that it cannot have: without the tool, and while it drains', async (t) => {
  const store = memoryTasks();
  const one = await led(t, { executor: engine(), store }, { run: () => 'x' });
  const taskId = await begun(one);
  const other = createServer({ name: 's', version: '1' }, { tasks: { store } });
  t.after(() => other.close());
  await assert.rejects(other.tasks.run(taskId), /this process has no tool "t", of which the task is/);
  await one.server.tasks.drain({ timeoutMs: 0 });
  await assert.rejects(one.server.tasks.run(taskId), /this process drains/);
  assert.equal(await statusOf(one, taskId), 'working');
});

test('what is left to the outside is nothing for an engine', async (t) => {
  const one = await led(t, { executor: engine() }, { run: () => 'x' });
  one.server.tool('left', { task: 'required' }, (_, ctx) => ctx.task?.leave());
  const { taskId } = await one.client.ask('tools/call', { name: 'left' });
  assert.equal(await one.server.tasks.run(String(taskId)), 'left');
  assert.equal(await one.server.tasks.run(String(taskId)), 'left');
  assert.equal(await one.server.tasks.finish(String(taskId), 'y'), true);
  assert.equal(await one.server.tasks.run(String(taskId)), 'ended');
});

test('a process that only works drains and closes its server after the signal', async (t) => {
  const store = memoryTasks();
  const serving = await led(t, { store, limits: { running: 0 } }, { run: () => 'serving' });
  const working = await led(t, { store }, { run: () => 'working' });
  const stop = new AbortController();
  const ended = runTasks(working.server, { signal: stop.signal, drainTimeoutMs: 0 });
  const taskId = await begun(serving);
  // The store has its own clock: after two seconds anybody may claim it.
  assert.equal(await working.server.tasks.run(taskId), 'ended');
  assert.equal(await textOf(serving, taskId), 'working');
  stop.abort();
  await ended;
  await assert.rejects(working.server.tasks.run(taskId), /drains/);
});

test('a process that only works is kept alive until the signal, and no longer', async () => {
  const timers = (): number => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
  const before = timers();
  const stop = new AbortController();
  const ended = runTasks(createServer({ name: 's', version: '1' }), { signal: stop.signal });
  assert.equal(timers(), before + 1);
  stop.abort();
  await ended;
  assert.equal(timers(), before);
});

test('options of an engine, and of a process that only works, are refused by name', () => {
  const info = { name: 's', version: '1' };
  const loose = (executor: object): never => ({ tasks: { executor } }) as never;
  assert.throws(
    () => createServer(info, loose({ start: () => undefined })),
    /tasks\.executor\.wake must be a function/,
  );
  const server = createServer(info);
  assert.throws(() => runTasks(server, { drain: 1 } as never), /runTasks has no option "drain".*drainTimeoutMs/);
  assert.throws(() => runTasks(server, { drainTimeoutMs: -1 }), /drainTimeoutMs must be a number of at least 0/);
  assert.throws(() => runTasks(server, { signal: 1 } as never), /signal must be an AbortSignal/);
});
