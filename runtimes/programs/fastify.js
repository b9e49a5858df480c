/** Behind Fastify, which reads bodies itself. */
import fastify from 'fastify';
import { toNodeHandler } from 'parley-mcp/node';
import { exampleServer, exerciseUrl, report } from './exercise.js';

const server = exampleServer();
const app = fastify({ bodyLimit: 8 << 20 });
app.all('/mcp', toNodeHandler(server));
await app.listen({ port: 0, host: '127.0.0.1' });
report(await exerciseUrl('Fastify', `http://127.0.0.1:${app.server.address().port}/mcp`, server));
process.exit();
