import { listen } from 'parley-mcp/node';
import { createServer } from 'parley-mcp/server';

const server = createServer({ name: 'weather', version: '1.0.0' });
server.tool('forecast', {}, () => 'sunny');

const served = await listen(server, {
  port: Number(process.env['PORT'] ?? 0),
  // The origins of the pages: scheme, host and port, without a path.
  allowedOrigins: ['https://app.example.com'],
  // Headers that your pages send besides those of MCP.
  allowedHeaders: ['x-tenant'],
});

// A browser sends this request before the first one of a page.
const answer = await fetch(served.url, {
  method: 'OPTIONS',
  headers: {
    Origin: 'https://app.example.com',
    'Access-Control-Request-Method': 'POST',
    'Access-Control-Request-Headers': 'content-type,mcp-protocol-version,x-tenant',
  },
});
for (const name of ['access-control-allow-origin', 'access-control-expose-headers'])
  console.log(`${name}: ${answer.headers.get(name)}`);
await served.close();
await server.close();
