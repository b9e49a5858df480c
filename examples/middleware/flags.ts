import { createServer, McpError, type Middleware } from 'parley-mcp/server';
import { connectInMemory } from 'parley-mcp/testing';

const server = createServer({ name: 'shop', version: '1.0.0' });
server.tool('buy', {}, () => 'bought');
server.tool('refund', {}, () => 'refunded');

const flags = new Map([['refund', false]]);

/** Removes disabled tools from lists, and rejects their calls. */
const flagged: Middleware = async ({ method, params }, next) => {
  if (method === 'tools/call' && flags.get(String(params['name'])) === false)
    throw new McpError('invalidParams', `${String(params['name'])} is disabled`);
  const result = await next();
  if (method !== 'tools/list' || !Array.isArray(result['tools'])) return result;
  return { ...result, tools: result['tools'].filter(({ name }: { name: string }) => flags.get(name) !== false) };
};
server.use(flagged);

const client = await connectInMemory(server);
console.log((await client.listTools()).map(({ name }) => name));
flags.set('refund', true);
server.changed('tools');
console.log((await client.listTools({ cache: 'refresh' })).map(({ name }) => name));
console.log((await client.callTool('refund')).content);
await client.close();
