import { createServer, ToolError } from 'parley-mcp/server';
import { connectInMemory } from 'parley-mcp/testing';
import { z } from 'zod';

const server = createServer({ name: 'bank', version: '1.0.0' });

server.tool('withdraw', { input: z.object({ amount: z.number() }) }, ({ amount }) => {
  // The model reads this and may try again. The message of any other error stays at the server: the model reads "failed".
  if (amount > 100) throw new ToolError(`at most 100 can be withdrawn at once, not ${amount}`);
  return `here are ${amount}`;
});

const client = await connectInMemory(server);
console.log(await client.callTool('withdraw', { amount: 500 }));
await client.close();
