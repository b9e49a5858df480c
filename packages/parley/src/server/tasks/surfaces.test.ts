import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { extended, taskClient, whenTask, type TaskClient } from '../../../../../test/support/task-client.ts';
import { createHandler } from '../../transports/http/server/fetch.ts';
import { McpError } from '../../protocol/error.ts';
import { metaKey } from '../../protocol/meta.ts';
import { memoryTasks } from '../../storage/memory-tasks.ts';
import type { ToolContext } from '../definition/tool-context.ts';
import type { ServerOptions } from '../definition/options.ts';
import { createServer, type Server } from '../server.ts';

type Json = Readonly<Record<string, unknown>>;

const newest = { revision: '2026-07-28', capabilities: extended } as const;
const core = { revision: '2025-11-25', capabilities: { elicitation: {} } } as const;

function serverWith(t: TestContext, run: (ctx: ToolContext) => unknown, tasks: ServerOptions['tasks'] = {}): Server {
  const rateLimits = { tasks: { perSecond: 1e6, burst: 1e6 } };
  const server = createServer({ name: 's', version: '1' }, { tasks, rateLimits });
  t.after(() => server.close());
  server.tool('t', { task: { support: 'optional', after: 0 } }, async (_, ctx) => (await run(ctx)) as string);
  return server;
}

async function inCore(client: TaskClient): Promise<Json> {
  return (await client.ask('tools/call', { name: 't', task: { ttl: 5000 } }))['task'] as Json;
}

test('a task of 2025-11-25 begins as working, with its times and its life [tasks-011, tasks-014, tasks-023, tasks-024]', async (t) => {
  const client = await taskClient(
    serverWith(t, () => 'x'),
    core,
  );
  const created = await inCore(client);
  const got = await client.ask('tasks/get', { taskId: created['taskId'] });
  assert.deepEqual([created['status'], created['ttl']], ['working', 5000]);
  for (const task of [created, got]) {
    assert.equal(typeof task['ttl'], 'number');
    for (const name of ['createdAt', 'lastUpdatedAt'])
      assert.equal(new Date(String(task[name])).toISOString(), task[name]);
  }
});

test('the result of a task is that of the call, and says of which task it is [tasks-020, tasks-021, tasks-022]', async (t) => {
  const results: readonly (() => unknown)[] = [
    () => 'x',
    () => ({ content: [], isError: true }),
    () => {
      throw new McpError('invalidParams', 'no', { data: { n: 1 } });
    },
  ];
  for (const run of results) {
    const server = serverWith(t, run);
    const client = await taskClient(server, core);
    const call = await client.ask('tools/call', { name: 't' });
    const { taskId } = await inCore(client);
    const result = await client.ask('tasks/result', { taskId });
    if (call['code'] !== undefined) assert.deepEqual(result, call);
    else assert.deepEqual(result, { ...call, _meta: { [metaKey.relatedTask]: { taskId } } });
  }
});

test('a task of 2025-11-25 that failed says why, also where its result says isError [tasks-042]', async (t) => {
  const fails: readonly (() => unknown)[] = [
    () => ({ content: [], isError: true }),
    () => {
      throw new McpError('invalidParams', 'no');
    },
  ];
  for (const run of fails) {
    const client = await taskClient(serverWith(t, run), core);
    const { taskId } = await inCore(client);
    const { status, statusMessage } = await whenTask(client, taskId, (task) => task['status'] !== 'working');
    assert.deepEqual([status, typeof statusMessage], ['failed', 'string']);
  }
});

test('in the extension isError completes a task, and an error fails it with its words [tasks-058, tasks-087, tasks-088, tasks-089]', async (t) => {
  const wrong = await taskClient(
    serverWith(t, () => ({ content: [], isError: true })),
    newest,
  );
  const { taskId } = await wrong.ask('tools/call', { name: 't' });
  const completed = await whenTask(wrong, taskId, ({ status }) => status !== 'working');
  assert.deepEqual([completed['status'], (completed['result'] as Json)['isError']], ['completed', true]);
  const failing = await taskClient(
    serverWith(t, () => {
      throw new McpError('invalidParams', 'no');
    }),
    newest,
  );
  const { taskId: other } = await failing.ask('tools/call', { name: 't' });
  const failed = await whenTask(failing, other, ({ status }) => status !== 'working');
  assert.deepEqual([failed['status'], failed['statusMessage']], ['failed', 'no']);
  assert.deepEqual(failed['error'], { code: -32602, message: 'no' });
});

test('a cancel of 2025-11-25 is answered when it is done, and a second is refused [tasks-036, tasks-038, tasks-039]', async (t) => {
  let end: () => void = () => undefined;
  const client = await taskClient(
    serverWith(t, () => new Promise<string>((resolve) => (end = () => resolve('x')))),
    core,
  );
  const { taskId } = await inCore(client);
  assert.equal((await client.ask('tasks/cancel', { taskId }))['status'], 'cancelled');
  end();
  assert.equal((await client.ask('tasks/get', { taskId }))['status'], 'cancelled');
  assert.equal((await client.ask('tasks/cancel', { taskId }))['code'], -32602);
});

