import type * as Server from 'sdk-1.32.2/server/mcp.js';
import type * as Zod from 'zod';
import { peer } from '../harness/peers.ts';

const { McpServer } = await peer<typeof Server>('@modelcontextprotocol/sdk/server/mcp.js');
const z = await peer<typeof Zod>('zod');
const numbers = { a: z.number(), b: z.number() };

/** A server of the official first SDK with the tool `add`. */
export function build(): Server.McpServer {
  const server = new McpServer({ name: 'bench', version: '1.0.0' });
  server.registerTool('add', { description: 'Adds two numbers.', inputSchema: numbers }, ({ a, b }) => ({
    content: [{ type: 'text', text: String(a + b) }],
  }));
  return server;
}
