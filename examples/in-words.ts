import { createServer, ToolError } from 'parley-mcp/server';
import { connectInMemory } from 'parley-mcp/testing';
import { z } from 'zod';

const server = createServer({ name: 'restaurant', version: '1.0.0' });

server.tool('book', { input: z.object({ guests: z.int().optional() }) }, async ({ guests }, ctx) => {
  if (guests !== undefined) return `booked for ${guests}`;
  // Looks first: where no form can be shown, the model is told what to do in its place.
  if (!ctx.client.supports('elicitation.form')) throw new ToolError('ask how many come, and say it as `guests`');
  const schema = z.object({ guests: z.int().min(1) });
  const answer = await ctx.elicit({ message: 'How many guests?', schema }).catch((error: unknown) => {
    // The host failed, or its answer does not fit: without this the call is refused by an error of the protocol.
    throw new ToolError('nobody said how many come', { cause: error });
  });
  return answer.action === 'accept' ? `booked for ${answer.content.guests}` : 'nothing is booked';
});

const host = await connectInMemory(server);
console.log((await host.callTool('book')).content);
console.log((await host.callTool('book', { guests: 2 })).content);
await host.close();

// A host whose window is closed: before 2026-07-28 the tool hears of it, and has words for the model.
const onElicit = (): never => {
  throw new Error('the window is closed');
};
const closed = await connectInMemory(server, { revision: '2025-11-25', onElicit });
console.log((await closed.callTool('book')).content);
await closed.close();
