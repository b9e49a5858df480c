import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { extended, taskClient, whenTask, type TaskClientOptions } from '../../../../../test/support/task-client.ts';
import type { AuthInfo } from '../runtime/request-handler.ts';
import type { ToolContext } from '../definition/tool-context.ts';
import { createServer, type Server } from '../server.ts';
import type { TaskSupport } from '../definition/task-definition.ts';

type Json = Readonly<Record<string, unknown>>;

const unlimited = { rateLimits: { tasks: { perSecond: 1e6, burst: 1e6 } } };
const form = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } as const;
const answer = (): Json => ({ action: 'accept', content: { name: 'ann' } });

function serverWith(task: TaskSupport, run: (ctx: ToolContext) => unknown): Server {
  const server = createServer({ name: 's', version: '1' }, unlimited);
  server.tool('t', { task }, async (_, ctx) => JSON.stringify(await run(ctx)));
  return server;
}

/** Calls the tool as a plain call would be, whatever it takes: rounds, a task of either surface. */
async function outcome(server: Server, options: TaskClientOptions, wish: Json = {}): Promise<unknown> {
  const client = await taskClient(server, { ...options, answer });
  let result = await client.ask('tools/call', { name: 't', ...wish });
  while (result['resultType'] === 'input_required') {
    const { inputRequests, requestState } = result;
    const inputResponses = Object.fromEntries(Object.keys(inputRequests as Json).map((key) => [key, answer()]));
    result = await client.ask('tools/call', { name: 't', inputResponses, requestState });
  }
  if (result['task'] !== undefined)
    return textOf(await client.ask('tasks/result', { taskId: (result['task'] as Json)['taskId'] }));
  if (result['resultType'] !== 'task') return textOf(result);
  const { taskId } = result;
  for (;;) {
    const task = await whenTask(client, taskId, ({ status }) => status !== 'working');
    if (task['status'] !== 'input_required') return textOf(task['result'] as Json);
    const keys = Object.keys(task['inputRequests'] as Json);
    await client.ask('tasks/update', {
      taskId,
      inputResponses: Object.fromEntries(keys.map((key) => [key, answer()])),
    });
  }
}

function textOf({ content }: Json): unknown {
  const [block] = content as readonly Json[];
  return block?.['text'];
}

const handlers: Readonly<Record<string, (ctx: ToolContext) => unknown>> = {
  'that returns': () => 'x',
  'that asks one thing after the other': async (ctx) => [
    await ctx.elicit({ message: 'a', schema: form }),
    await ctx.elicit({ message: 'b', schema: form }),
  ],
  'that asks at once': async (ctx) =>
    await Promise.all([
      ctx.elicit({ message: 'a', schema: form }, { key: 'a' }),
      ctx.elicit({ message: 'b', schema: form }),
    ]),
  'that keeps an effect and asks': async (ctx) => [
    await ctx.once('e', () => 7),
    await ctx.elicit({ message: 'a', schema: form }),
    await ctx.once('f', () => 8),
  ],
  'that goes on in the background': async (ctx) => {
    const first = await ctx.elicit({ message: 'a', schema: form });
    await ctx.background();
    return [first, await ctx.elicit({ message: 'b', schema: form })];
  },
};

const ways: readonly (readonly [string, TaskSupport, TaskClientOptions, Json?])[] = [
  ['as a call of 2025-06-18', 'optional', { revision: '2025-06-18', capabilities: { elicitation: {} } }],
  ['as a call of 2025-11-25', 'optional', { revision: '2025-11-25', capabilities: { elicitation: {} } }],
  ['as a task of 2025-11-25', 'optional', { revision: '2025-11-25', capabilities: { elicitation: {} } }, { task: {} }],
  ['as a call of 2026-07-28', 'optional', { revision: '2026-07-28', capabilities: { elicitation: {} } }],
  ['as a call that may become a task', 'optional', { revision: '2026-07-28', capabilities: extended }],
  ['as a task at once', 'required', { revision: '2026-07-28', capabilities: extended }],
  [
    'as a task when it says so',
    { support: 'required', after: 'background' },
    { revision: '2026-07-28', capabilities: extended },
  ],
];

describe('one handler gives the same result in every way in which it is called', () => {
  for (const [name, run] of Object.entries(handlers))
    test(`one ${name}`, async (t) => {
      const results = new Map<string, unknown>();
      for (const [way, task, options, wish] of ways) {
        const server = serverWith(task, run);
        t.after(() => server.close());
        results.set(way, await outcome(server, options, wish));
      }
      const [first] = results.values();
      for (const [way, result] of results) assert.equal(result, first, way);
    });
});

