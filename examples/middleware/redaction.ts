import { createBridge } from 'parley-mcp/bridge';
import { createServer } from 'parley-mcp/server';
import { connectInMemory, memoryTransport } from 'parley-mcp/testing';

const server = createServer({ name: 'people', version: '1.0.0' });
server.tool('find', {}, (_, ctx) => {
  ctx.progress(1, 2, 'asked grace@example.com');
  return 'write to ada@example.com';
});

/** Returns a copy of a JSON value without e-mail addresses. */
function redacted<T>(value: T): T {
  if (typeof value === 'string') return value.replaceAll(/\S+@\S+/g, '[address]') as T;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(redacted) as T;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, redacted(one)])) as T;
}

const bridge = await createBridge({ upstream: memoryTransport(server) });

// Redacts everything that the bridge sends to clients: results, progress and logs.
bridge.use(async ({ side, direction, kind, params }, next) => {
  if (side !== 'server') return await next();
  if (direction === 'sent' && kind === 'notification') return await next(redacted(params));
  return redacted(await next());
});

const client = await connectInMemory(bridge);
const onProgress = ({ message }: { readonly message?: string }): void => console.log(message);
console.log((await client.callTool('find', {}, { onProgress })).content);
await client.close();
await bridge.close();
