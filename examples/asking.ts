import { createServer } from 'parley-mcp/server';
import { connectInMemory } from 'parley-mcp/testing';
import { z } from 'zod';

const server = createServer({ name: 'restaurant', version: '1.0.0' });

server.tool('book', { input: z.object({ day: z.string() }) }, async ({ day }, ctx) => {
  const schema = z.object({ guests: z.int().min(1) });
  const answer = await ctx.elicit({ message: `How many guests on ${day}?`, schema });
  if (answer.action !== 'accept') return 'nothing is booked';
  const { number } = await ctx.once('book', () => ({ number: 7 }));
  return `booked for ${answer.content.guests}, number ${number}`;
});

const client = await connectInMemory(server, { onElicit: () => ({ action: 'accept', content: { guests: 2 } }) });
console.log((await client.callTool('book', { day: 'Friday' })).content);
await client.close();