test('a call becomes a task when it takes long, and its run goes on where it is', async (t) => {
  let go: () => void = () => undefined;
  let runs = 0;
  const server = serverWith({ support: 'optional', after: 5 }, async (ctx) => {
    runs++;
    const before = ctx.task;
    await new Promise<void>((resolve) => (go = resolve));
    ctx.progress(1, 2, 'half');
    return [before === undefined, ctx.task?.attempt];
  });
  t.after(() => server.close());
  const client = await taskClient(server, { revision: '2026-07-28', capabilities: extended });
  const { taskId, resultType } = await client.ask('tools/call', { name: 't' });
  assert.equal(resultType, 'task');
  go();
  const task = await whenTask(client, taskId, ({ status }) => status === 'completed');
  assert.equal(textOf(task['result'] as Json), '[true,1]');
  assert.deepEqual([runs, task['statusMessage']], [1, '1 of 2: half']);
});

test('a client that goes before it hears of its task leaves none behind', async (t) => {
  const signals: AbortSignal[] = [];
  const server = serverWith({ support: 'optional', after: 5 }, async (ctx) => {
    signals.push(ctx.signal);
    await new Promise<void>((resolve) => ctx.signal.addEventListener('abort', () => resolve()));
  });
  t.after(() => server.close());
  const client = await taskClient(server, { revision: '2026-07-28', capabilities: extended });
  client.ask('tools/call', { name: 't' }).catch(() => undefined);
  await new Promise<void>((resolve) => void setTimeout(resolve, 0));
  client.close();
  const [signal] = signals;
  assert.equal(signal?.aborted, true);
});

test('a cancelled task stays cancelled, and its handler hears of it', async (t) => {
  let reason: unknown;
  let end: () => void = () => undefined;
  const server = serverWith('required', async (ctx) => {
    await new Promise<void>((resolve) => ctx.signal.addEventListener('abort', () => resolve()));
    reason = ctx.signal.reason;
    end();
    return 'all the same';
  });
  t.after(() => server.close());
  const client = await taskClient(server, { revision: '2026-07-28', capabilities: extended });
  const { taskId } = await client.ask('tools/call', { name: 't' });
  await whenTask(client, taskId, ({ status }) => status === 'working');
  const ended = new Promise<void>((resolve) => (end = resolve));
  assert.equal((await client.ask('tasks/cancel', { taskId }))['resultType'], 'complete');
  await ended;
  assert.match(String(reason), /cancelled/);
  assert.equal((await client.ask('tasks/get', { taskId }))['status'], 'cancelled');
  assert.equal((await client.ask('tasks/cancel', { taskId }))['resultType'], 'complete');
});

test('work that a handler leaves is ended from outside, and by nobody else', async (t) => {
  const server = createServer({ name: 's', version: '1' }, unlimited);
  t.after(() => server.close());
  const ids: string[] = [];
  server.tool(
    't',
    { task: 'required', output: { type: 'object', properties: { n: { type: 'number' } } } },
    (_, ctx) => {
      ids.push(ctx.task?.id ?? '');
      return ctx.task?.leave() ?? { n: 0 };
    },
  );
  const client = await taskClient(server, { revision: '2026-07-28', capabilities: extended });
  const { taskId } = await client.ask('tools/call', { name: 't' });
  for (let tries = 0; !(await server.tasks.say(String(taskId), 'soon')) && tries < 1000; tries++)
    await new Promise<void>((resolve) => void setTimeout(resolve, 1));
  assert.deepEqual(ids, [taskId]);
  assert.equal((await client.ask('tasks/get', { taskId }))['statusMessage'], 'soon');
  await assert.rejects(server.tasks.finish(String(taskId), { n: 'no number' }), TypeError);
  assert.equal(await server.tasks.finish(String(taskId), { n: 7 }), true);
  assert.equal(await server.tasks.finish(String(taskId), { n: 8 }), false);
  const { result } = await client.ask('tasks/get', { taskId });
  assert.deepEqual((result as Json)['structuredContent'], { n: 7 });
});

test('left work of a tool that only some may see is ended as that of any other', async (t) => {
  const server = createServer({ name: 's', version: '1' }, unlimited);
  t.after(() => server.close());
  const visible = (auth: AuthInfo | undefined): boolean => auth?.principal === 'ann';
  server.tool('t', { task: 'required', visible }, (_, ctx) => ctx.task?.leave() ?? 'no task');
  const client = await taskClient(server, { revision: '2026-07-28', capabilities: extended, principal: 'ann' });
  const { taskId } = await client.ask('tools/call', { name: 't' });
  for (let tries = 0; !(await server.tasks.say(String(taskId), 'soon')) && tries < 1000; tries++)
    await new Promise<void>((resolve) => void setTimeout(resolve, 1));
  assert.equal(await server.tasks.finish(String(taskId), 'done'), true);
  assert.equal(textOf((await client.ask('tasks/get', { taskId }))['result'] as Json), 'done');
});

