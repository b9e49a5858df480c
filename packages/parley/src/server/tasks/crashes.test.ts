import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { describe, test, type TestContext } from 'node:test';
import { extended, taskClient, whenTask, type TaskClient } from '../../../../../test/support/task-client.ts';
import { sqliteTasks } from '../../storage/sqlite/sqlite-tasks.ts';
import type { TaskStore } from '../../storage/tasks.ts';
import type { ToolContext } from '../definition/tool-context.ts';
import { createServer, type Server } from '../server.ts';
import type { TaskOptions, TaskUse } from '../definition/task-definition.ts';

type Json = Readonly<Record<string, unknown>>;

const newest = { revision: '2026-07-28', capabilities: extended, principal: 'ann' } as const;
const form = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } as const;

/** A process with the tool `t`, and its store. */
interface Process {
  readonly server: Server;
  readonly client: TaskClient;
}

/** A store whose process cannot say that it still lives. */
function cutOff(store: TaskStore): TaskStore {
  const away = (): Promise<never> => Promise.reject(new Error('the store is away'));
  return { ...store, renew: away, claim: away };
}

/** The way to one file for several processes. */
function shared(t: TestContext): TaskStore {
  const folder = mkdtempSync(join(tmpdir(), 'parley-crashes-'));
  const store = sqliteTasks(join(folder, 'tasks.db'));
  // Timers of servers keep no process alive.
  const alive = setInterval(() => undefined, 1000);
  t.after(() => {
    clearInterval(alive);
    store.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return {
    add: (task, most) => store.add(task, most),
    get: (id) => store.get(id),
    swap: (task) => store.swap(task),
    claim: (queue, by) => store.claim(queue, by),
    renew: (leases, forMs) => store.renew(leases, forMs),
    list: (of, after, most) => store.list(of, after, most),
    sweep: (most) => store.sweep(most),
  };
}

async function processWith(
  t: TestContext,
  tasks: TaskOptions,
  { run, ...use }: Partial<TaskUse> & { run(ctx: ToolContext): unknown },
): Promise<Process> {
  const rateLimits = { tasks: { perSecond: 1e6, burst: 1e6 } };
  // What a store that is away says is not of the test.
  const server = createServer({ name: 's', version: '1' }, { tasks, rateLimits, onError: () => undefined });
  t.after(() => server.close());
  server.tool('t', { task: { support: 'required', ...use } }, async (_, ctx) => String(await run(ctx)));
  return { server, client: await taskClient(server, newest) };
}

async function begun({ client }: Process): Promise<string> {
  return String((await client.ask('tools/call', { name: 't' }))['taskId']);
}

async function ended({ client }: Process, taskId: string): Promise<readonly unknown[]> {
  const task = await whenTask(client, taskId, ({ status }) => status !== 'working' && status !== 'input_required');
  const [block] = ((task['result'] as Json | undefined)?.['content'] ?? []) as readonly Json[];
  return [task['status'], block?.['text'] ?? (task['error'] as Json | undefined)?.['message']];
}

/** Ends the lease of the first run of a task now, and not in 30 seconds. */
async function lapse(store: TaskStore, id: string): Promise<void> {
  assert.deepEqual(await store.renew([{ id, epoch: 1 }], 0), []);
}

function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}

const never = new Promise<never>(() => undefined);
const skip = process.getBuiltinModule?.('node:sqlite') === undefined ? 'this runtime has no node:sqlite' : false;

describe('what a process leaves that dies, with a store of SQLite', { skip, concurrency: true }, () => {
  test('a task that nobody claimed yet is run by another, which costs no attempt', async (t) => {
    const store = shared(t);
    const first = await processWith(t, { store, limits: { running: 0 } }, { run: () => 'first' });
    const taskId = await begun(first);
    const second = await processWith(t, { store }, { run: (ctx) => `second, ${ctx.task?.attempt}` });
    assert.deepEqual(await ended(second, taskId), ['completed', 'second, 1']);
  });

  test('a run that may not begin again ends its task as failed, and is never begun again', async (t) => {
    const store = shared(t);
    const runs = gate();
    const first = await processWith(t, { store }, { run: () => (runs.open(), never) });
    let others = 0;
    const second = await processWith(t, { store }, { run: () => others++ });
    const taskId = await begun(first);
    await runs.opened;
    await first.server.tasks.drain({ timeoutMs: 0 });
    const [status, message] = await ended(second, taskId);
    assert.deepEqual([status, others], ['failed', 0]);
    assert.match(String(message), /may not be run again/);
  });

  test('a run that may begin again does so in another process, and knows what was kept', async (t) => {
    const store = shared(t);
    const kept = gate();
    let effects = 0;
    const effect = (ctx: ToolContext): Promise<number> => ctx.once('e', () => ++effects);
    const first = await processWith(
      t,
      { store },
      {
        attempts: 2,
        run: async (ctx) => {
          await effect(ctx);
          kept.open();
          return await never;
        },
      },
    );
    const taskId = await begun(first);
    await kept.opened;
    await first.server.tasks.drain({ timeoutMs: 0 });
    const run = async (ctx: ToolContext): Promise<string> => `effect ${await effect(ctx)}, run ${ctx.task?.attempt}`;
    const second = await processWith(t, { store }, { attempts: 2, run });
    assert.deepEqual(await ended(second, taskId), ['completed', 'effect 1, run 2']);
  });

  test('a question is answered in another process, which begins again from the top at no cost', async (t) => {
    const store = shared(t);
    const run = async (ctx: ToolContext): Promise<string> => {
      const { action } = await ctx.elicit({ message: 'a', schema: form });
      const { action: then } = await ctx.elicit({ message: 'b', schema: form });
      return `${action}, ${then}, run ${ctx.task?.attempt}`;
    };
    const first = await processWith(t, { store }, { run });
    const taskId = await begun(first);
    const answer = async ({ client }: Process, action: string): Promise<void> => {
      const task = await whenTask(client, taskId, ({ status }) => status === 'input_required');
      const [key = ''] = Object.keys(task['inputRequests'] as Json);
      await client.ask('tasks/update', { taskId, inputResponses: { [key]: { action } } });
    };
    await answer(first, 'decline');
    const { inputRequests } = await whenTask(first.client, taskId, (task) => JSON.stringify(task).includes('"b"'));
    await first.server.tasks.drain({ timeoutMs: 0 });
    const second = await processWith(t, { store }, { run });
    const [key = ''] = Object.keys(inputRequests as Json);
    await second.client.ask('tasks/update', { taskId, inputResponses: { [key]: { action: 'cancel' } } });
    assert.deepEqual(await ended(second, taskId), ['completed', 'decline, cancel, run 1']);
  });

  test('a run whose lease was lost is fenced: what it comes to counts for nothing', async (t) => {
    const store = shared(t);
    const [runs, late, over] = [gate(), gate(), gate()];
    const cut = cutOff(store);
    const first = await processWith(
      t,
      { store: cut },
      {
        attempts: 2,
        run: async (ctx) => {
          ctx.signal.addEventListener('abort', over.open);
          runs.open();
          await late.opened;
          return 'late';
        },
      },
    );
    const taskId = await begun(first);
    await runs.opened;
    await lapse(store, taskId);
    const second = await processWith(t, { store }, { attempts: 2, run: (ctx) => `run ${ctx.task?.attempt}` });
    assert.deepEqual(await ended(second, taskId), ['completed', 'run 2']);
    late.open();
    await over.opened;
    assert.deepEqual(await ended(second, taskId), ['completed', 'run 2']);
  });

  test('a process that ends leaves the run alone that another has of its task', async (t) => {
    const store = shared(t);
    const [runs, again, end] = [gate(), gate(), gate()];
    const cut = cutOff(store);
    const first = await processWith(t, { store: cut }, { attempts: 2, run: () => (runs.open(), never) });
    const taskId = await begun(first);
    await runs.opened;
    await lapse(store, taskId);
    const second = await processWith(
      t,
      { store },
      { attempts: 2, run: async (ctx) => (again.open(), await end.opened, `run ${ctx.task?.attempt}`) },
    );
    await again.opened;
    await first.server.tasks.drain({ timeoutMs: 0 });
    end.open();
    assert.deepEqual(await ended(second, taskId), ['completed', 'run 2']);
  });

  test('an end is committed again while the store is away, and a new task fails before any work', async (t) => {
    const store = shared(t);
    const away = new Error('the store is away');
    let [swaps, adds] = [0, 0];
    const flaky: TaskStore = {
      ...store,
      // The claim is the first, the end all others.
      swap: (task) => ([2, 3].includes(++swaps) ? Promise.reject(away) : store.swap(task)),
      add: (task, most) => (++adds === 2 ? Promise.reject(away) : store.add(task, most)),
    };
    let runs = 0;
    const only = await processWith(t, { store: flaky }, { run: () => ++runs });
    assert.deepEqual(await ended(only, await begun(only)), ['completed', '1']);
    assert.ok(swaps >= 4);
    assert.equal((await only.client.ask('tools/call', { name: 't' }))['code'], -32603);
    assert.equal(runs, 1);
  });

  test('a run that lost its task begins no effect, and learns of none that is not kept', async (t) => {
    const store = shared(t);
    const [runs, late, over] = [gate(), gate(), gate()];
    const effects: string[] = [];
    let isAway = false;
    // An effect begins only while the store is there.
    const renew: TaskStore['renew'] = (leases, forMs) => (isAway ? cutOff(store) : store).renew(leases, forMs);
    const first = await processWith(
      t,
      { store: { ...cutOff(store), renew } },
      {
        attempts: 2,
        run: async (ctx) => {
          const effect = async (): Promise<number> => {
            isAway = true;
            runs.open();
            await late.opened;
            effects.push('a of first');
            return 1;
          };
          const a = await ctx.once('a', effect).catch(() => 'none');
          const b = await ctx.once('b', () => effects.push('b of first')).catch(() => 'none');
          effects.push(`${a}, ${b}`);
          over.open();
        },
      },
    );
    const taskId = await begun(first);
    await runs.opened;
    await lapse(store, taskId);
    const second = await processWith(t, { store }, { attempts: 2, run: (ctx) => ctx.once('a', () => 'x') });
    assert.equal((await ended(second, taskId))[0], 'completed');
    effects.length = 0;
    late.open();
    await over.opened;
    assert.deepEqual(effects, ['a of first', 'none, none']);
  });

  test('what a run keeps and asks is kept and asked when the store is back', async (t) => {
    const store = shared(t);
    let swaps = 0;
    const flaky: TaskStore = {
      ...store,
      // The first is the claim; then every other fails.
      swap: (task) => (++swaps % 2 === 0 ? Promise.reject(new Error('the store is away')) : store.swap(task)),
    };
    let effects = 0;
    const run = async (ctx: ToolContext): Promise<string> => {
      const effect = await ctx.once('e', () => ++effects);
      return `${effect} ${(await ctx.elicit({ message: 'a', schema: form })).action}`;
    };
    const only = await processWith(t, { store: flaky }, { run });
    const taskId = await begun(only);
    const { inputRequests } = await whenTask(only.client, taskId, ({ status }) => status !== 'working');
    const [key = ''] = Object.keys(inputRequests as Json);
    const answer = { taskId, inputResponses: { [key]: { action: 'decline' } } };
    while ((await only.client.ask('tasks/update', answer))['code'] !== undefined);
    assert.deepEqual(await ended(only, taskId), ['completed', '1 decline']);
    assert.equal(effects, 1);
  });

  test('a run that waits learns of an answer that was given to another process', async (t) => {
    const store = shared(t);
    const run = async (ctx: ToolContext): Promise<string> => (await ctx.elicit({ message: 'a', schema: form })).action;
    const [first, second] = [await processWith(t, { store }, { run }), await processWith(t, { store }, { run })];
    const taskId = await begun(first);
    const { inputRequests } = await whenTask(second.client, taskId, ({ status }) => status === 'input_required');
    const [key = ''] = Object.keys(inputRequests as Json);
    await second.client.ask('tasks/update', { taskId, inputResponses: { [key]: { action: 'decline' } } });
    assert.deepEqual(await ended(second, taskId), ['completed', 'decline']);
  });
});
