/** Behind Hono. */
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { createHandler } from 'parley-mcp/http';
import { exampleServer, exerciseUrl, report } from './exercise.js';
import { exerciseGuarded, guardedServer } from './guarded.js';

const server = exampleServer();
const handler = createHandler(server);
const app = new Hono();
app.all('/mcp', (context) => handler(context.req.raw));
const { guarded, issuer } = guardedServer();
const guardedHandler = createHandler(guarded);
app.all('/guarded', (context) => guardedHandler(context.req.raw));
app.get('/.well-known/*', async (context) => (await guarded.metadata(context.req.raw)) ?? context.notFound());
serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, async ({ port }) => {
  report([
    ...(await exerciseUrl('Hono', `http://127.0.0.1:${port}/mcp`, server)),
    ...(await exerciseGuarded('Hono', `http://127.0.0.1:${port}/guarded`, issuer)),
  ]);
  process.exit();
});
