/**
 * The requester and the receiver of ext-tasks, on the client of the official SDK of TypeScript, version 2: `peer.mjs client` does what
 * the plan on its standard input says.
 */

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { createTaskSessionFromClient, taskViewFromExecutionEvent } from '@modelcontextprotocol/ext-tasks/client';
import { bindTaskReceiver } from '@modelcontextprotocol/ext-tasks/receiver';
import { dispatchOf } from './dispatch.mjs';

const clientInfo = { name: 'ext-tasks', version: '1.0.0' };
const clientCapabilities = {
  elicitation: { form: {} },
  extensions: { 'io.modelcontextprotocol/tasks': {} },
  tasks: { list: {}, cancel: {}, requests: { elicitation: { create: {} } } },
};
const ann = { action: 'accept', content: { name: 'Ann' } };
const stepMs = 20_000;
let heard = [];

const client = new Client(clientInfo, {
  capabilities: clientCapabilities,
  versionNegotiation: { mode: 'auto' },
});
const told = new Map();
client.fallbackNotificationHandler = async ({ method, params }) => {
  if (method === 'notifications/tasks' || method === 'notifications/tasks/status') {
    heard.push(`told ${String(params.status)}`);
    told.get(params.taskId)?.(params.status);
  }
};
bindTaskReceiver(client, {
  methods: { 'elicitation/create': true },
  elicitation: async () => {
    heard.push('asked elicitation', 'hosted');
    return ann;
  },
});

function sessionOf(connection) {
  const protocolVersion = client.getNegotiatedProtocolVersion();
  return createTaskSessionFromClient(client, {
    endpointId: 'interop',
    ...(client.getProtocolEra() === 'modern'
      ? {
          rawDispatch: dispatchOf(connection),
          v2RequestFraming: { protocolVersion, clientInfo, clientCapabilities },
        }
      : {}),
    onInputRequest: async () => {
      heard.push('asked elicitation');
      return ann;
    },
    onError: (error) => console.error(error),
  });
}

async function started(session, { name, arguments: args, ttl }) {
  const task = { preference: 'prefer', ...(ttl === undefined ? {} : { retentionMs: ttl }) };
  const execution = await session.callTool(name, args, { task });
  if (execution.kind !== 'task') throw new Error('it is no task');
  const { retentionMs } = await session.task(execution.handle.taskId).snapshot();
  heard.push('created', `ttl ${retentionMs}`);
  return execution;
}

/** What a call gave, as it was answered. */
function outcome({ status, result, error }) {
  if (status === 'failed') throw error;
  if (status === 'cancelled') throw new Error('cancelled');
  return result;
}

const todo = {
  call: async (session, { name, arguments: args }) =>
    outcome(await (await session.callTool(name, args, { task: { preference: 'forbid' } })).result()),
  async task(session, step) {
    const execution = await started(session, step);
    const seen = async () => {
      for await (const event of execution.updates()) {
        const view = taskViewFromExecutionEvent(event);
        if (view !== undefined) heard.push(`status ${view.status}`);
      }
    };
    const watching = seen();
    const { outcome: came } = await execution.settle({ close: false });
    await watching;
    return outcome(came);
  },
  async cancel(session, step) {
    const execution = await started(session, step);
    await execution.cancel();
    const task = session.task(execution.handle.taskId);
    let { status } = await task.snapshot();
    while (status === 'working') {
      await new Promise((resolve) => setTimeout(resolve, 100));
      ({ status } = await task.snapshot());
    }
    return { status };
  },
  async 'cancel-ended'(session, step) {
    const execution = await started(session, step);
    await execution.result();
    await session.task(execution.handle.taskId).cancel();
    return {};
  },
  async told(session, step) {
    const execution = await started(session, step);
    const { taskId } = execution.handle;
    // Nobody asks any more.
    await execution.detach();
    const ended = new Promise((resolve) =>
      told.set(taskId, (status) => {
        if (status !== 'working') resolve({ status });
      }),
    );
    if (client.getProtocolEra() !== 'modern') return ended;
    const subscription = await client.listen({ taskIds: [taskId] });
    const came = await ended;
    await subscription.close();
    return came;
  },
  unknown: (session) => session.task('never-was').snapshot(),
  tasks: async (session) => ({ count: (await session.listTasks()).tasks.length }),
};

async function tell(step, doing) {
  let came;
  try {
    const late = new Promise((_resolve, reject) => setTimeout(() => reject(new Error('nothing came in time')), stepMs));
    came = { result: await Promise.race([doing(), late]) };
  } catch (error) {
    const { code, message } = error;
    came = typeof code === 'number' ? { error: { code, message } } : { failed: String(error) };
  }
  console.log(JSON.stringify({ step, ...came, heard }));
  heard = [];
}

let line = '';
for await (const part of process.stdin) line += part;
const { target, steps } = JSON.parse(line);
const [command, ...args] = target.command ?? [];
const connection =
  target.transport === 'stdio'
    ? new StdioClientTransport({ command, args })
    : new StreamableHTTPClientTransport(new URL(target.url));
let session;
await tell('connect', async () => {
  await client.connect(connection);
  session = sessionOf(connection);
  return { revision: client.getNegotiatedProtocolVersion() };
});
for (const step of steps) await tell(step.id, () => todo[step.do](session, step));
await client.close();
process.exit(0);
