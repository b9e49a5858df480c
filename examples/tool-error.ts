import { createServer, ToolError } from 'parley-mcp/server';
import { connectInMemory } from 'parley-mcp/testing';
import { z } from 'zod';

const server = createServer({ name: 'bank', version: '1.0.0' });

server.tool('withdraw', { input: z.object({ amount: z.number() }) }, ({ amount }) => {
  // The model reads the message of a `ToolError` and can try again. Messages of other errors stay on the server.
  if (amount > 100) throw new ToolError(`You can withdraw at most 100 at once, not ${amount}.`);
  return `Withdrew ${amount}.`;
});

const client = await connectInMemory(server);
console.log(await client.callTool('withdraw', { amount: 500 }));
await client.close();
