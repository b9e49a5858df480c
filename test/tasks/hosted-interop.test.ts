/** Tasks of clients between us and the official SDK, whose two ends have them as an experiment. */

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { connect } from '../../packages/parley/src/client.ts';
import { listen } from '../../packages/parley/src/node.ts';
import { createServer } from '../../packages/parley/src/server.ts';
import { scriptedTransport } from '../../packages/parley/src/testing.ts';

type Json = Readonly<Record<string, unknown>>;
type Handle = (request: { readonly params: Json }, extra: Extra) => Promise<unknown>;

/** The parts of the official SDK that are needed here; its modules are loaded by name. */
interface Official {
  onclose?: () => void;
  setRequestHandler(schema: unknown, handle: Handle): void;
  connect(transport: object): Promise<void>;
  callTool(params: object): Promise<{ readonly content?: readonly { readonly text?: string }[] }>;
  close(): Promise<void>;
  readonly experimental: {
    readonly tasks: {
      elicitInputStream(params: object, options: object): AsyncIterable<Streamed>;
      createMessageStream(params: object, options: object): AsyncIterable<Streamed>;
      listTasks(): Promise<{ readonly tasks: readonly Json[] }>;
      cancelTask(taskId: string): Promise<Json>;
    };
  };
}
interface Streamed {
  readonly type: string;
  readonly task?: Json;
  readonly result?: Json;
  readonly error?: Error;
}
interface Extra {
  readonly taskRequestedTtl?: number;
  readonly taskStore: Kept;
}
interface Kept {
  createTask(options: object): Promise<{ readonly taskId: string }>;
  storeTaskResult(taskId: string, status: string, result: object): Promise<void>;
  cleanup(): void;
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
const chat = { messages: [{ role: 'user', content: { type: 'text', text: 'hi' } }], maxTokens: 9 } as const;
const ada = { action: 'accept', content: { name: 'Ada' } };
const said = { role: 'assistant', model: 'm', content: { type: 'text', text: 'hello' } };

async function officialServer(t: TestContext, handle: (server: Official) => Promise<unknown>): Promise<Pipe> {
  const [{ Server }, { CallToolRequestSchema }] = await Promise.all([load('server/index.js'), load('types.js')]);
  const server = new (Server as new (info: object, options: object) => Official)(
    { name: 'official', version: '1' },
    { capabilities: { tools: {} } },
  );
  server.setRequestHandler(CallToolRequestSchema, async () => ({
    content: [{ type: 'text', text: JSON.stringify(await handle(server)) }],
  }));
  const pipe: Pipe = { start: async () => undefined, send: async () => undefined, close: async () => undefined };
  await server.connect(pipe);
  t.after(() => server.close());
  return pipe;
}

/** Connects our client to an official server. */
async function ours(
  t: TestContext,
  pipe: Pipe,
  options: Parameters<typeof connect>[1],
): Promise<() => Promise<unknown>> {
  const transport = scriptedTransport('stdio', (sent, peer) => {
    pipe.send = async (message) => peer.send(message);
    pipe.onmessage?.(sent.message);
  });
  const client = await connect(transport, { revisions: ['2025-11-25'], ...options });
  t.after(() => client.close());
  return async () => {
    const [block] = (await client.callTool('ask', {})).content;
    assert.ok(block?.type === 'text');
    return JSON.parse(block.text) as unknown;
  };
}

const hosting = {
  onElicit: () => ({ action: 'accept', content: { name: 'Ada' } }) as const,
  onSample: () => 'hello',
  clientTasks: { elicitation: true, sampling: true },
};

test('the official server asks our client for tasks, and has their results [tasks-014, tasks-020]', async (t) => {
  const pipe = await officialServer(t, async (server) => {
    const { tasks } = server.experimental;
    const heard: unknown[] = [];
    const wish = { task: { ttl: 60_000 } };
    for (const stream of [
      tasks.elicitInputStream({ message: 'Name?', requestedSchema: form }, wish),
      tasks.createMessageStream(chat, wish),
    ])
      for await (const { type, task, result, error } of stream)
        if (type !== 'taskStatus')
          heard.push([type, task?.['ttl'], result?.['action'] ?? result?.['content'], error?.message]);
    heard.push((await tasks.listTasks()).tasks.map(({ status }) => status));
    return heard;
  });
  const call = await ours(t, pipe, hosting);
  assert.deepEqual(await call(), [
    ['taskCreated', 60_000, null, null],
    ['result', null, 'accept', null],
    ['taskCreated', 60_000, null, null],
    ['result', null, { type: 'text', text: 'hello' }, null],
    ['completed', 'completed'],
  ]);
});

test('the official server cancels a task of our client [tasks-038]', async (t) => {
  let aborted = false;
  const pipe = await officialServer(t, async ({ experimental: { tasks } }) => {
    const heard: unknown[] = [];
    const stream = tasks.elicitInputStream({ message: 'Name?', requestedSchema: form }, { task: {} });
    for await (const { type, task, error } of stream) {
      if (type === 'taskCreated') heard.push((await tasks.cancelTask(String(task?.['taskId'])))['status']);
      if (type === 'error') heard.push(error?.message.replace(/Task \S+/, 'it'));
    }
    return heard;
  });
  const call = await ours(t, pipe, {
    ...hosting,
    onElicit: (_, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          aborted = true;
          reject(new Error('aborted'));
        });
      }),
  });
  assert.deepEqual(await call(), ['cancelled', 'MCP error -32603: it was cancelled']);
  assert.equal(aborted, true);
});

