/** Guarded servers behind what people serve them with: metadata, a login, more scopes for one tool, and the tool. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { test, type TestContext } from 'node:test';
import { connect } from '../../packages/parley/src/client.ts';
import { createHandler } from '../../packages/parley/src/http.ts';
import { listen, metadataRoutes, toNodeHandler } from '../../packages/parley/src/node.ts';
import { portOf } from '../support/http-entries.ts';
import { clientCredentials } from '../../packages/parley/src/oauth.ts';
import { protect, type Guarded } from '../../packages/parley/src/protect.ts';
import { createServer } from '../../packages/parley/src/server.ts';
import { authorizationServer } from '../support/oidc-provider.ts';

/** As much of Express as is used; it comes with the software that the tests speak to, without its types. */
interface Express extends RequestListener {
  use(handler: unknown): void;
  all(path: string, handler: unknown): void;
}

interface HonoApp {
  all(path: string, handler: (context: { readonly req: { readonly raw: Request } }) => Promise<Response>): void;
  fetch(request: Request): Promise<Response>;
}

async function express(parsed: boolean): Promise<Express> {
  const name: string = 'express';
  const { default: make } = (await import(name)) as { default: { (): Express; json(): unknown } };
  const app = make();
  if (parsed) app.use(make.json());
  return app;
}

async function hono(): Promise<HonoApp> {
  const name: string = 'hono';
  const { Hono } = (await import(name)) as { Hono: new () => HonoApp };
  return new Hono();
}

/** What answers under the URL of a server: a listener of Node, or a function from `Request` to `Response`. */
type Front = { readonly listener: RequestListener } | { fetch(request: Request): Promise<Response> };

const fronts: Readonly<Record<string, (guarded: Guarded, t: TestContext) => Promise<Front>>> = {
  Express: (guarded, t) => behindExpress(guarded, t, false),
  'Express, which has read the body': (guarded, t) => behindExpress(guarded, t, true),
  Hono: async (guarded, t) => {
    const handler = handlerOf(guarded, t);
    const app = await hono();
    app.all('*', async ({ req }) => (await guarded.metadata(req.raw)) ?? (await handler(req.raw)));
    return { fetch: async (request) => await app.fetch(request) };
  },
  'route handlers, as Next.js has them': async (guarded, t) => {
    const handler = handlerOf(guarded, t);
    const lost = async (): Promise<Response> => new Response('', { status: 404 });
    const metadata = (request: Request): Promise<Response> => guarded.metadata(request) ?? lost();
    const routes: Readonly<Record<string, Readonly<Record<string, (request: Request) => Promise<Response>>>>> = {
      '/mcp': { GET: handler, POST: handler, DELETE: handler },
      '/.well-known': { GET: metadata },
    };
    return {
      fetch: (request) => {
        const { pathname } = new URL(request.url);
        const route = Object.entries(routes).find(([path]) => pathname.startsWith(path))?.[1];
        return (route?.[request.method] ?? lost)(request);
      },
    };
  },
  'a function of fetch, as Bun, Deno and Workers have it': async (guarded, t) => {
    const handler = handlerOf(guarded, t);
    return { fetch: (request) => guarded.metadata(request) ?? handler(request) };
  },
};

async function behindExpress(guarded: Guarded, t: TestContext, parsed: boolean): Promise<Front> {
  const app = await express(parsed);
  const handler = toNodeHandler(guarded);
  t.after(() => handler.close());
  app.use(metadataRoutes(guarded));
  app.all('/mcp', handler);
  return { listener: app };
}

function handlerOf(guarded: Guarded, t: TestContext): (request: Request) => Promise<Response> {
  const handler = createHandler(guarded);
  t.after(() => handler.close());
  return handler;
}

/** An authorization server that knows a machine, and a server that takes its tokens. */
async function scene(
  t: TestContext,
  url: string,
): Promise<{ readonly guarded: Guarded; readonly auth: Parameters<typeof clientCredentials>[0] }> {
  const machine = { redirect_uris: [], response_types: [], grant_types: ['client_credentials'] };
  const [id, secret] = ['machine', 'secret of a machine'];
  const as = await authorizationServer(t, { clients: [{ ...machine, client_id: id, client_secret: secret }] });
  const server = createServer({ name: 's', version: '1' });
  server.tool('who', {}, (_, { auth }) => auth?.clientId);
  server.tool('write', { scopes: ['write'] }, () => 'written');
  t.after(() => server.close());
  return { guarded: protect(server, { resource: url, issuers: [as.issuer], scopes: ['read'] }), auth: { id, secret } };
}

/** A client finds the way from a 401 to the tool, and from a 403 to the one that needs more. */
async function assertServed(
  url: string,
  send: typeof fetch,
  credentials: Parameters<typeof clientCredentials>[0],
): Promise<void> {
  const { origin } = new URL(url);
  const metadata = await send(`${origin}/.well-known/oauth-protected-resource/mcp`);
  assert.equal(metadata.status, 200);
  assert.equal(((await metadata.json()) as { readonly resource: string }).resource, url);
  for (const revision of ['2025-03-26', '2025-11-25', '2026-07-28']) {
    const statuses: number[] = [];
    const auth = clientCredentials({ ...credentials, fetch: (to, request) => send(to, request) });
    const client = await connect(url, {
      auth,
      revisions: [revision],
      fetch: async (to, request) => {
        const response = await send(to, request);
        statuses.push(response.status);
        return response;
      },
    });
    const said = async (tool: string): Promise<unknown> => (await client.callTool(tool)).content[0];
    assert.deepEqual(await said('who'), { type: 'text', text: 'machine' });
    assert.deepEqual(await said('write'), { type: 'text', text: 'written' });
    await client.close();
    assert.deepEqual([statuses.indexOf(401), statuses.filter((status) => status === 403).length], [0, 1]);
  }
}

for (const [name, open] of Object.entries(fronts))
  test(`a guarded server behind ${name} is found, signed in at, and asked for more [auth-018] [auth-024]`, async (t) => {
    const http = createHttpServer();
    const url = `http://127.0.0.1:${await portOf(http)}/mcp`;
    t.after(async () => {
      const closed = once(http, 'close');
      http.close();
      http.closeAllConnections();
      await closed;
    });
    const { guarded, auth } = await scene(t, url);
    const front = await open(guarded, t);
    if ('listener' in front) {
      http.on('request', front.listener);
      return await assertServed(url, fetch, auth);
    }
    const send: typeof fetch = async (input, init) => {
      const request = new Request(input, init);
      return request.url.startsWith(new URL(url).origin) ? await front.fetch(request) : await fetch(request);
    };
    await assertServed(url, send, auth);
  });

test('a guarded server that listens by itself is found, signed in at, and asked for more [auth-018] [auth-024]', async (t) => {
  const probe = createHttpServer();
  const port = await portOf(probe);
  await new Promise((resolve) => probe.close(resolve));
  const url = `http://127.0.0.1:${port}/mcp`;
  const { guarded, auth } = await scene(t, url);
  const listening = await listen(guarded, { port, drainTimeoutMs: 0 });
  t.after(() => listening.close());
  await assertServed(url, fetch, auth);
});
