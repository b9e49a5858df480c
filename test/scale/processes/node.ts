/** One process of a service: it says its URL, and ends as a platform has it end. */

import { listen } from '../../../packages/parley/src/node.ts';
import { redis } from '../../../packages/parley/src/redis.ts';
import { createServer } from '../../../packages/parley/src/server.ts';
import { patientRedis } from '../../support/patient-redis.ts';

const { REDIS_URL = '', KEYS = '', PATIENT = '' } = process.env;
const keys = [KEYS];
const store = (PATIENT === '' ? redis : patientRedis)(REDIS_URL, { name: 'scale', keys, onWarning: () => {} });
await store.check();

const server = createServer({ name: 'scale', version: '1.0.0' }, { store, rounds: { keys } });
const text = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] } as const;

server.tool('echo', { input: text }, ({ text: said }) => `${String(said)} ${process.pid}`);

server.tool('ask', { input: text }, async ({ text: said }, ctx) => {
  if (ctx.revision < '2025-06-18') return `${String(said)} ${(await ctx.roots())[0]?.name}`;
  const { content } = await ctx.elicit({ message: String(said), schema: text });
  return `${String(said)} ${String(content?.['text'])}`;
});

server.tool('steps', { input: text }, async ({ text: said }, ctx) => {
  for (let step = 1; step <= 3; step++) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    ctx.progress(step, 3);
  }
  return `${String(said)} done`;
});

// As long as somebody wants it, so that many run when a process ends. It says which one that is.
server.tool('walk', { input: text }, async ({ text: said }, ctx) => {
  for (let step = 1; step <= 20; step++) {
    await new Promise((resolve) => setTimeout(resolve, 500));
    ctx.progress(step, 20, String(process.pid));
  }
  return `${String(said)} done`;
});

const served = await listen(server, { port: 0 });
console.log(served.url);

process.once('SIGTERM', async () => {
  // What the proxy sent here just before it knew better is served.
  await served.close({ readyTimeoutMs: 500, drainTimeoutMs: 10_000 });
  await server.close();
  await store.close();
  process.exit();
});
