/** Behind Hono. */
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { createHandler } from 'parley-mcp/http';
import { exampleServer, exerciseUrl, report } from './exercise.js';

const server = exampleServer();
const handler = createHandler(server);
const app = new Hono();
app.all('/mcp', (context) => handler(context.req.raw));
serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, async ({ port }) => {
  report(await exerciseUrl('Hono', `http://127.0.0.1:${port}/mcp`, server));
  process.exit();
});
