/** Stores that fail or hang, and what is longer than tasks keep. */

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { extended, taskClient, whenTask, type TaskClient } from '../../../../../test/support/task-client.ts';
import { McpError } from '../../protocol/error.ts';
import { memoryTasks } from '../../storage/memory-tasks.ts';
import type { TaskStore } from '../../storage/tasks.ts';
import type { ToolContext } from '../definition/tool-context.ts';
import { createServer, type Server } from '../server.ts';
import type { TaskOptions } from '../definition/task-definition.ts';

type Json = Readonly<Record<string, unknown>>;

const form = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } as const;
const newest = { revision: '2026-07-28', capabilities: extended } as const;

async function serving(
  t: TestContext,
  tasks: TaskOptions,
  run: (ctx: ToolContext) => unknown,
): Promise<{ readonly server: Server; readonly client: TaskClient }> {
  const rateLimits = { tasks: { perSecond: 1e6, burst: 1e6 } };
  const server = createServer({ name: 's', version: '1' }, { tasks, rateLimits, onError: () => undefined });
  t.after(() => (t.mock.timers.reset(), server.close()));
  server.tool('t', { task: 'required' }, async (_, ctx) => (await run(ctx)) as string);
  return { server, client: await taskClient(server, newest) };
}

async function begun(client: TaskClient): Promise<string> {
  return String((await client.ask('tools/call', { name: 't' }))['taskId']);
}

function textOf({ result }: Json): unknown {
  return ((result as Json)['content'] as readonly Json[])[0]?.['text'];
}

/** Waits until somebody outside may end a task. */
async function whenLeft(server: Server, taskId: string): Promise<void> {
  for (let tries = 0; tries < 1000 && !(await server.tasks.say(taskId, 'left')); tries++)
    await new Promise<void>((resolve) => void setTimeout(resolve, 1));
}

/** A store whose next changes fail, as often as it is told. */
function failing(): { readonly store: TaskStore; fail(times: number): void } {
  const store = memoryTasks();
  let left = 0;
  const swap: TaskStore['swap'] = (task) =>
    left-- > 0 ? Promise.reject(new Error('the store is away')) : store.swap(task);
  return { store: { ...store, swap }, fail: (times) => (left = times) };
}

test('a question waits for a store that is away, and ends no task', async (t) => {
  const { store, fail } = failing();
  const { client } = await serving(t, { store }, async (ctx) => {
    fail(2);
    return (await ctx.elicit({ message: 'a', schema: form })).action;
  });
  const taskId = await begun(client);
  const { inputRequests } = await whenTask(client, taskId, ({ status }) => status === 'input_required');
  const [key = ''] = Object.keys(inputRequests as Json);
  await client.ask('tasks/update', { taskId, inputResponses: { [key]: { action: 'decline' } } });
  assert.equal(textOf(await whenTask(client, taskId, ({ status }) => status === 'completed')), 'decline');
});

test('an effect that ran is kept once the store is back, and is run once', async (t) => {
  const { store, fail } = failing();
  let effects = 0;
  const { client } = await serving(t, { store }, async (ctx) => {
    const value = await ctx.once('e', () => {
      fail(2);
      return ++effects;
    });
    return `effect ${value}`;
  });
  const taskId = await begun(client);
  assert.equal(textOf(await whenTask(client, taskId, ({ status }) => status === 'completed')), 'effect 1');
  assert.match((await store.get(taskId))?.text ?? '', /"status":"completed"/);
});

test('a run goes on after an answer only where that is kept, else another does at no cost', async (t) => {
  const store = memoryTasks();
  let isAway = false;
  const swap: TaskStore['swap'] = (task) => {
    if (isAway) return Promise.reject(new Error('the store is away'));
    // Whatever follows the answer fails.
    isAway = /"status":"working".*"replays":true/.test(task.text);
    return store.swap(task);
  };
  const ends: string[] = [];
  const run = async (ctx: ToolContext): Promise<string> => {
    ctx.signal.addEventListener('abort', () => ends.push('aborted'));
    const { action } = await ctx.elicit({ message: 'a', schema: form });
    ends.push(`went on in run ${ctx.task?.attempt}`);
    return action;
  };
  const { bus: _, ...own } = store;
  const first = await serving(t, { store: { ...own, swap, renew: async () => [] }, leaseTtlMs: 1000 }, run);
  const taskId = await begun(first.client);
  const { inputRequests } = await whenTask(first.client, taskId, ({ status }) => status === 'input_required');
  const [key = ''] = Object.keys(inputRequests as Json);
  await first.client.ask('tasks/update', { taskId, inputResponses: { [key]: { action: 'decline' } } });
  const second = await serving(t, { store: own }, run);
  for (let tries = 0; tries < 1000 && (await second.server.tasks.run(taskId)) !== 'ended'; tries++)
    await new Promise<void>((resolve) => void setTimeout(resolve, 5));
  assert.equal(textOf(await second.client.ask('tasks/get', { taskId })), 'decline');
  for (let turn = 0; turn < 1000 && !ends.includes('aborted'); turn++)
    await new Promise<void>((resolve) => void setTimeout(resolve, 5));
  assert.deepEqual(ends.toSorted(), ['aborted', 'went on in run 1']);
});