test('params.taskId decides, whatever _meta says [tasks-026]', async (t) => {
  const client = await taskClient(
    serverWith(t, () => 'x'),
    core,
  );
  const [one, other] = [await inCore(client), await inCore(client)];
  const _meta = { [metaKey.relatedTask]: { taskId: other['taskId'] } };
  assert.equal((await client.ask('tasks/get', { taskId: one['taskId'], _meta }))['taskId'], one['taskId']);
});

test('a list has pages, with all tasks of its owner and no other [tasks-033, tasks-034, tasks-035, tasks-043, D23]', async (t) => {
  const server = createServer({ name: 's', version: '1' }, { pageSize: 2 });
  t.after(() => server.close());
  server.tool('t', { task: 'optional' }, () => 'x');
  const [ann, bob] = [
    await taskClient(server, { ...core, principal: 'ann' }),
    await taskClient(server, { ...core, principal: 'bob' }),
  ];
  const made = new Set<unknown>();
  for (let n = 0; n < 5; n++) made.add((await inCore(ann))['taskId']);
  const found = new Set<unknown>();
  let cursor: unknown;
  do {
    const page = await ann.ask('tasks/list', cursor === undefined ? {} : { cursor });
    const tasks = page['tasks'] as readonly Json[];
    assert.ok(tasks.length <= 2);
    for (const { taskId } of tasks) found.add(taskId);
    cursor = page['nextCursor'];
    if (cursor !== undefined) assert.equal((await bob.ask('tasks/list', { cursor }))['code'], -32602);
  } while (cursor !== undefined);
  assert.deepEqual(found, made);
  assert.deepEqual((await bob.ask('tasks/list'))['tasks'], []);
  const [taskId] = made;
  for (const method of ['get', 'result', 'cancel']) {
    const foreign = await bob.ask(`tasks/${method}`, { taskId });
    assert.deepEqual(foreign, await bob.ask(`tasks/${method}`, { taskId: 'x'.repeat(24) }));
    assert.equal(foreign['code'], -32602);
  }
});

/** Sends requests of 2026-07-28 over HTTP, as whom `Authorization` says. */
function overHttp(
  server: Server,
): (method: string, params: Json, sent?: Json & { signal?: AbortSignal }) => Promise<Response> {
  const handler = createHandler(server, {
    authenticate: (request) => ({ principal: request.header('authorization') ?? '' }),
  });
  const meta = { [metaKey.protocolVersion]: newest.revision, [metaKey.clientCapabilities]: extended };
  return async (method, params, { signal, ...headers } = {}) =>
    await handler(
      new Request('http://127.0.0.1/mcp', {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': newest.revision,
          'mcp-method': method,
          'mcp-name': String(params['taskId'] ?? params['name']),
          authorization: 'ann',
          ...headers,
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { _meta: meta, ...params } }),
        ...(signal === undefined ? {} : { signal }),
      }),
    );
}

test('over HTTP a task is named by its header, and its principal alone reaches it [tasks-082, tasks-083, tasks-096, B01, B17]', async (t) => {
  const server = serverWith(t, () => new Promise(() => undefined));
  const send = overHttp(server);
  const seen = async (...request: Parameters<typeof send>): Promise<readonly [number, Json]> => {
    const response = await send(...request);
    return [response.status, (await response.json()) as Json];
  };
  const [, { result }] = await seen('tools/call', { name: 't' });
  const { taskId } = result as Json;
  for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
    const params = { taskId, inputResponses: {} };
    const [wrong, { error }] = await seen(method, params, { 'mcp-name': 'other' });
    assert.deepEqual([wrong, (error as Json)['code']], [400, -32020]);
    const [foreign, body] = await seen(method, params, { authorization: 'bob' });
    assert.equal((body['error'] as Json)['code'], -32602);
    assert.deepEqual(await seen(method, { ...params, taskId: 'x'.repeat(24) }), [foreign, body]);
    const bare = { [metaKey.protocolVersion]: newest.revision, [metaKey.clientCapabilities]: {} };
    const [undeclared, { error: lacks }] = await seen(method, { ...params, _meta: bare });
    assert.deepEqual([undeclared, (lacks as Json)['code']], [400, -32021]);
    assert.equal((await seen(method, params))[0], 200);
  }
});

test('who goes before the task is told over HTTP leaves none that runs', async (t) => {
  const store = memoryTasks();
  let added: () => void = () => undefined;
  let go: () => void = () => undefined;
  const isAdded = new Promise<void>((resolve) => (added = resolve));
  const mayGo = new Promise<void>((resolve) => (go = resolve));
  const ids: string[] = [];
  let runs = 0;
  const server = serverWith(t, () => String(runs++), {
    store: {
      ...store,
      add: async (task, most) => {
        const outcome = await store.add(task, most);
        ids.push(task.id);
        added();
        await mayGo;
        return outcome;
      },
    },
  });
  const gone = new AbortController();
  const call = overHttp(server)('tools/call', { name: 't' }, { signal: gone.signal }).catch(() => undefined);
  await isAdded;
  gone.abort();
  go();
  await call;
  const status = async (): Promise<unknown> =>
    (JSON.parse((await store.get(String(ids[0])))?.text ?? '{}') as Json)['status'];
  for (let turns = 0; turns < 100 && (await status()) === 'working'; turns++)
    await new Promise<void>((resolve) => void setTimeout(resolve, 0));
  assert.deepEqual([await status(), runs], ['cancelled', 0]);
});
