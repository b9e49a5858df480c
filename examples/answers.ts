import { createServer } from 'parley-mcp/server';
import { connectInMemory } from 'parley-mcp/testing';
import { z } from 'zod';

const server = createServer({ name: 'restaurant', version: '1.0.0' });
server.tool('book', {}, async (_, ctx) => {
  const schema = z.object({ guests: z.int().min(1) });
  const answer = await ctx.elicit({ message: 'How many guests?', schema });
  return answer.action === 'accept' ? `booked for ${answer.content.guests}` : 'nothing is booked';
});

const client = await connectInMemory(server, {
  // `requestedSchema` is a JSON Schema of plain fields. Validate the input while the user can still correct it.
  onElicit: ({ message, requestedSchema }) => {
    const form = z.fromJSONSchema(requestedSchema as Parameters<typeof z.fromJSONSchema>[0]);
    for (const typed of ['none', '2']) {
      const content = { guests: Number(typed) };
      const { success } = form.safeParse(content);
      console.log(message, typed, success ? 'is valid' : 'is invalid');
      if (success) return { action: 'accept', content };
    }
    return { action: 'cancel' };
  },
});
console.log((await client.callTool('book')).content);
await client.close();
