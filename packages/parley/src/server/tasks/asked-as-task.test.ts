import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { name } from '../../../../../test/support/asked-client.ts';
import { taskClient, whenTask, type TaskClient } from '../../../../../test/support/task-client.ts';
import { until } from '../../../../../test/support/turns.ts';
import { metaKey } from '../../protocol/meta.ts';
import { createServer, type Server } from '../server.ts';

type Json = Readonly<Record<string, unknown>>;

const capabilities = { elicitation: {}, tasks: { cancel: {}, requests: { elicitation: { create: {} } } } };
const ada = { action: 'accept', content: { name: 'Ada' } };

function serverWith(t: TestContext): Server {
  const rateLimits = { tasks: { perSecond: 1e6, burst: 1e6 } };
  const server = createServer({ name: 's', version: '1' }, { rateLimits });
  t.after(() => server.close());
  server.tool('t', { task: 'optional' }, async (_, ctx) =>
    JSON.stringify(await ctx.elicit({ message: 'Who?', schema: name }, { task: { ttlMs: 600_000 } })),
  );
  return server;
}

interface ServerCore extends TaskClient {
  /** What the server asked, in order. */
  readonly asked: { readonly method: string; readonly params: Json }[];
  /** The states of the task of this client. */
  status: string;
}

/** A client that hosts one task. */
async function host(server: Server, status: string): Promise<ServerCore> {
  const asked: { method: string; params: Json }[] = [];
  const times = { createdAt: '2026-01-01T00:00:00Z', lastUpdatedAt: '2026-01-01T00:00:00Z' };
  const one: { status: string } = { status };
  const client = await taskClient(server, {
    revision: '2025-11-25',
    capabilities,
    answer: (method, params) => {
      asked.push({ method, params });
      const task = { taskId: 'hosted', status: one.status, ...times, ttl: null, pollInterval: 1 };
      if (method === 'elicitation/create') return { task };
      return method === 'tasks/result' ? ada : task;
    },
  });
  return Object.assign(one, { ...client, asked });
}

const begun = async (client: TaskClient): Promise<unknown> =>
  ((await client.ask('tools/call', { name: 't', task: {} }))['task'] as Json)['taskId'];
const methods = ({ asked }: ServerCore): readonly string[] => asked.map(({ method }) => method);

test('a task asks its client for a task, in its own name, and ends with its result [tasks-025, tasks-027]', async (t) => {
  const client = await host(serverWith(t), 'completed');
  const taskId = await begun(client);
  const { content } = await client.ask('tasks/result', { taskId });
  assert.deepEqual(JSON.parse((content as { text: string }[])[0]?.text ?? ''), ada);
  assert.deepEqual(methods(client), ['elicitation/create', 'tasks/get', 'tasks/result']);
  const [question, look] = client.asked;
  assert.deepEqual(question?.params['task'], { ttl: 600_000 });
  assert.partialDeepStrictEqual(question?.params['_meta'], { [metaKey.relatedTask]: { taskId } });
  assert.deepEqual(look?.params, { taskId: 'hosted' });
});

test('a client that comes back in another conversation is asked for the same task, not for another', async (t) => {
  const server = serverWith(t);
  const before = await host(server, 'working');
  const taskId = await begun(before);
  void before.ask('tasks/result', { taskId }).catch(() => undefined);
  await until(() => methods(before).includes('tasks/get'), 'a look');
  before.close();
  const again = await host(server, 'completed');
  const { content } = await again.ask('tasks/result', { taskId });
  assert.deepEqual(JSON.parse((content as { text: string }[])[0]?.text ?? ''), ada);
  assert.deepEqual(methods(again), ['tasks/get', 'tasks/result']);
  assert.ok(!methods(before).includes('tasks/cancel'));
});

test('a task that is cancelled while its client waits for the result cancels that of the client, once', async (t) => {
  const client = await host(serverWith(t), 'working');
  const taskId = await begun(client);
  const result = client.ask('tasks/result', { taskId });
  await until(() => methods(client).includes('tasks/get'), 'a look');
  await client.ask('tasks/cancel', { taskId });
  assert.equal((await result)['code'], -32603);
  await until(() => methods(client).includes('tasks/cancel'), 'a cancel');
  assert.deepEqual(
    methods(client).filter((method) => method === 'tasks/cancel'),
    ['tasks/cancel'],
  );
});

test('a task that is cancelled while nobody waits cancels that of its client', async (t) => {
  const client = await host(serverWith(t), 'working');
  const taskId = await begun(client);
  void client.ask('tasks/result', { taskId }).catch(() => undefined);
  await until(() => methods(client).includes('tasks/get'), 'a look');
  await client.tell('notifications/cancelled', { requestId: 3 });
  const looks = methods(client).length;
  await client.ask('tasks/cancel', { taskId });
  await until(() => methods(client).includes('tasks/cancel'), 'a cancel');
  assert.ok(methods(client).length <= looks + 2);
  await whenTask(client, taskId, ({ status }) => status === 'cancelled');
});