test('a change that never is answered takes the room of a run for as long as its lease lasts, and not for good', async (t) => {
  const store = memoryTasks();
  for (const hangsAt of [/"status":"completed"/, /"hand":"running"/]) {
    let hangs = true;
    const swap: TaskStore['swap'] = (task) =>
      hangs && hangsAt.test(task.text) ? new Promise(() => (hangs = false)) : store.swap(task);
    const { client } = await serving(
      t,
      { store: { ...store, swap }, leaseTtlMs: 200, limits: { running: 1 } },
      () => 'x',
    );
    await begun(client);
    for (let turn = 0; turn < 1000 && hangs; turn++) await new Promise<void>((resolve) => void setTimeout(resolve, 1));
    assert.equal(hangs, false);
    await whenTask(client, await begun(client), ({ status }) => status === 'completed');
  }
});

test('a drain ends though no call of the store ever does, after a second for each of its last words', async (t) => {
  const store = memoryTasks();
  let hangs = false;
  const never = new Promise<never>(() => undefined);
  const hung = <T>(work: () => Promise<T>): Promise<T> => (hangs ? never : work());
  const hanging: TaskStore = {
    ...store,
    swap: (task) => hung(() => store.swap(task)),
    get: (id) => hung(() => store.get(id)),
  };
  let aborted: AbortSignal | undefined;
  const { server, client } = await serving(t, { store: hanging }, async (ctx) => {
    aborted = ctx.signal;
    return await ctx.elicit({ message: 'a', schema: form });
  });
  const taskId = await begun(client);
  await whenTask(client, taskId, ({ status }) => status === 'input_required');
  hangs = true;
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let isOver = false;
  const drained = server.tasks.drain({ timeoutMs: 0 }).then(() => (isOver = true));
  for (let waits = 0; waits < 100 && !isOver; waits++) {
    await new Promise((resolve) => void setImmediate(resolve));
    t.mock.timers.tick(1000);
  }
  assert.equal(isOver, true);
  await drained;
  assert.equal(aborted?.aborted, true);
  hangs = false;
});

test('an end from outside, or an error, that is longer than a task keeps is refused, and the task stays', async (t) => {
  const { server, client } = await serving(t, { limits: { textLength: 300 } }, (ctx) => ctx.task?.leave());
  const taskId = await begun(client);
  const store = async (): Promise<unknown> => (await client.ask('tasks/get', { taskId }))['status'];
  await whenLeft(server, taskId);
  const long = 'x'.repeat(300);
  await assert.rejects(
    server.tasks.finish(taskId, long),
    /TypeError: the outcome has \d+ characters of JSON; a task keeps 300/,
  );
  await assert.rejects(server.tasks.fail(taskId, new McpError('internalError', long)), TypeError);
  assert.equal(await store(), 'working');
  assert.equal(await server.tasks.finish(taskId, 'short'), true);
});

test('an error of a handler that is longer than a task keeps is cut short', async (t) => {
  const { client } = await serving(t, { limits: { textLength: 2000 } }, () => {
    throw new McpError('internalError', 'é'.repeat(1023) + '😀'.repeat(2000), { data: { more: 'x'.repeat(3000) } });
  });
  const task = await whenTask(client, await begun(client), ({ status }) => status === 'failed');
  assert.deepEqual(task['error'], { code: -32603, message: 'é'.repeat(1023) });
});

test('words from outside are as long as those of a handler may be', async (t) => {
  const { server, client } = await serving(t, {}, (ctx) => ctx.task?.leave());
  const taskId = await begun(client);
  await whenLeft(server, taskId);
  assert.equal(await server.tasks.say(taskId, 'x'.repeat(5000)), true);
  assert.equal((await client.ask('tasks/get', { taskId }))['statusMessage'], 'x'.repeat(1024));
});

