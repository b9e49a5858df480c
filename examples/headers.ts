import { connect } from 'parley-mcp/client';
import { listen } from 'parley-mcp/node';
import { createServer } from 'parley-mcp/server';

const server = createServer({ name: 'notes', version: '1.0.0' });
server.tool('who', {}, (_, ctx) => `tenant ${String(ctx.auth?.claims?.['tenant'])}`);

const served = await listen(server, {
  port: Number(process.env['PORT'] ?? 0),
  // Runs for each request. What it returns is `ctx.auth` of handlers. Header names are in lower case.
  authenticate: (request) => {
    const tenant = request.header('x-tenant');
    if (tenant === undefined) return { status: 401, headers: {} };
    return { principal: tenant, claims: { tenant, traceId: request.header('x-trace-id') } };
  },
});

const client = await connect(served.url, { headers: { 'X-Tenant': 'acme' } });
console.log((await client.callTool('who')).content);
await client.close();
await served.close();
await server.close();
