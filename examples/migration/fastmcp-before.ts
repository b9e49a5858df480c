import { FastMCP, UserError } from 'fastmcp';
import { z } from 'zod';

const server = new FastMCP({ name: 'trips', version: '1.0.0' });

server.addTool({
  name: 'price',
  description: 'Returns the price of a trip.',
  parameters: z.object({ city: z.string(), days: z.number() }),
  execute: async ({ city, days }, { reportProgress }) => {
    await reportProgress({ progress: 1, total: 1 });
    if (days < 1) throw new UserError('A trip takes at least one day.');
    return `${days} days in ${city} cost ${days * 100} €.`;
  },
});

server.addResource({
  uri: 'trips://cities',
  name: 'cities',
  mimeType: 'text/plain',
  load: async () => ({ text: 'Lisbon, Oslo' }),
});

server.addPrompt({
  name: 'plan',
  arguments: [{ name: 'city', required: true }],
  load: async ({ city }) => `Plan a day in ${city}.`,
});

await server.start({ transportType: 'stdio' });
