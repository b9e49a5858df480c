/** Questions that a task puts again, in one run or in the next. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { extended, taskClient, whenTask, type TaskClient } from '../../../../../test/support/task-client.ts';
import { memoryTasks } from '../../storage/memory-tasks.ts';
import type { ToolContext } from '../definition/tool-context.ts';
import { createServer, type Server } from '../server.ts';
import type { TaskOptions } from '../definition/task-definition.ts';

type Json = Readonly<Record<string, unknown>>;

const form = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } as const;
const newest = { revision: '2026-07-28', capabilities: extended } as const;

function serverWith(tasks: TaskOptions, run: (ctx: ToolContext) => unknown): Server {
  const rateLimits = { tasks: { perSecond: 1e6, burst: 1e6 } };
  const server = createServer({ name: 's', version: '1' }, { tasks, rateLimits });
  server.tool('t', { task: { support: 'required', attempts: 2 } }, async (_, ctx) => (await run(ctx)) as string);
  return server;
}

async function begun(client: TaskClient): Promise<string> {
  return String((await client.ask('tools/call', { name: 't' }))['taskId']);
}

/** Answers all that a task asks, and gives the keys. */
async function answer(client: TaskClient, taskId: string, name: string): Promise<readonly string[]> {
  const { inputRequests } = await whenTask(client, taskId, ({ status }) => status === 'input_required');
  const keys = Object.keys(inputRequests as Json);
  const inputResponses = Object.fromEntries(keys.map((key) => [key, { action: 'accept', content: { name } }]));
  await client.ask('tasks/update', { taskId, inputResponses });
  return keys;
}

function textOf({ result }: Json): unknown {
  return ((result as Json)['content'] as readonly Json[])[0]?.['text'];
}

/** Asks by hand for a name until it is a good one. */
function manual({ inputResponses, task }: ToolContext): unknown {
  const given = inputResponses?.['q'] as { readonly content?: { readonly name?: string } } | undefined;
  const question = { method: 'elicitation/create', params: { message: 'name?', requestedSchema: form } };
  if (given?.content?.name === 'good') return `good in run ${task?.attempt}`;
  return { resultType: 'input_required', inputRequests: { q: question } };
}

test('who drives rounds by hand asks the same question again under the same key, and is given the new answer', async (t) => {
  const store = memoryTasks();
  const [first, second] = [serverWith({ store }, manual), serverWith({ store }, manual)];
  t.after(() => Promise.all([first.close(), second.close()]));
  const client = await taskClient(first, newest);
  const taskId = await begun(client);
  assert.deepEqual(await answer(client, taskId, 'bad'), ['q']);
  // Spec ext-tasks: a key is used once in the life of a task.
  const again = await whenTask(client, taskId, ({ inputRequests }) => 'q~2' in ((inputRequests as Json) ?? {}));
  assert.deepEqual(Object.keys(again['inputRequests'] as Json), ['q~2']);
  // Another process begins again, and asks what was not answered.
  await first.tasks.drain({ timeoutMs: 0 });
  const other = await taskClient(second, newest);
  assert.deepEqual(await answer(other, taskId, 'good'), ['q~2']);
  assert.equal(textOf(await whenTask(other, taskId, ({ status }) => status === 'completed')), 'good in run 1');
});

test('a run that begins again finds as many answers as a task may have', async (t) => {
  const store = memoryTasks();
  const run = async (ctx: ToolContext): Promise<string> => {
    for (let round = 0; round < 8; round++) {
      const asking = Array.from({ length: 32 }, (_, at) => ctx.elicit({ message: `${round} ${at}`, schema: form }));
      await Promise.all(asking);
    }
    if (ctx.task?.attempt === 1) await new Promise<never>(() => undefined);
    return `answered in run ${ctx.task?.attempt}`;
  };
  const [first, second] = [serverWith({ store }, run), serverWith({ store }, run)];
  t.after(() => Promise.all([first.close(), second.close()]));
  const client = await taskClient(first, newest);
  const taskId = await begun(client);
  for (let round = 0; round < 8; round++) await answer(client, taskId, 'x');
  // It goes on with the last one, and then its process goes away.
  for (let tries = 0; tries < 1000 && /"replays"/.test((await store.get(taskId))?.text ?? ''); tries++)
    await new Promise<void>((resolve) => void setTimeout(resolve, 1));
  await first.tasks.drain({ timeoutMs: 0 });
  const other = await taskClient(second, newest);
  const ended = await whenTask(other, taskId, ({ status }) => status === 'completed' || status === 'failed');
  assert.equal(textOf(ended), 'answered in run 2');
});

test('what a call learned before it became a task is kept under any name', async (t) => {
  const store = memoryTasks();
  const names = ['__proto__', 'constructor', 'plain'];
  let effects = 0;
  const server = serverWith({ store }, () => 'x');
  server.tool('later', { task: { support: 'optional', after: 'background' } }, async (_, ctx) => {
    for (const name of names) await ctx.once(name, () => ++effects);
    await ctx.background();
    return await new Promise<never>(() => undefined);
  });
  t.after(() => server.close());
  const client = await taskClient(server, newest);
  const { taskId } = await client.ask('tools/call', { name: 'later' });
  const { once } = JSON.parse((await store.get(String(taskId)))?.text ?? '') as Json;
  assert.deepEqual(Object.keys(once as Json), names);
});

test('a question of a task may have any key', async (t) => {
  const names = ['__proto__', 'constructor', 'toString', 'plain'];
  const server = serverWith({ store: memoryTasks() }, async (ctx) => {
    const given: unknown[] = [];
    for (const key of names) given.push(await ctx.elicit({ message: key, schema: form }, { key }));
    return given.map((one) => Object(one)['content'].name).join();
  });
  t.after(() => server.close());
  const client = await taskClient(server, newest);
  const taskId = await begun(client);
  const asked: (readonly string[])[] = [];
  for (const name of names) asked.push(await answer(client, taskId, name));
  assert.deepEqual(asked.flat(), names);
  assert.equal(textOf(await whenTask(client, taskId, ({ status }) => status === 'completed')), names.join());
});
