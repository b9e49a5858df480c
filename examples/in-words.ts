import { createServer, ToolError } from 'parley-mcp/server';
import { connectInMemory } from 'parley-mcp/testing';
import { z } from 'zod';

const server = createServer({ name: 'restaurant', version: '1.0.0' });

server.tool('book', { input: z.object({ guests: z.int().optional() }) }, async ({ guests }, ctx) => {
  if (guests !== undefined) return `booked for ${guests}`;
  // If the client cannot show a form, tell the model what to do instead.
  if (!ctx.client.supports('elicitation.form'))
    throw new ToolError('Ask for the number of guests, and pass it as `guests`.');
  const schema = z.object({ guests: z.int().min(1) });
  const answer = await ctx.elicit({ message: 'How many guests?', schema }).catch((error: unknown) => {
    // The host failed, or its answer is invalid. Without this, the call fails with a protocol error.
    throw new ToolError('The number of guests is unknown.', { cause: error });
  });
  return answer.action === 'accept' ? `booked for ${answer.content.guests}` : 'nothing is booked';
});

const host = await connectInMemory(server);
console.log((await host.callTool('book')).content);
console.log((await host.callTool('book', { guests: 2 })).content);
await host.close();

// A host that fails. Before 2026-07-28, the tool sees the error and can return a message for the model.
const onElicit = (): never => {
  throw new Error('the window is closed');
};
const closed = await connectInMemory(server, { revision: '2025-11-25', onElicit });
console.log((await closed.callTool('book')).content);
await closed.close();
