/** A call on its way to a task: where its messages go, and what is left of it if it does not become one. */

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { begun, engine, led } from '../../../../../test/support/engine-led.ts';
import { settle } from '../../../../../test/support/raw.ts';
import { extended, taskClient, type TaskClient } from '../../../../../test/support/task-client.ts';
import { until } from '../../../../../test/support/turns.ts';
import { McpError } from '../../protocol/error.ts';
import { memoryTasks } from '../../storage/memory-tasks.ts';
import type { StoredTask, TaskStore } from '../../storage/tasks.ts';
import { createServer, type Server } from '../server.ts';
import type { TaskUse } from '../definition/task-definition.ts';
import type { ToolContext } from '../definition/tool-context.ts';

type Json = Readonly<Record<string, unknown>>;

interface Gate {
  readonly opened: Promise<void>;
  open(): void;
}

function gate(): Gate {
  let open!: () => void;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}

interface Scene {
  readonly server: Server;
  readonly client: TaskClient;
  readonly inner: TaskStore;
  /** Holds up what adds a task, until the gate opens. */
  readonly adding: Gate;
  /** The ids of the tasks that were added or are about to be. */
  readonly added: string[];
  /** The errors of the server. */
  readonly faults: string[];
  stored(): Promise<StoredTask>;
}

async function scene(
  t: TestContext,
  run: (ctx: ToolContext) => unknown,
  { isHeld = false, ...use }: Partial<TaskUse> & { readonly isHeld?: boolean } = {},
): Promise<Scene> {
  const inner = memoryTasks();
  const adding = gate();
  if (!isHeld) adding.open();
  const [added, faults]: [string[], string[]] = [[], []];
  const store: TaskStore = {
    ...inner,
    async add(task, most) {
      added.push(task.id);
      await adding.opened;
      return await inner.add(task, most);
    },
  };
  const rateLimits = { tasks: { perSecond: 1e6, burst: 1e6 } };
  const onError = (error: unknown, where: string): void => void faults.push(`${where}: ${String(error)}`);
  const server = createServer({ name: 's', version: '1' }, { tasks: { store }, rateLimits, onError });
  t.after(() => server.close());
  server.tool('t', { task: { support: 'optional', after: 'background', ...use } }, async (_, ctx) =>
    String(await run(ctx)),
  );
  const client = await taskClient(server, { revision: '2026-07-28', capabilities: extended });
  const stored = async (): Promise<StoredTask> => (await inner.get(added[0] ?? '')) ?? assert.fail('no task');
  return { server, client, inner, adding, added, faults, stored };
}

const call = { name: 't', _meta: { progressToken: 'p', 'io.modelcontextprotocol/logLevel': 'debug' } };

test('messages of a call go to its client, and as a task it has its status alone', async (t) => {
  const [going, ending] = [gate(), gate()];
  const { client } = await scene(t, async (ctx) => {
    ctx.progress(1, 3, 'early');
    ctx.log('info', 'early');
    await ctx.background();
    assert.throws(() => ctx.progress('2' as never), TypeError);
    assert.throws(() => ctx.progress(2, '3' as never), TypeError);
    ctx.progress(2, 3, 'late');
    ctx.log('info', 'late');
    going.open();
    await ending.opened;
    return 'done';
  });
  const { taskId } = await client.ask('tools/call', call);
  await going.opened;
  await settle();
  const heard = JSON.stringify(client.heard);
  assert.deepEqual([heard.match(/"early"/g)?.length, heard.includes('late')], [2, false]);
  assert.equal((await client.ask('tasks/get', { taskId }))['statusMessage'], '2 of 3: late');
  ending.open();
});

