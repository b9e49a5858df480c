/** On Deno, with a server of its own. */
import { createHandler } from 'parley-mcp/http';
import { exampleServer, exerciseUrl, report } from './exercise.js';

const server = exampleServer();
const deno = globalThis.Deno.serve(
  { port: 0, hostname: '127.0.0.1', onListen: () => undefined },
  createHandler(server),
);
report(await exerciseUrl('Deno.serve', `http://127.0.0.1:${deno.addr.port}/mcp`, server));
globalThis.Deno.exit();