test('a listener hears of every change of the tasks that are its own', async (t) => {
  const server = serverWith('required', async (ctx) => await ctx.elicit({ message: 'a', schema: form }));
  t.after(() => server.close());
  const client = await taskClient(server, { revision: '2026-07-28', capabilities: extended, principal: 'ann' });
  const { taskId } = await client.ask('tools/call', { name: 't' });
  const listener = await taskClient(server, { revision: '2026-07-28', capabilities: extended, principal: 'ann' });
  void listener.ask('subscriptions/listen', { notifications: { taskIds: [taskId, 'foreign'] } }).catch(() => undefined);
  const task = await whenTask(client, taskId, ({ status }) => status === 'input_required');
  const [key = ''] = Object.keys(task['inputRequests'] as Json);
  await client.ask('tasks/update', { taskId, inputResponses: { [key]: answer() } });
  await whenTask(client, taskId, ({ status }) => status === 'completed');
  const [acknowledged = {}, ...told] = listener.heard;
  assert.deepEqual((acknowledged['params'] as Json)['notifications'], { taskIds: [taskId] });
  const statuses = told.map(({ params }) => (params as Json)['status']);
  assert.deepEqual([statuses.includes('input_required'), statuses.at(-1)], [true, 'completed']);
  listener.close();
});

test('a call whose question could not be asked becomes a task all the same', async (t) => {
  const server = serverWith({ support: 'optional', after: 'background' }, async (ctx) => {
    const error = await ctx.elicit({ message: 'n?', schema: form }).catch((failure: Error) => failure.name);
    await ctx.background();
    return [error, ctx.task === undefined];
  });
  t.after(() => server.close());
  const { extensions } = extended;
  const client = await taskClient(server, { revision: '2026-07-28', capabilities: { extensions } });
  const { taskId, resultType } = await client.ask('tools/call', { name: 't' });
  assert.equal(resultType, 'task');
  const task = await whenTask(client, taskId, ({ status }) => status === 'completed');
  assert.equal(textOf(task['result'] as Json), '["McpError",false]');
});

test('messages and progress of a task are for the session that asked for it, at the level that it wants', async (t) => {
  let go: () => void = () => undefined;
  const server = serverWith('required', async (ctx) => {
    await new Promise<void>((resolve) => (go = resolve));
    ctx.log('debug', 'low');
    ctx.log('error', 'high');
    ctx.progress(1);
  });
  t.after(() => server.close());
  const core = { revision: '2025-11-25', principal: 'ann' };
  const [maker, other] = [await taskClient(server, core), await taskClient(server, core)];
  await maker.ask('logging/setLevel', { level: 'error' });
  const { task } = await maker.ask('tools/call', { name: 't', task: {}, _meta: { progressToken: 7 } });
  const { taskId } = task as Json;
  const result = other.ask('tasks/result', { taskId });
  await other.ask('tasks/get', { taskId });
  go();
  await result;
  const said = ({ heard }: typeof maker): unknown[] =>
    heard
      .filter(({ method }) => method !== 'notifications/tasks/status')
      .map(({ params }) => (params as Json)['data'] ?? (params as Json)['progressToken']);
  assert.deepEqual([said(maker), said(other)], [['high', 7], []]);
});

test('the result of a task that has ended takes no place of those that wait', async (t) => {
  const server = createServer({ name: 's', version: '1' }, { ...unlimited, tasks: { limits: { results: 1 } } });
  t.after(() => server.close());
  server.tool('slow', { task: 'required' }, async (_, ctx) => {
    await new Promise((resolve) => ctx.signal.addEventListener('abort', resolve));
  });
  server.tool('quick', { task: 'required' }, () => 'done');
  const client = await taskClient(server, { revision: '2025-11-25' });
  const begin = async (name: string): Promise<unknown> =>
    ((await client.ask('tools/call', { name, task: {} }))['task'] as Json)['taskId'];
  const [slow, quick] = [await begin('slow'), await begin('quick')];
  const waiting = client.ask('tasks/result', { taskId: slow });
  await whenTask(client, quick, ({ status }) => status === 'completed');
  assert.equal(textOf(await client.ask('tasks/result', { taskId: quick })), 'done');
  await client.ask('tasks/cancel', { taskId: slow });
  await waiting;
});
