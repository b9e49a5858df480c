/** A machine's tokens of a certified authorization server, at a protected server and over the network of this machine. */
import assert from 'node:assert/strict';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { test, type TestContext } from 'node:test';
import { connect } from '../../packages/parley/src/client.ts';
import { toNodeHandler } from '../../packages/parley/src/node.ts';
import { portOf } from '../support/http-entries.ts';
import { clientCredentials } from '../../packages/parley/src/oauth.ts';
import { protect, type IssuerOptions } from '../../packages/parley/src/protect.ts';
import { createServer } from '../../packages/parley/src/server.ts';

/** The part of `oidc-provider` that is used; it has no types of its own. */
interface Provider {
  callback(): RequestListener;
}

async function serve(t: TestContext, make: (origin: string) => Promise<RequestListener>): Promise<string> {
  let listener: RequestListener = (_, reply) => reply.writeHead(503).end();
  const http = createHttpServer((request, reply) => listener(request, reply));
  const origin = `http://127.0.0.1:${await portOf(http)}`;
  t.after(() => {
    http.close();
    http.closeAllConnections();
  });
  listener = await make(origin);
  return origin;
}

/** An authorization server that knows two clients, and issues JWTs or opaque tokens for whatever resource. */
async function issue(t: TestContext, accessTokenFormat: 'jwt' | 'opaque'): Promise<string> {
  const name: string = 'oidc-provider';
  const { default: Made } = (await import(name)) as {
    readonly default: new (issuer: string, options: object) => Provider;
  };
  const machine = { redirect_uris: [], response_types: [], grant_types: ['client_credentials'] };
  return serve(t, async (issuer) => {
    const provider = new Made(issuer, {
      clients: [
        { ...machine, client_id: 'machine', client_secret: 'a secret' },
        { ...machine, client_id: 'server', client_secret: 'another' },
      ],
      features: {
        devInteractions: { enabled: false },
        clientCredentials: { enabled: true },
        introspection: { enabled: true, allowedPolicy: () => true },
        resourceIndicators: {
          enabled: true,
          getResourceServerInfo: (_: unknown, audience: string) => ({
            scope: 'files:read files:write',
            audience,
            accessTokenFormat,
            accessTokenTTL: 300,
          }),
        },
      },
    });
    return provider.callback();
  });
}

/** A protected server with a tool that says who calls, and one that needs more. */
async function guard(t: TestContext, issuer: string | IssuerOptions): Promise<string> {
  const origin = await serve(t, async (own) => {
    const server = createServer({ name: 's', version: '1' });
    server.tool('who', {}, (_, { auth }) => `${auth?.clientId} ${auth?.scopes?.join(' ')}`);
    server.tool('write', { scopes: ['files:write'] }, (_, { auth }) => auth?.scopes?.join(' '));
    const guarded = protect(server, { resource: `${own}/mcp`, issuers: [issuer], scopes: ['files:read'] });
    const handler = toNodeHandler(guarded, { path: '/mcp' });
    t.after(() => handler.close());
    return handler;
  });
  return `${origin}/mcp`;
}

const introspection = { clientId: 'server', clientSecret: 'another' };

for (const format of ['jwt', 'opaque'] as const)
  for (const revision of ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26'] as const)
    test(`a machine is let in by ${format} tokens at ${revision}, and asks for more when a tool needs it [auth-001] [auth-130]`, async (t) => {
      const issuer = await issue(t, format);
      const url = await guard(t, format === 'jwt' ? issuer : { issuer, introspection });
      const client = await connect(url, {
        auth: clientCredentials({ id: 'machine', secret: 'a secret' }),
        revisions: [revision],
      });
      t.after(() => client.close());
      const said = async (tool: string): Promise<unknown> => (await client.callTool(tool, {})).content[0];
      assert.deepEqual(await said('who'), { type: 'text', text: 'machine files:read' });
      const { text } = (await said('write')) as { readonly text: string };
      assert.deepEqual(text.split(' ').toSorted(), ['files:read', 'files:write']);
    });
