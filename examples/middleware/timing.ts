import { createServer, type Middleware } from 'parley-mcp/server';
import { connectInMemory } from 'parley-mcp/testing';

/** Prints how long each request took, also if it failed. */
const timing: Middleware = async ({ kind, method }, next) => {
  const begun = performance.now();
  try {
    return await next();
  } finally {
    if (kind === 'request') console.log(`${method} took ${(performance.now() - begun).toFixed(1)} ms`);
  }
};

const server = createServer({ name: 'clock', version: '1.0.0' });
server.tool('now', {}, () => new Date().toISOString());
server.use(timing);

const client = await connectInMemory(server);
await client.callTool('now');
await client.close();