for (const support of ['required', 'optional'] as const)
  test(`a client that leaves while its task is stored leaves none that works (${support})`, async (t) => {
    let runs = 0;
    const use = support === 'required' ? ({ support, after: 0 } as const) : { support };
    const { client, adding, added, stored } = await scene(
      t,
      async (ctx) => {
        runs++;
        await ctx.background();
        return ctx.task?.id;
      },
      { ...use, isHeld: true },
    );
    client.ask('tools/call', call).catch(() => undefined);
    await until(() => added.length === 1);
    client.close();
    adding.open();
    await until(() => added.length === 1);
    for (let turn = 0; turn < 10; turn++) await settle();
    assert.deepEqual([(await stored()).open, runs], [false, support === 'required' ? 0 : 1]);
  });

test('a call that ends while its task is stored is answered, and leaves no task that works', async (t) => {
  const { client, adding, added, stored } = await scene(
    t,
    (ctx) => {
      ctx.background().catch(() => undefined);
      return 'at once';
    },
    { isHeld: true },
  );
  const answer = await client.ask('tools/call', call);
  assert.match(JSON.stringify(answer), /at once/);
  await until(() => added.length === 1);
  adding.open();
  for (let turn = 0; turn < 10; turn++) await settle();
  assert.equal((await stored()).open, false);
});

test('an effect that ends while its task is stored is kept with the task', async (t) => {
  const [effect, ending] = [gate(), gate()];
  const { client, adding, added, stored } = await scene(
    t,
    async (ctx) => {
      const paid = ctx.once('pay', async () => {
        await effect.opened;
        return 'receipt-7';
      });
      await Promise.all([paid, ctx.background()]);
      await ending.opened;
    },
    { isHeld: true },
  );
  const asked = client.ask('tools/call', call);
  await until(() => added.length === 1);
  effect.open();
  for (let turn = 0; turn < 5; turn++) await settle();
  adding.open();
  assert.equal((await asked)['resultType'], 'task');
  for (let turn = 0; turn < 5; turn++) await settle();
  assert.match((await stored()).text, /receipt-7/);
  ending.open();
});

test('a task whose version this process does not know fails, and its tool does not run', async (t) => {
  const inner = memoryTasks();
  const store: TaskStore = {
    ...inner,
    async get(id) {
      const task = await inner.get(id);
      return task && { ...task, text: task.text.replaceAll('"2026-07-28"', '"2099-01-01"') };
    },
  };
  let runs = 0;
  const one = await led(t, { executor: engine(), store }, { run: () => ++runs });
  const taskId = await begun(one);
  assert.equal(await one.server.tasks.run(taskId), 'ended');
  const task = await one.client.ask('tasks/get', { taskId });
  assert.deepEqual([task['status'], runs], ['failed', 0]);
  assert.match(JSON.stringify(task['error']), /revision 2099-01-01 is not known here/);
});

test('a task that does not exist cannot be ended from outside', async (t) => {
  const { server } = await scene(t, () => 'x');
  assert.equal(await server.tasks.finish('unknown', 'x'), false);
  assert.equal(await server.tasks.fail('unknown', new McpError('internalError', 'x')), false);
});

test('a tool that fails with a plain error is reported to the operator, and one with an McpError is not', async (t) => {
  for (const [error, message] of [
    [new RangeError('secret path'), undefined],
    [new McpError('invalidParams', 'wrong'), 'wrong'],
  ] as const) {
    const { client, faults } = await scene(
      t,
      async (ctx) => {
        await ctx.background();
        throw error;
      },
      { support: 'required' },
    );
    const { taskId } = await client.ask('tools/call', call);
    let task: Json = {};
    for (let turn = 0; turn < 20 && (task['status'] ?? 'working') === 'working'; turn++) {
      await settle();
      task = await client.ask('tasks/get', { taskId });
    }
    assert.equal(JSON.stringify(task).includes('secret path'), false);
    if (message !== undefined) assert.match(JSON.stringify(task), /wrong/);
    assert.equal(faults.filter((fault) => fault.includes('secret path')).length, message === undefined ? 1 : 0);
  }
});
