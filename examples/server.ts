import { createServer } from 'parley-mcp/server';
import { listen } from 'parley-mcp/node';
import { z } from 'zod';

const server = createServer({ name: 'weather', version: '1.0.0' });
server.tool('forecast', { input: z.object({ city: z.string() }) }, ({ city }) => `sunny in ${city}`);

const { url } = await listen(server, { port: Number(process.env['PORT'] ?? 3000) });
console.log(`listening at ${url}`);
