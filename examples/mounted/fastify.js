import fastify from 'fastify';
import { toNodeHandler } from 'parley-mcp/node';
import { createServer } from 'parley-mcp/server';

const server = createServer({ name: 'weather', version: '1.0.0' });
server.tool('forecast', {}, () => 'sunny');

const app = fastify();
app.all('/mcp', toNodeHandler(server, { allowedHosts: ['mcp.example.com'] }));
const address = await app.listen({ port: Number(process.env.PORT ?? 3000), host: '127.0.0.1' });
console.log(`listening at ${address}/mcp`);
