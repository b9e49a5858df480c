import { createServer, type TaskExecutor } from 'parley-mcp/server';
import { connectInMemory } from 'parley-mcp/testing';

// An engine keeps ids and nothing else. This one has them in the memory of a process; a queue of jobs keeps them in a database.
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