test('answers that are too long together are refused, and the question still waits', async (t) => {
  const { client } = await serving(t, { limits: { textLength: 500 } }, async (ctx) => {
    const { content } = await ctx.elicit({ message: 'a', schema: form });
    return content?.name ?? '';
  });
  const taskId = await begun(client);
  const { inputRequests } = await whenTask(client, taskId, ({ status }) => status === 'input_required');
  const [key = ''] = Object.keys(inputRequests as Json);
  const answer = (name: string): Json => ({ [key]: { action: 'accept', content: { name } } });
  const { code, data } = await client.ask('tasks/update', { taskId, inputResponses: answer('x'.repeat(500)) });
  assert.deepEqual([code, data], [-32603, { limit: 500 }]);
  // What nobody asked takes no room.
  const stray = { other: { action: 'accept', content: { name: 'x'.repeat(500) } } };
  assert.equal((await client.ask('tasks/update', { taskId, inputResponses: stray }))['code'], undefined);
  await client.ask('tasks/update', { taskId, inputResponses: answer('short') });
  assert.equal(textOf(await whenTask(client, taskId, ({ status }) => status === 'completed')), 'short');
});

test('what once keeps, and questions, have the same limit, which the handler hears of', async (t) => {
  const { client } = await serving(t, { limits: { textLength: 500 } }, async (ctx) => {
    const refused: unknown[] = [];
    const note = (error: unknown): void => void refused.push((error as McpError).data);
    await ctx.once('long', () => 'x'.repeat(500)).catch(note);
    await ctx.elicit({ message: 'x'.repeat(500), schema: form }).catch(note);
    return JSON.stringify(refused);
  });
  const task = await whenTask(client, await begun(client), ({ status }) => status === 'completed');
  assert.equal(textOf(task), '[{"limit":500},{"limit":500}]');
});

test('counts of tasks are whole numbers, and a poll interval is sent as one', async (t) => {
  const info = { name: 's', version: '1' };
  assert.throws(
    () => createServer(info, { tasks: { limits: { perOwner: 1.5 } } }),
    /limits\.perOwner must be a whole number/,
  );
  const server = createServer(info);
  const task = { support: 'required', attempts: 1.5 } as const;
  assert.throws(
    () => server.tool('t', { task }, () => 'x'),
    /attempts of the task of tool "t" must be a whole number of at least 1, not 1\.5/,
  );
  const { client } = await serving(t, { pollIntervalMs: 0.5 }, () => 'x');
  assert.equal((await client.ask('tools/call', { name: 't' }))['pollIntervalMs'], 1);
});

test('by default a client may ask about tasks a hundred times at once, and ten times a second', async (t) => {
  let now = 0;
  const server = createServer({ name: 's', version: '1' }, { rateLimits: { now: () => now } });
  t.after(() => server.close());
  server.tool('t', { task: 'required' }, () => 'x');
  const client = await taskClient(server, newest);
  const taskId = await begun(client);
  const refused = async (times: number): Promise<number> => {
    const all = await Promise.all(Array.from({ length: times }, async () => await client.ask('tasks/get', { taskId })));
    return all.filter(({ message }) => /too many requests about tasks/.test(String(message))).length;
  };
  assert.equal(await refused(101), 1);
  now = 1000;
  assert.equal(await refused(11), 1);
});

test('over the limit of tasks an optional call of 2026-07-28 just runs, and asks as a call does; all else is refused', async (t) => {
  const server = createServer({ name: 's', version: '1' }, { tasks: { limits: { ofNobody: 1 } } });
  t.after(() => server.close());
  server.tool('t', { task: 'required' }, async () => await new Promise<never>(() => undefined));
  server.tool('quick', { task: { support: 'optional', after: 0 } }, (_, ctx) => String(ctx.task?.id));
  server.tool('asks', { task: { support: 'optional', after: 0 } }, async (_, ctx) =>
    String((await ctx.elicit({ message: 'a', schema: form })).action),
  );
  const client = await taskClient(server, newest);
  await begun(client);
  assert.equal(textOf({ result: await client.ask('tools/call', { name: 'quick' }) }), 'undefined');
  assert.equal((await client.ask('tools/call', { name: 'asks' }))['resultType'], 'input_required');
  const { code, data } = await client.ask('tools/call', { name: 't' });
  assert.deepEqual([code, data], [-32603, { limit: 1 }]);
  const core = await taskClient(server, { revision: '2025-11-25' });
  const refused = await core.ask('tools/call', { name: 'quick', task: {} });
  assert.deepEqual([refused['code'], refused['data']], [-32603, { limit: 1 }]);
});

test('a handler hears that it asks more than a task may', async (t) => {
  const { client } = await serving(t, {}, async (ctx) => {
    const all = Array.from({ length: 33 }, async (_, at) => await ctx.elicit({ message: `${at}`, schema: form }));
    const [first] = await Promise.allSettled(all);
    return first?.status === 'rejected' ? String(first.reason) : 'asked';
  });
  const task = await whenTask(client, await begun(client), ({ status }) => status !== 'working');
  assert.match(String(textOf(task)), /a task may have 32 questions that wait, and ask 256/);
});

