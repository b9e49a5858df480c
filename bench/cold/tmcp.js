import { ZodJsonSchemaAdapter } from '@tmcp/adapter-zod';
import { StdioTransport } from '@tmcp/transport-stdio';
import { McpServer } from 'tmcp';
import * as z from 'zod';

const server = new McpServer(
  { name: 'bench', version: '1.0.0', description: 'A server to measure.' },
  { adapter: new ZodJsonSchemaAdapter(), capabilities: { tools: {} } },
);
const schema = z.object({ a: z.number(), b: z.number() });
server.tool({ name: 'add', description: 'Adds two numbers.', schema }, async ({ a, b }) => ({
  content: [{ type: 'text', text: String(a + b) }],
}));
new StdioTransport(server).listen();
