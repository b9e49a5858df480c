import { createHandler, type FetchHandler } from 'parley-mcp/http';
import { createServer } from 'parley-mcp/server';

/** The variables and secrets of the worker: `npx wrangler secret put TOKEN` sets this one. */
interface Env {
  readonly TOKEN: string;
}

let handler: FetchHandler | undefined;

/** Runs at the first request, which brings the secrets. */
function makeHandler({ TOKEN }: Env): FetchHandler {
  const server = createServer({ name: 'weather', version: '1.0.0' });
  server.tool('who', {}, (_, ctx) => ctx.auth?.principal ?? 'nobody');
  return createHandler(server, {
    path: '/mcp',
    sessions: false,
    allowedHosts: ['weather.example.workers.dev'],
    authenticate: (request) =>
      request.header('authorization') === `Bearer ${TOKEN}`
        ? { principal: 'owner' }
        : { status: 401, headers: { 'WWW-Authenticate': 'Bearer' } },
  });
}

const worker: { readonly fetch: (request: Request, env: Env) => Promise<Response> } = {
  fetch: async (request, env) => await (handler ??= makeHandler(env))(request),
};
// oxlint-disable-next-line import/no-default-export -- workers are modules with a default export
export default worker;
