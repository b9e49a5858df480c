import { createServer } from 'parley-mcp/server';
import { listen } from 'parley-mcp/node';

const server = createServer({ name: 'weather', version: '1.0.0' });
server.tool('forecast', {}, () => 'sunny');

// By default, the server only accepts loopback names. Other names must be listed.
const { url } = await listen(server, {
  port: Number(process.env['PORT'] ?? 3000),
  host: '0.0.0.0',
  allowedHosts: ['mcp.example.com'],
  allowedOrigins: ['https://app.example.com'],
});
console.log(`listening at ${url}`);
