import { listen } from 'parley-mcp/node';
import { createServer } from 'parley-mcp/server';
import { z } from 'zod';

// A server that speaks the newest protocol version only, as other SDKs may do.
const server = createServer({ name: 'restaurant', version: '1.0.0' }, { revisions: ['2026-07-28'] });
server.tool('book', { description: 'Books a table.', input: z.object({ day: z.string() }) }, async ({ day }, ctx) => {
  const schema = z.object({ guests: z.int().min(1) });
  const answer = await ctx.elicit({ message: `How many guests on ${day}?`, schema });
  return answer.action === 'accept' ? `booked for ${answer.content.guests}` : 'nothing is booked';
});

const { url } = await listen(server, { port: Number(process.env['PORT'] ?? 3000) });
console.log(`listening at ${url}`);
