import { createServer } from 'parley-mcp/server';
import { listen } from 'parley-mcp/node';

const server = createServer({ name: 'weather', version: '1.0.0' });
server.tool('forecast', {}, () => 'sunny');

// Only loopback names may be used by default, so that no page can reach a server on somebody's machine by a name of its own.
const { url } = await listen(server, {
  port: Number(process.env['PORT'] ?? 3000),
  host: '0.0.0.0',
  allowedHosts: ['mcp.example.com'],
  allowedOrigins: ['https://app.example.com'],
});
console.log(`listening at ${url}`);