test('a run may begin three times where its tool says that it changes nothing, or repeats well', async (t) => {
  const store = memoryTasks();
  const server = createServer({ name: 's', version: '1' }, { tasks: { store, limits: { running: 0 } } });
  t.after(() => server.close());
  const tools = [
    ['plain', {}, 1],
    ['reads', { annotations: { readOnlyHint: true } }, 3],
    ['repeats', { annotations: { idempotentHint: true } }, 3],
    ['writes', { annotations: { readOnlyHint: false } }, 1],
  ] as const;
  for (const [name, more] of tools) server.tool(name, { task: 'required', ...more }, () => 'x');
  server.tool('said', { task: { support: 'required', attempts: 2 }, annotations: { readOnlyHint: true } }, () => 'x');
  const client = await taskClient(server, newest);
  for (const [name, , attempts] of [...tools, ['said', {}, 2] as const]) {
    const { taskId } = await client.ask('tools/call', { name });
    assert.match((await store.get(String(taskId)))?.text ?? '', new RegExp(`"attempts":${attempts},`), name);
  }
});

test('a call that is late becomes no task of a process that drains', async (t) => {
  const server = createServer({ name: 's', version: '1' });
  t.after(() => server.close());
  server.tool('t', { task: { support: 'optional', after: 'background' } }, async (_, ctx) => {
    await server.tasks.drain({ timeoutMs: 0 });
    await ctx.background();
    return String(ctx.task?.id);
  });
  const client = await taskClient(server, newest);
  assert.equal(textOf({ result: await client.ask('tools/call', { name: 't' }) }), 'undefined');
});

test('one client waits for so many results at once, and for another when one has come', async (t) => {
  const server = createServer({ name: 's', version: '1' }, { tasks: { limits: { results: 2 } } });
  t.after(() => server.close());
  server.tool('t', { task: 'required' }, async () => await new Promise<never>(() => undefined));
  const core = { revision: '2025-11-25', network: 'tcp' } as const;
  for (const principal of ['ann', undefined]) {
    const client = await taskClient(server, principal === undefined ? core : { ...core, principal });
    const { task } = await client.ask('tools/call', { name: 't', task: {} });
    const { taskId } = task as Json;
    const waiting = [1, 2].map(async () => await client.ask('tasks/result', { taskId }));
    // Both wait by then: requests of one conversation are read in their order.
    const { code, data } = await client.ask('tasks/result', { taskId });
    assert.deepEqual([code, data], [-32603, { limit: 2 }]);
    const other = await taskClient(server, principal === undefined ? core : { ...core, principal: 'bob' });
    const { task: others } = await other.ask('tools/call', { name: 't', task: {} });
    const beside = other.ask('tasks/result', { taskId: (others as Json)['taskId'] });
    await other.ask('tasks/cancel', { taskId: (others as Json)['taskId'] });
    assert.equal((await beside)['message'], 'the task was cancelled', 'nobody takes the room of others');
    await client.ask('tasks/cancel', { taskId });
    for (const one of waiting) assert.equal((await one)['message'], 'the task was cancelled');
    assert.equal((await client.ask('tasks/result', { taskId }))['message'], 'the task was cancelled');
  }
});

test('a call that cannot become a task for want of a store goes on, and the operator hears why', async (t) => {
  const away = (): Promise<never> => Promise.reject(new Error('the store is away'));
  const errors: unknown[] = [];
  const server = createServer(
    { name: 's', version: '1' },
    { tasks: { store: { ...memoryTasks(), add: away } }, onError: (error) => void errors.push(error) },
  );
  t.after(() => server.close());
  server.tool('t', { task: { support: 'optional', after: 'background' } }, async (_, ctx) => {
    await ctx.background();
    return ctx.task === undefined ? 'a call' : 'a task';
  });
  const client = await taskClient(server, newest);
  assert.equal(textOf({ result: await client.ask('tools/call', { name: 't' }) }), 'a call');
  assert.deepEqual(
    errors.map((error) => (error as Error).message),
    ['the store is away'],
  );
});

test('a task that has ended keeps how it ended, and not what it was asked', async (t) => {
  const store = memoryTasks();
  const { client } = await serving(t, { store }, () => 'an outcome');
  const { taskId } = await client.ask('tools/call', { name: 't', _meta: { 'example.com/what': 'a secret' } });
  await whenTask(client, taskId, ({ status }) => status === 'completed');
  const text = (await store.get(String(taskId)))?.text ?? '';
  assert.match(text, /an outcome/);
  assert.doesNotMatch(text, /a secret|elicitation/);
});
