import { createServer, runTasks } from 'parley-mcp/server';
import { sqliteTasks } from 'parley-mcp/sqlite';

// Define the same tools and use the same store as the processes that serve clients.
const store = sqliteTasks(process.argv[2] ?? 'tasks.db');
const server = createServer({ name: 'reports', version: '1.0.0' }, { tasks: { store } });
server.tool('report', { task: 'required' }, () => 'all is well');

const stop = new AbortController();
process.once('SIGTERM', () => stop.abort());
console.log('working');
await runTasks(server, { signal: stop.signal, drainTimeoutMs: 10_000 });
store.close();
