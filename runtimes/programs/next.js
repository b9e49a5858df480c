/** As a route of Next.js has it: a function for each method, from `Request` to `Response`. */
import { connect } from 'parley-mcp/client';
import { createHandler } from 'parley-mcp/http';
import { change, exampleServer, exercise, report, revisions } from './exercise.js';
import { exerciseGuarded, guardedServer } from './guarded.js';

const server = exampleServer();
const handler = createHandler(server);
const route = { GET: handler, POST: handler, DELETE: handler };

class NextRequest extends Request {
  nextUrl = new URL(this.url);
}

const fetch = (url, init) => route[init?.method ?? 'GET'](new NextRequest(url, init));
const open = (options) => connect('http://localhost:3000/api/mcp', { ...options, fetch });
const { guarded, issuer } = guardedServer();
const guardedHandler = createHandler(guarded);
const guardedRoutes = {
  '/api/mcp': { GET: guardedHandler, POST: guardedHandler, DELETE: guardedHandler },
  '/.well-known/oauth-protected-resource/mcp': { GET: (request) => guarded.metadata(request) },
};
const guardedFetch = (url, init) =>
  guardedRoutes[new URL(url).pathname][init?.method ?? 'GET'](new NextRequest(url, init));
report([
  ...(await exercise('route handlers', open, revisions.slice(1))),
  ...(await change('route handlers', server, open)),
  ...(await exerciseGuarded('route handlers', 'http://localhost:3000/api/mcp', issuer, guardedFetch)),
]);
process.exit();
