import { createServer } from 'parley-mcp/server';
import { serveStdio } from 'parley-mcp/stdio';

const number = { type: 'number' };
const server = createServer({ name: 'bench', version: '1.0.0' });
server.tool(
  'add',
  {
    description: 'Adds two numbers.',
    input: { type: 'object', properties: { a: number, b: number }, required: ['a', 'b'] },
  },
  ({ a, b }) => String(a + b),
);
serveStdio(server);
