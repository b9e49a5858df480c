import { createServer, type TaskExecutor } from 'parley-mcp/server';
import { connectInMemory } from 'parley-mcp/testing';

// An engine stores only ids. This one keeps them in memory; a job queue would keep them in a database.
const run = async (id: string): Promise<void> => {
  const turn = await server.tasks.run(id);
  if (turn === 'later') setTimeout(() => begin(id), 5000);
};
const begin = (id: string): void => void run(id).catch(console.error);
const executor: TaskExecutor = { start: begin, wake: begin, cancel: () => undefined };

const server = createServer({ name: 'reports', version: '1.0.0' }, { tasks: { executor } });
server.tool('report', { task: 'required' }, () => 'all is well');

const client = await connectInMemory(server);
const task = await client.startTask('report');
console.log((await task.result()).content);
await client.close();
await server.close();
