import { handle, type LambdaContext, type LambdaEvent } from 'hono/aws-lambda';
import { Hono } from 'hono';
import { createHandler } from 'parley-mcp/http';
import { createServer } from 'parley-mcp/server';

const server = createServer({ name: 'weather', version: '1.0.0' });
server.tool('forecast', {}, () => 'sunny');

// Requests can reach different processes, so clients get no session.
const serve = createHandler(server, { sessions: false, allowedHosts: ['abc.lambda-url.eu-west-1.on.aws'] });
const app = new Hono();
app.all('/mcp', (context) => serve(context.req.raw));
export const handler: (event: LambdaEvent, context?: LambdaContext) => Promise<unknown> = handle(app);
