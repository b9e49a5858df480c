import { createServer, ToolError } from 'parley-mcp/server';
import { serveStdio } from 'parley-mcp/stdio';
import { z } from 'zod';

const server = createServer({ name: 'trips', version: '1.0.0' });

server.tool(
  'price',
  { description: 'Returns the price of a trip.', input: z.object({ city: z.string(), days: z.number() }) },
  ({ city, days }, ctx) => {
    ctx.progress(1, 1);
    if (days < 1) throw new ToolError('A trip takes at least one day.');
    return `${days} days in ${city} cost ${days * 100} €.`;
  },
);

server.resource('trips://cities', { name: 'cities', mimeType: 'text/plain' }, () => 'Lisbon, Oslo');

server.prompt('plan', { arguments: [{ name: 'city', required: true }] }, ({ city }) => `Plan a day in ${city}.`);

serveStdio(server, { exit: true });
