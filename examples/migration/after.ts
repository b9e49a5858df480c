import { createServer, ToolError } from 'parley-mcp/server';
import { serveStdio } from 'parley-mcp/stdio';
import { z } from 'zod';

const server = createServer({ name: 'trips', version: '1.0.0' });

server.tool(
  'book',
  {
    description: 'Books a trip.',
    input: z.object({ city: z.string() }),
    output: z.object({ number: z.int() }),
  },
  async ({ city }, ctx) => {
    ctx.log('info', `asking about ${city}`);
    const schema = z.object({ people: z.int() });
    const answer = await ctx.elicit({ message: `How many go to ${city}?`, schema });
    if (answer.action !== 'accept') throw new ToolError('nobody goes');
    return { number: 100 + answer.content.people };
  },
);

server.resource('trips://cities', { name: 'cities', mimeType: 'text/plain' }, () => 'Lisbon, Oslo');

server.resourceTemplate(
  'trips://cities/{city}',
  { name: 'city', complete: { city: () => ['Lisbon', 'Oslo'] } },
  (_, { city }) => `${city} is nice`,
);

server.prompt('plan', { arguments: z.object({ city: z.string() }) }, ({ city }) => `Plan a day in ${city}.`);

serveStdio(server, { exit: true });
