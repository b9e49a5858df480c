/** Behind Fastify, which reads bodies itself. */
import fastify from 'fastify';
import { metadataRoutes, toNodeHandler } from 'parley-mcp/node';
import { exampleServer, exerciseUrl, report } from './exercise.js';
import { exerciseGuarded, guardedServer } from './guarded.js';

const server = exampleServer();
const app = fastify({ bodyLimit: 8 << 20 });
app.all('/mcp', toNodeHandler(server));
const { guarded, issuer } = guardedServer();
const routes = metadataRoutes(guarded);
app.addHook('onRequest', (request, reply, next) => routes(request.raw, reply.raw, next));
app.all('/guarded', toNodeHandler(guarded));
await app.listen({ port: 0, host: '127.0.0.1' });
const origin = `http://127.0.0.1:${app.server.address().port}`;
report([
  ...(await exerciseUrl('Fastify', `${origin}/mcp`, server)),
  ...(await exerciseGuarded('Fastify', `${origin}/guarded`, issuer)),
]);
process.exit();
