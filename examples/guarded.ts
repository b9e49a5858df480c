import { createServer } from 'parley-mcp/server';
import { listen } from 'parley-mcp/node';
import { protect } from 'parley-mcp/protect';

const server = createServer({ name: 'files', version: '1.0.0' });
server.tool('list', {}, (_, { auth }) => `the files of ${auth?.subject}`);
server.tool('delete', { scopes: ['files:write'] }, () => 'deleted');

const guarded = protect(server, {
  resource: process.env['RESOURCE'] ?? 'https://mcp.example.com/mcp',
  issuers: [process.env['ISSUER'] ?? 'https://login.example.com'],
  scopes: ['files:read'],
});
const { url } = await listen(guarded, { port: Number(process.env['PORT'] ?? 3000), allowedHosts: ['mcp.example.com'] });
console.log(`listening at ${url}`);
