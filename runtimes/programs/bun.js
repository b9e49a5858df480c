/** On Bun, with a server of its own. */
import { createHandler } from 'parley-mcp/http';
import { exampleServer, exerciseUrl, report } from './exercise.js';

const server = exampleServer();
const bun = globalThis.Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: createHandler(server) });
report(await exerciseUrl('Bun.serve', `http://127.0.0.1:${bun.port}/mcp`, server));
process.exit();
