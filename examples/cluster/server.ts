import { listen } from 'parley-mcp/node';
import { redis } from 'parley-mcp/redis';
import { createServer } from 'parley-mcp/server';

const { REDIS_URL = 'redis://127.0.0.1:6379', KEYS = '', PORT = '3000' } = process.env;

// Processes with this store share sessions, streams, questions, rounds, limits and tasks.
const store = redis(REDIS_URL, { name: 'weather' });
const keys = KEYS.split(',');
const server = createServer({ name: 'weather', version: '1.0.0' }, { store, rounds: { keys } });

server.tool('where', { description: 'Says which process answers.' }, () => `process ${process.pid}`);

server.tool('greet', { description: 'Asks for a name, and greets.' }, async (_, ctx) => {
  const name = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } as const;
  const { content } = await ctx.elicit({ message: 'Who are you?', schema: name });
  return `Hello, ${content?.name ?? 'nobody'}, from process ${process.pid}`;
});

const served = await listen(server, { port: Number(PORT), health: { live: '/livez', ready: '/readyz' } });
console.log(served.url);

process.once('SIGTERM', async () => {
  await served.close({ readyTimeoutMs: 500, drainTimeoutMs: 10_000 });
  await server.close();
  await store.close();
});
