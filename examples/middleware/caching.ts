import { connect, type Middleware } from 'parley-mcp/client';
import { createServer } from 'parley-mcp/server';
import { memoryTransport } from 'parley-mcp/testing';

const server = createServer({ name: 'rates', version: '1.0.0' });
const input = { type: 'object', properties: { currency: { type: 'string' } }, required: ['currency'] } as const;
let asked = 0;
server.tool('rate', { input }, ({ currency }) => `1 EUR is ${++asked} ${currency}`);

const client = await connect(memoryTransport(server));
const kept = new Map<string, Awaited<ReturnType<Middleware>>>();

// The server receives one call for each currency. The program caches its answers.
client.use('tools/call', async ({ params }, next) => {
  if (params['name'] !== 'rate') return await next();
  const key = JSON.stringify(params['arguments']);
  const result = kept.get(key) ?? (await next());
  if (result['isError'] !== true && kept.size < 1000) kept.set(key, result);
  return result;
});

for (const currency of ['USD', 'CHF', 'USD']) console.log((await client.callTool('rate', { currency })).content);
await client.close();