test('our server asks the official client for tasks, over HTTP, and has their results [tasks-002, tasks-017]', async (t) => {
  const [index, http, types, stores] = await Promise.all([
    load('client/index.js'),
    load('client/streamableHttp.js'),
    load('types.js'),
    load('experimental/tasks/stores/in-memory.js'),
  ]);
  const store = new (stores['InMemoryTaskStore'] as new () => Kept)();
  t.after(() => store.cleanup());
  const requests = { elicitation: { create: {} }, sampling: { createMessage: {} } };
  const client = new (index['Client'] as new (info: object, options: object) => Official)(
    { name: 'official', version: '1' },
    { capabilities: { elicitation: { form: {} }, sampling: {}, tasks: { cancel: {}, requests } }, taskStore: store },
  );
  const wishes: unknown[] = [];
  const answering =
    (result: object): Handle =>
    async (_, { taskStore, taskRequestedTtl: ttl }) => {
      wishes.push(ttl);
      const task = await taskStore.createTask({ ttl, pollInterval: 100 });
      setTimeout(() => void taskStore.storeTaskResult(task.taskId, 'completed', result), 20);
      return { task };
    };
  client.setRequestHandler(types['ElicitRequestSchema'], answering(ada));
  client.setRequestHandler(types['CreateMessageRequestSchema'], answering(said));
  const server = createServer({ name: 'ours', version: '1' });
  server.tool('ask', {}, async (_, ctx) => {
    const task = { ttlMs: 60_000 };
    const [one, other] = await Promise.all([
      ctx.elicit({ message: 'Name?', schema: form }, { task }),
      ctx.sample({ ...chat }, { task }),
    ]);
    return JSON.stringify([one, other.content]);
  });
  const served = await listen(server, { port: 0 });
  t.after(() => served.close());
  const Transport = http['StreamableHTTPClientTransport'] as new (url: URL) => object;
  await client.connect(new Transport(new URL(served.url)));
  t.after(() => client.close());
  const { content = [] } = await client.callTool({ name: 'ask', arguments: {} });
  assert.deepEqual(JSON.parse(content[0]?.text ?? ''), [ada, said.content]);
  assert.deepEqual(wishes, [60_000, 60_000]);
});
