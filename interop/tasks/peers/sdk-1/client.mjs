import { Client } from 'sdk-1.32.2/client/index.js';
import { InMemoryTaskStore } from 'sdk-1.32.2/experimental/tasks/index.js';
import { StdioClientTransport } from 'sdk-1.32.2/client/stdio.js';
import { StreamableHTTPClientTransport } from 'sdk-1.32.2/client/streamableHttp.js';
import {
  CallToolResultSchema,
  CreateTaskResultSchema,
  ElicitRequestSchema,
  McpError,
  TaskStatusNotificationSchema,
} from 'sdk-1.32.2/types.js';

const stepMs = 20_000;
let heard = [];
const client = new Client(
  { name: 'sdk-1', version: '1.0.0' },
  {
    capabilities: { elicitation: {}, tasks: { requests: { elicitation: { create: {} } } } },
    taskStore: new InMemoryTaskStore(),
  },
);
const ann = { action: 'accept', content: { name: 'Ann' } };
client.setRequestHandler(ElicitRequestSchema, async ({ params }, { taskStore, taskRequestedTtl }) => {
  heard.push('asked elicitation');
  if (params.task === undefined) return ann;
  heard.push('hosted');
  const task = await taskStore.createTask({ ttl: taskRequestedTtl, pollInterval: 100 });
  setTimeout(() => taskStore.storeTaskResult(task.taskId, 'completed', ann), 200);
  return { task };
});
const ends = new Map();
client.setNotificationHandler(TaskStatusNotificationSchema, ({ params: { taskId, status } }) => {
  heard.push(`told ${status}`);
  if (status === 'completed') ends.get(taskId)?.({ status });
});

const todo = {
  call: ({ name, arguments: args }) => client.callTool({ name, arguments: args }),
  task: ({ name, arguments: args, ttl }) => followed(name, args, ttl === undefined ? {} : { ttl }),
  async cancel({ name }) {
    const { task } = await started(name);
    await client.experimental.tasks.cancelTask(task.taskId);
    return { status: (await client.experimental.tasks.getTask(task.taskId)).status };
  },
  async 'cancel-ended'({ name, arguments: args }) {
    const { task } = await started(name, args);
    await client.experimental.tasks.getTaskResult(task.taskId, CallToolResultSchema);
    return client.experimental.tasks.cancelTask(task.taskId);
  },
  async told({ name, arguments: args }) {
    const { task } = await started(name, args);
    return new Promise((resolve) => ends.set(task.taskId, resolve));
  },
  unknown: () => client.experimental.tasks.getTask('never-was'),
  tasks: async () => ({ count: (await client.experimental.tasks.listTasks()).tasks.length }),
};

function started(name, args) {
  return client.request({ method: 'tools/call', params: { name, arguments: args } }, CreateTaskResultSchema, {
    task: {},
  });
}

async function followed(name, args, task) {
  let id;
  for await (const told of client.experimental.tasks.callToolStream({ name, arguments: args }, CallToolResultSchema, {
    task,
  })) {
    if (told.type === 'taskCreated') {
      id = told.task.taskId;
      heard.push('created', `ttl ${told.task.ttl}`);
    }
    if (told.type === 'taskStatus') {
      heard.push(`status ${told.task.status}`);
      // Its stream throws the result of a task that failed away, which can still be asked for.
      if (told.task.status === 'failed') return client.experimental.tasks.getTaskResult(id, CallToolResultSchema);
    }
    if (told.type === 'result') return told.result;
    if (told.type === 'error') throw told.error;
  }
  throw new Error('the stream ended with nothing');
}

async function told(step, doing) {
  let came;
  try {
    const late = new Promise((_resolve, reject) => setTimeout(() => reject(new Error('nothing came in time')), stepMs));
    came = { result: await Promise.race([doing(), late]) };
  } catch (error) {
    const message = String(error.message).replace(/^MCP error -?\d+: /, '');
    came = error instanceof McpError ? { error: { code: error.code, message } } : { failed: String(error) };
  }
  console.log(JSON.stringify({ step, ...came, heard }));
  heard = [];
}

export async function run() {
  let line = '';
  for await (const part of process.stdin) line += part;
  const { target, steps } = JSON.parse(line);
  let transport;
  if (target.transport === 'stdio') {
    const [command, ...args] = target.command;
    transport = new StdioClientTransport({ command, args });
  } else transport = new StreamableHTTPClientTransport(new URL(target.url));
  let revision;
  transport.setProtocolVersion = ((set) => (version) => {
    revision = version;
    set?.call(transport, version);
  })(transport.setProtocolVersion);
  await told('connect', async () => {
    await client.connect(transport);
    await client.listTools();
    return { revision };
  });
  for (const step of steps) await told(step.id, () => todo[step.do](step));
  await client.close();
  process.exit(0);
}
