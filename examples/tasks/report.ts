import { createServer } from 'parley-mcp/server';
import { sqliteTasks } from 'parley-mcp/sqlite';
import { connectInMemory } from 'parley-mcp/testing';
import { z } from 'zod';

const store = sqliteTasks(process.argv[2] ?? 'tasks.db');
const server = createServer({ name: 'reports', version: '1.0.0' }, { tasks: { store } });
const schema = z.object({ title: z.string() });
const load = async (year: number, signal: AbortSignal): Promise<readonly string[]> => {
  signal.throwIfAborted();
  return [`the figures of ${year}`];
};

server.tool('report', { input: z.object({ year: z.int() }), task: 'optional' }, async ({ year }, ctx) => {
  const rows = await ctx.once('load', () => load(year, ctx.signal));
  ctx.progress(1, 2, 'loaded');
  const answer = await ctx.elicit({ message: 'Publish?', schema });
  return answer.action === 'accept' ? `${answer.content.title}: ${rows.join(', ')}` : 'not published';
});

// Any client can call the tool, also one without support for tasks.
const onElicit = () => ({ action: 'accept', content: { title: 'Figures' } }) as const;
const client = await connectInMemory(server, { onElicit });
const task = await client.startTask('report', { year: 2026 });
console.log((await task.result()).content);
await client.close();
await server.close();
store.close();
