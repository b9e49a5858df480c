import type * as Server from '@modelcontextprotocol/server';
import type * as Zod from 'zod';
import { peer } from '../harness/peers.ts';

const { McpServer } = await peer<typeof Server>('@modelcontextprotocol/server');
const z = await peer<typeof Zod>('zod');
const numbers = z.object({ a: z.number(), b: z.number() });

/** A server of the official second SDK with the tool `add`; its schema is made once, which is faster. */
export function build(): Server.McpServer {
  const server = new McpServer({ name: 'bench', version: '1.0.0' });
  server.registerTool('add', { description: 'Adds two numbers.', inputSchema: numbers }, ({ a, b }) => ({
    content: [{ type: 'text', text: String(a + b) }],
  }));
  return server;
}
