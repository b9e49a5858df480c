/** Tasks of servers between us and the official SDK, whose two ends have them as an experiment, and its example server. */

import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { test, type TestContext } from 'node:test';
import { connect, TaskCancelledError, type Client, type ConnectOptions } from '../../packages/parley/src/client.ts';
import { listen } from '../../packages/parley/src/node.ts';
import { createServer } from '../../packages/parley/src/server.ts';
import { spawnNode } from '../support/programs.ts';
import { scriptedTransport } from '../../packages/parley/src/testing.ts';
import type { CallToolResult } from '../../packages/parley/src/protocol.ts';

type Json = Readonly<Record<string, unknown>>;

interface TaskStoreOfTheirs {
  createTask(options: object): Promise<{ readonly taskId: string }>;
  getTask(taskId: string): Promise<object>;
  getTaskResult(taskId: string): Promise<object>;
  storeTaskResult(taskId: string, status: string, result: object): Promise<void>;
  updateTaskStatus(taskId: string, status: string, message?: string): Promise<void>;
  cleanup(): void;
}
interface Extra {
  readonly taskId: string;
  readonly taskStore: TaskStoreOfTheirs;
  sendRequest(request: object, schema: unknown, options: object): Promise<Json>;
}
interface Official {
  connect(transport: object): Promise<void>;
  close(): Promise<void>;
  readonly experimental: {
    readonly tasks: {
      registerToolTask(name: string, config: object, handler: object): void;
      callToolStream(params: object, schema?: unknown, options?: object): AsyncIterable<Streamed>;
      cancelTask(taskId: string): Promise<Json>;
    };
  };
  listTools(): Promise<unknown>;
  setRequestHandler(schema: unknown, handle: () => Promise<Json>): void;
}
interface Streamed {
  readonly type: string;
  readonly task?: Json;
  readonly result?: Json;
  readonly error?: Error;
}
/** A transport of the SDK, as its own end sees it. */
interface Pipe {
  onmessage?: (message: unknown) => void;
  start(): Promise<void>;
  send(message: object): Promise<void>;
  close(): Promise<void>;
}

const load = (file: string): Promise<Record<string, unknown>> => import(`sdk-1.32.2/${file}`);
const form = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } as const;

type Work = (taskId: string, extra: Extra) => Promise<void>;

/** Connects our client to an official server whose tool `t` is a task. */
async function atOfficial(
  t: TestContext,
  work: Work,
  { support = 'required', ...options }: ConnectOptions & { readonly support?: string } = {},
): Promise<Client> {
  const [{ McpServer }, { InMemoryTaskStore, InMemoryTaskMessageQueue }] = await Promise.all([
    load('server/mcp.js'),
    load('experimental/tasks/stores/in-memory.js'),
  ]);
  const taskStore = new (InMemoryTaskStore as new () => TaskStoreOfTheirs)();
  const tasks = { requests: { tools: { call: {} } }, list: {}, cancel: {} };
  const server = new (McpServer as new (info: object, options: object) => Official)(
    { name: 'official', version: '1' },
    {
      capabilities: { tools: {}, tasks },
      taskStore,
      taskMessageQueue: new (InMemoryTaskMessageQueue as new () => object)(),
    },
  );
  server.experimental.tasks.registerToolTask(
    't',
    { description: 't', execution: { taskSupport: support } },
    {
      createTask: async (extra: Extra) => {
        const task = await extra.taskStore.createTask({ ttl: 60_000, pollInterval: 100 });
        void work(task.taskId, extra);
        return { task };
      },
      getTask: async (extra: Extra) => await extra.taskStore.getTask(extra.taskId),
      getTaskResult: async (extra: Extra) => await extra.taskStore.getTaskResult(extra.taskId),
    },
  );
  const pipe: Pipe = { start: async () => undefined, send: async () => undefined, close: async () => undefined };
  await server.connect(pipe);
  const transport = scriptedTransport('stdio', (sent, peer) => {
    pipe.send = async (message) => peer.send(message);
    pipe.onmessage?.(sent.message);
  });
  const client = await connect(transport, { revisions: ['2025-11-25'], ...options });
  t.after(async () => {
    await client.close();
    await server.close();
    taskStore.cleanup();
  });
  return client;
}

function textOf({ content }: CallToolResult): string | undefined {
  const [block] = content;
  return block?.type === 'text' ? block.text : undefined;
}

const done = { content: [{ type: 'text', text: 'done' }] };

