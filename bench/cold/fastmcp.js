import { FastMCP } from 'fastmcp';
import * as z from 'zod';

const server = new FastMCP({ name: 'bench', version: '1.0.0' });
server.addTool({
  name: 'add',
  description: 'Adds two numbers.',
  parameters: z.object({ a: z.number(), b: z.number() }),
  execute: async ({ a, b }) => String(a + b),
});
await server.start({ transportType: 'stdio' });
