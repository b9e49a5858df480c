import { createHandler, type FetchHandler } from 'parley-mcp/http';
import { createServer } from 'parley-mcp/server';

let handler: FetchHandler | undefined;

/** Runs at the first request, because workers may do little before it. */
function makeHandler(): FetchHandler {
  const server = createServer({ name: 'weather', version: '1.0.0' });
  server.tool('forecast', {}, () => 'sunny');
  return createHandler(server, { path: '/mcp', sessions: false, allowedHosts: ['weather.example.workers.dev'] });
}

const worker: { readonly fetch: (request: Request) => Promise<Response> } = {
  fetch: async (request) => await (handler ??= makeHandler())(request),
};
// oxlint-disable-next-line import/no-default-export -- workers are modules with a default export
export default worker;