test('our client calls a tool of the official server that is a task alone, listed or not [tasks-007]', async (t) => {
  const client = await atOfficial(
    t,
    async (id, { taskStore }) => await taskStore.storeTaskResult(id, 'completed', done),
  );
  assert.equal(textOf(await client.callTool('t')), 'done');
  await client.listTools();
  assert.deepEqual(await client.callTool('t'), done);
});

test('a task of the official server asks our user, on the stream of its result [tasks-029, tasks-032]', async (t) => {
  const { ElicitResultSchema } = await load('types.js');
  const work: Work = async (id, { taskStore, sendRequest }) => {
    await taskStore.updateTaskStatus(id, 'input_required', 'asks');
    const params = { message: 'Name?', requestedSchema: form };
    const { content } = await sendRequest({ method: 'elicitation/create', params }, ElicitResultSchema, {
      relatedTask: { taskId: id },
      // It is not taken away when the answer is there.
      timeout: 2_000,
    });
    await taskStore.updateTaskStatus(id, 'working', 'asked');
    await taskStore.storeTaskResult(id, 'completed', { content: [{ type: 'text', text: JSON.stringify(content) }] });
  };
  const onElicit = () => ({ action: 'accept', content: { name: 'Ada' } }) as const;
  const client = await atOfficial(t, work, { onElicit });
  await client.listTools();
  assert.equal(textOf(await client.callTool('t')), '{"name":"Ada"}');
});

test('our handle follows a task of the official server, has its isError result, and cancels another', async (t) => {
  let cancelled = false;
  const client = await atOfficial(
    t,
    async (id, { taskStore }) => {
      if (cancelled) return;
      await taskStore.updateTaskStatus(id, 'working', 'half');
      await taskStore.storeTaskResult(id, 'failed', { ...done, isError: true });
    },
    { support: 'optional' },
  );
  const task = await client.startTask('t', {}, { ttlMs: 5_000 });
  const statuses: string[] = [];
  for await (const { status } of task.updates()) statuses.push(status);
  assert.equal(statuses.at(-1), 'failed');
  assert.equal((await task.result()).isError, true);
  cancelled = true;
  const other = await client.startTask('t');
  await other.cancel();
  await assert.rejects(other.result(), TaskCancelledError);
});

test('the official client follows tasks of our server, and answers what they ask [tasks-014, tasks-020]', async (t) => {
  const server = createServer({ name: 's', version: '1' }, { tasks: { pollIntervalMs: 100 } });
  server.tool('t', { task: 'required' }, async (_, ctx) => {
    const answer = await ctx.elicit({ message: 'Name?', schema: form });
    return JSON.stringify(answer);
  });
  const listening = await listen(server, { port: 0 });
  const [{ Client: Theirs }, { StreamableHTTPClientTransport }, { ElicitRequestSchema, CallToolResultSchema }] =
    await Promise.all([load('client/index.js'), load('client/streamableHttp.js'), load('types.js')]);
  const client = new (Theirs as new (info: object, options: object) => Official)(
    { name: 'official', version: '1' },
    { capabilities: { elicitation: {} } },
  );
  t.after(async () => {
    await client.close();
    await listening.close();
    await server.close();
  });
  client.setRequestHandler(ElicitRequestSchema, async () => ({ action: 'accept', content: { name: 'Ada' } }));
  await client.connect(new (StreamableHTTPClientTransport as new (url: URL) => object)(new URL(listening.url)));
  await client.listTools();
  const heard: unknown[] = [];
  const stream = client.experimental.tasks.callToolStream({ name: 't', arguments: {} }, CallToolResultSchema);
  for await (const { type, result, error } of stream)
    if (type !== 'taskStatus') heard.push([type, textOf((result ?? { content: [] }) as never), error?.message]);
  assert.deepEqual(heard, [
    ['taskCreated', undefined, undefined],
    ['result', '{"action":"accept","content":{"name":"Ada"}}', undefined],
  ]);
});

test('our client follows a task of server-everything that asks, over stdio', { timeout: 120_000 }, async (t) => {
  const main = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/dist/index.js');
  const said: string[] = [];
  let asked = 0;
  const client = await connect(spawnNode([main, 'stdio'], { stderr: 'ignore' }), {
    revisions: ['2025-11-25'],
    onElicit: () => {
      asked++;
      return { action: 'accept', content: { interpretation: 'snake' } };
    },
  });
  t.after(() => client.close());
  const onProgress = ({ message = '' }): void => void said.push(message);
  const call = { topic: 'python', ambiguous: true };
  const result = await client.callTool('simulate-research-query', call, { onProgress });
  assert.match(textOf(result) ?? '', /python \(snake\)/);
  assert.deepEqual([asked, said.length > 1], [1, true]);
});
