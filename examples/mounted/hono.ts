import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { createHandler } from 'parley-mcp/http';
import { createServer } from 'parley-mcp/server';

const server = createServer({ name: 'weather', version: '1.0.0' });
server.tool('forecast', {}, () => 'sunny');

const app = new Hono();
const handler = createHandler(server, { allowedHosts: ['mcp.example.com'] });
app.all('/mcp', (context) => handler(context.req.raw)); // the body must be unread
serve({ fetch: app.fetch, port: Number(process.env['PORT'] ?? 3000), hostname: '127.0.0.1' }, ({ port }) =>
  console.log(`listening at http://127.0.0.1:${port}/mcp`),
);
