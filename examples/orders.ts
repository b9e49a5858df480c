import { createServer, ToolError } from 'parley-mcp/server';
import { serveStdio } from 'parley-mcp/stdio';
import { z } from 'zod';

const server = createServer({ name: 'orders', version: '1.0.0' });

server.tool(
  'cancel_order',
  { description: 'Cancels an order that was not sent yet.', input: z.object({ id: z.string() }) },
  async ({ id }, ctx) => {
    const answer = await ctx.elicit({ message: `Cancel order ${id}?`, schema: z.object({ sure: z.boolean() }) });
    if (answer.action !== 'accept' || !answer.content.sure) throw new ToolError('The user did not agree.');
    await ctx.once('cancel', () => ({ cancelled: id }));
    return `Order ${id} is cancelled.`;
  },
);

serveStdio(server, { exit: true });
