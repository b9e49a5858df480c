import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { InMemoryTaskMessageQueue, InMemoryTaskStore } from 'sdk-1.32.2/experimental/tasks/index.js';
import { McpServer } from 'sdk-1.32.2/server/mcp.js';
import { StdioServerTransport } from 'sdk-1.32.2/server/stdio.js';
import { StreamableHTTPServerTransport } from 'sdk-1.32.2/server/streamableHttp.js';
import { ElicitResultSchema } from 'sdk-1.32.2/types.js';

const text = (words, more) => ({ content: [{ type: 'text', text: words }], ...more });
const asked = {
  method: 'elicitation/create',
  params: {
    message: 'Your name?',
    requestedSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
  },
};

function create(taskStore) {
  const server = new McpServer(
    { name: 'sdk-1', version: '1.0.0' },
    {
      capabilities: { tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } },
      taskStore,
      taskMessageQueue: new InMemoryTaskMessageQueue(),
    },
  );
  let givenUp = 0;
  const add = (name, work, { inputSchema = {}, taskSupport = 'optional' } = {}) =>
    server.experimental.tasks.registerToolTask(
      name,
      { description: name, inputSchema, execution: { taskSupport } },
      {
        async createTask(args, extra) {
          const task = await extra.taskStore.createTask({ ttl: extra.taskRequestedTtl, pollInterval: 100 });
          const end = async () => {
            const result = await work(args, extra, task.taskId);
            if (result !== undefined)
              await extra.taskStore.storeTaskResult(task.taskId, result.isError ? 'failed' : 'completed', result);
          };
          end().catch((error) => console.error(error));
          return { task };
        },
        getTask: (_args, { taskId, taskStore: tasks }) => tasks.getTask(taskId),
        getTaskResult: (_args, { taskId, taskStore: tasks }) => tasks.getTaskResult(taskId),
      },
    );
  add('quick', () => text('quick'));
  add('slow', ({ ms }) => pause(ms, text('brewed')), { inputSchema: { ms: z.number() } });
  add('must', () => text('done'), { taskSupport: 'required' });
  add('fail', () => text('the kettle is empty', { isError: true }));
  add('ask', async (_args, extra, taskId) => {
    await extra.taskStore.updateTaskStatus(taskId, 'input_required');
    const { content } = await extra.sendRequest(asked, ElicitResultSchema, { relatedTask: { taskId } });
    return text(content.name);
  });
  add('endless', async (_args, extra, taskId) => {
    while ((await taskStore.getTask(taskId))?.status === 'working') await pause(50);
    givenUp += 1;
  });
  server.registerTool('given-up', { inputSchema: {} }, async () => {
    for (let turn = 0; turn < 50 && givenUp === 0; turn++) await pause(100);
    return text(String(givenUp));
  });
  return server;
}

export async function serve(way) {
  if (way === 'stdio') return create(new InMemoryTaskStore()).connect(new StdioServerTransport());
  const sessions = new Map();
  const http = createServer(async (request, response) => {
    let transport = sessions.get(request.headers['mcp-session-id']);
    if (transport === undefined) {
      transport = new StreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        onsessioninitialized: (id) => sessions.set(id, transport),
      });
      await create(new InMemoryTaskStore()).connect(transport);
    }
    await transport.handleRequest(request, response);
  });
  http.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${http.address().port}/mcp`));
}
