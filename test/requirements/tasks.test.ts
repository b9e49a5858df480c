/** What tasks of 2025-11-25 ask of who receives the request. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { createHandler } from '../../packages/parley/src/http.ts';
import { metaKey } from '../../packages/parley/src/protocol/meta.ts';
import { memoryTasks } from '../../packages/parley/src/storage/memory-tasks.ts';
import { openSession } from '../support/open-session.ts';
import { taskClient, whenTask } from '../support/task-client.ts';
import { beginTask, form, gate, named, taskServer, type Json } from '../support/task-server.ts';

const core = { revision: '2025-11-25', capabilities: { elicitation: {} } } as const;
const wish = { task: {} } as const;
const never = new Promise<never>(() => undefined);

test('a task has a name of its own, which the receiver makes, of letters that nobody guesses [tasks-010, tasks-044, tasks-095]', async (t) => {
  const client = await taskClient(
    taskServer(t, () => 'x'),
    core,
  );
  const ids: string[] = [];
  for (let n = 0; n < 100; n++) ids.push(String((await beginTask(client, wish))['taskId']));
  assert.equal(new Set(ids).size, ids.length);
  for (const id of ids) assert.match(id, /^[\w-]{24}$/);
  // 24 characters of 64 kinds: none of the 6 bits of any of them is the same in all ids.
  for (let at = 0; at < 24; at++) assert.ok(new Set(ids.map((id) => id[at])).size > 16, `character ${at}`);
});

test('a task is answered while its handler still runs, and asked for by request [tasks-015, B08]', async (t) => {
  const client = await taskClient(
    taskServer(t, () => never),
    core,
  );
  assert.equal((await beginTask(client, wish))['status'], 'working');
});

test('every message of a task says of which it is, and what asks for the task does not [tasks-025, tasks-027]', async (t) => {
  const server = taskServer(t, async (ctx) => {
    const { action } = await ctx.elicit({ message: 'a', schema: form });
    ctx.progress(1, 2);
    ctx.log('error', 'b');
    return action;
  });
  const client = await taskClient(server, { ...core, answer: () => named });
  const { taskId } = await beginTask(client, { ...wish, _meta: { progressToken: 'p' } });
  const related = { [metaKey.relatedTask]: { taskId } };
  const result = await client.ask('tasks/result', { taskId });
  assert.deepEqual(result['_meta'], related);
  const metas = new Map(client.heard.map(({ method, params }) => [method, (params as Json)['_meta']]));
  for (const method of ['elicitation/create', 'notifications/progress', 'notifications/message'])
    assert.deepEqual(metas.get(method), related, method);
  assert.equal(metas.has('notifications/tasks/status'), true);
  assert.equal(metas.get('notifications/tasks/status'), undefined);
  const other = await beginTask(client, wish);
  for (const one of [
    await client.ask('tasks/get', { taskId }),
    await client.ask('tasks/list'),
    await client.ask('tasks/cancel', { taskId: other['taskId'] }),
  ])
    assert.equal(JSON.stringify(one).includes(metaKey.relatedTask), false);
});

test('a task that needs input says so, and works again when it has it [tasks-028, tasks-030]', async (t) => {
  const answered = gate();
  const server = taskServer(t, async (ctx) => {
    await ctx.elicit({ message: 'a', schema: form });
    answered.open();
    return await never;
  });
  const asked = gate();
  const client = await taskClient(server, { ...core, answer: () => (asked.open(), named) });
  const { taskId } = await beginTask(client, wish);
  await whenTask(client, taskId, ({ status }) => status === 'input_required');
  void client.ask('tasks/result', { taskId }).catch(() => undefined);
  await asked.opened;
  await answered.opened;
  assert.equal((await client.ask('tasks/get', { taskId }))['status'], 'working');
});

test('tasks/get over HTTP is answered with JSON, and with no stream [tasks-031]', async (t) => {
  const handler = createHandler(taskServer(t, () => never));
  t.after(() => handler.close());
  const { post } = await openSession(handler, core.revision, core.capabilities);
  const { result } = (await (await post('tools/call', { name: 't', ...wish })).json()) as { result: Json };
  const response = await post('tasks/get', { taskId: (result['task'] as Json)['taskId'] });
  assert.match(response.headers.get('content-type') ?? '', /^application\/json/);
});

test('a cancel stops the work: its signal is aborted [tasks-037]', async (t) => {
  const [runs, aborted] = [gate(), gate()];
  const server = taskServer(t, async (ctx) => {
    ctx.signal.addEventListener('abort', aborted.open);
    runs.open();
    return await never;
  });
  const client = await taskClient(server, core);
  const { taskId } = await beginTask(client, wish);
  await runs.opened;
  await client.ask('tasks/cancel', { taskId });
  await aborted.opened;
});

test('an unknown task or cursor is a wrong parameter, and a store that fails an internal error [tasks-041]', async (t) => {
  const away = (): Promise<never> => Promise.reject(new Error('secret of the store'));
  const client = await taskClient(
    taskServer(t, () => 'x'),
    core,
  );
  const failing = await taskClient(
    taskServer(t, () => 'x', { tasks: { store: { ...memoryTasks(), get: away, list: away, add: away } } }),
    core,
  );
  const taskId = 'x'.repeat(24);
  for (const method of ['tasks/get', 'tasks/result', 'tasks/cancel']) {
    assert.equal((await client.ask(method, { taskId }))['code'], -32602, method);
    const { code, message } = await failing.ask(method, { taskId });
    assert.deepEqual([code, String(message).includes('secret')], [-32603, false], method);
  }
  assert.equal((await client.ask('tasks/list', { cursor: 'x' }))['code'], -32602);
  assert.equal((await failing.ask('tasks/list'))['code'], -32603);
  assert.equal((await beginTask(failing, wish))['code'], -32603);
});

test('who asks about tasks too often is told to wait [tasks-047]', async (t) => {
  const rateLimits = { tasks: { perSecond: 0.001, burst: 2 } };
  const client = await taskClient(
    taskServer(t, () => never, { rateLimits }),
    core,
  );
  const { taskId } = await beginTask(client, wish);
  for (let n = 0; n < 2; n++) assert.equal((await client.ask('tasks/get', { taskId }))['status'], 'working');
  assert.match(String((await client.ask('tasks/get', { taskId }))['message']), /too many requests about tasks/);
});

test('an owner has so many tasks at once, none lives longer than may be, and what expired is gone [tasks-048]', async (t) => {
  const tasks = { limits: { perOwner: 2 }, maxTtlMs: 60_000 };
  const client = await taskClient(
    taskServer(t, () => never, { tasks }),
    { ...core, principal: 'ann' },
  );
  const { ttl } = await beginTask(client, { task: { ttl: 1e9 } });
  assert.equal(ttl, 60_000);
  const { taskId } = await beginTask(client, { task: { ttl: 1 } });
  const gone = await whenTask(client, taskId, ({ code }) => code !== undefined);
  assert.equal(gone['code'], -32602);
  await beginTask(client, wish);
  const { code, data } = await client.ask('tools/call', { name: 't', ...wish });
  assert.deepEqual([code, data], [-32603, { limit: 2 }]);
});

test('the documentation says that an id is all that guards a task without a principal [tasks-045]', () => {
  const page = readFileSync(new URL('../../docs/tasks.md', import.meta.url), 'utf8');
  assert.match(
    page,
    /A task belongs to the principal of its request\. Without one its id, of 144 random bits, is the only key\./,
  );
});
