import { listen } from 'parley-mcp/node';
import { createServer } from 'parley-mcp/server';

const rateLimits = { requests: { perSecond: 20, burst: 100 } };
const server = createServer({ name: 'reports', version: '1.0.0' }, { rateLimits });
server.tool('report', {}, () => 'all is well');

const { url } = await listen(server, {
  port: Number(process.env['PORT'] ?? 3000),
  allowedHosts: ['mcp.example.com'],
  // List every proxy between the clients and this process, and no other address.
  trustedProxies: { addresses: ['127.0.0.1', '10.0.0.0/8'], header: 'x-forwarded-for' },
});
console.log(url);
