/** Official clients at our guarded server, and our client at a server that official software guards, with its own authorization server. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { test, type TestContext } from 'node:test';
import { connect } from '../../packages/parley/src/client.ts';
import { portOf } from '../support/http-entries.ts';
import { oauth } from '../../packages/parley/src/oauth.ts';
import { guardedServer } from '../support/guarded-server.ts';
import { authorizationServer } from '../support/oidc-provider.ts';
import { visitPages } from '../support/visited-pages.ts';

/** As much of the official clients as is used, whose types differ between their versions. */
interface OfficialClient {
  connect(transport: OfficialTransport): Promise<void>;
  callTool(params: { readonly name: string }): Promise<{ readonly content: readonly { readonly text: string }[] }>;
  close(): Promise<void>;
}

interface OfficialTransport {
  finishAuth(code: string, iss?: string): Promise<void>;
}

interface Official {
  readonly Client: new (info: { name: string; version: string }, options?: object) => OfficialClient;
  readonly StreamableHTTPClientTransport: new (url: URL, options: { authProvider: object }) => OfficialTransport;
}

const redirectUri = 'http://127.0.0.1:6277/callback';

/** A client that an authorization server knows. It is given no refresh token, by which 1.32.2 would ask for scopes in vain. */
const registered = {
  redirect_uris: [redirectUri],
  grant_types: ['authorization_code'],
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
  application_type: 'native',
};

/** A store and a person, in the words of the official clients. */
class Person {
  readonly redirectUrl = redirectUri;
  readonly clientMetadata = { ...registered, client_name: 'official', scope: 'read' };
  readonly pages: URL[] = [];
  #tokens: unknown;
  #verifier = '';
  #discovered: unknown;

  clientInformation(): unknown {
    return { client_id: 'official' };
  }

  tokens(): unknown {
    return this.#tokens;
  }

  saveTokens(tokens: unknown): void {
    this.#tokens = tokens;
  }

  redirectToAuthorization(url: URL): void {
    this.pages.push(url);
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }

  codeVerifier(): string {
    return this.#verifier;
  }

  saveDiscoveryState(discovered: unknown): void {
    this.#discovered = discovered;
  }

  discoveryState(): unknown {
    return this.#discovered;
  }

  /** Goes through the last page, and gives what the browser comes back with. */
  async answer(): Promise<{ readonly code: string; readonly iss: string | undefined }> {
    const callback = new URL(await visitPages(this.pages.at(-1)?.href ?? '', { login: 'anna' }));
    const { searchParams } = callback;
    return { code: searchParams.get('code') ?? '', iss: searchParams.get('iss') ?? undefined };
  }
}

/** Does something again after the person has signed in, which the official clients leave to who uses them. */
async function afterLogin<Result>(
  person: Person,
  transport: () => OfficialTransport,
  run: () => Promise<Result>,
): Promise<Result> {
  const before = person.pages.length;
  try {
    return await run();
  } catch (error) {
    if (person.pages.length === before) throw error;
    const { code, iss } = await person.answer();
    await transport().finishAuth(code, iss);
    return await run();
  }
}

async function officialOf(version: string): Promise<Official> {
  if (version.startsWith('2.')) {
    const name: string = '@modelcontextprotocol/client';
    return (await import(name)) as Official;
  }
  // The packages are test dependencies; these two paths export these two classes.
  const { Client } = (await import(`sdk-${version}/client/index.js`)) as Official;
  const { StreamableHTTPClientTransport } = (await import(`sdk-${version}/client/streamableHttp.js`)) as Official;
  return { Client, StreamableHTTPClientTransport };
}

async function use(t: TestContext, version: string): Promise<{ call(tool: string): Promise<string>; person: Person }> {
  const as = await authorizationServer(t, { clients: [{ ...registered, client_id: 'official' }] });
  const { url } = await guardedServer(t, as.issuer);
  const { Client, StreamableHTTPClientTransport } = await officialOf(version);
  const person = new Person();
  let transport: OfficialTransport;
  const open = async (): Promise<OfficialClient> => {
    transport = new StreamableHTTPClientTransport(new URL(url), { authProvider: person });
    const made = new Client({ name: 'official', version }, { versionNegotiation: { mode: 'auto' } });
    await made.connect(transport);
    return made;
  };
  const client = await afterLogin(person, () => transport, open);
  t.after(() => client.close());
  const call = async (name: string): Promise<string> => {
    const { content } = await afterLogin(
      person,
      () => transport,
      () => client.callTool({ name }),
    );
    return content[0]?.text ?? '';
  };
  return { call, person };
}

for (const version of ['1.20.0', '1.32.2', '2.4.0'])
  test(`the official client ${version} signs in at a guarded server and calls a tool [auth-018] [auth-024]`, async (t) => {
    const { call, person } = await use(t, version);
    assert.equal(await call('whoami'), 'anna');
    assert.equal(await call('whoami'), 'anna');
    assert.equal(person.pages.length, 1);
    assert.match(person.pages[0]?.searchParams.get('resource') ?? '', /\/mcp$/);
  });

for (const version of ['1.32.2', '2.4.0'])
  test(`the official client ${version} asks for the scopes of a tool that needs more [auth-046] [auth-048]`, async (t) => {
    const { call, person } = await use(t, version);
    assert.equal(await call('whoami'), 'anna');
    assert.equal(await call('write'), 'written');
    assert.equal(await call('whoami'), 'anna');
    assert.deepEqual(
      person.pages.map((page) => page.searchParams.get('scope')?.split(' ').toSorted().join(' ')),
      ['read', 'read write'],
    );
  });

test('the official client 1.20.0, which asks for no more, hears of the refusal', async (t) => {
  const { call, person } = await use(t, '1.20.0');
  await assert.rejects(call('write'), /403|insufficient|scope/i);
  assert.equal(await call('whoami'), 'anna');
  assert.equal(person.pages.length, 1);
});

/** As much of the official server and its authorization server as is used. */
interface OfficialServer {
  readonly McpServer: new (info: { name: string; version: string }) => {
    tool(name: string, run: (extra: { authInfo?: { clientId: string; scopes: string[] } }) => unknown): void;
    connect(transport: unknown): Promise<void>;
    close(): Promise<void>;
  };
  readonly StreamableHTTPServerTransport: new (options: object) => {
    handleRequest(request: unknown, response: unknown, body?: unknown): Promise<void>;
  };
  readonly mcpAuthRouter: (options: object) => unknown;
  readonly requireBearerAuth: (options: object) => unknown;
}

interface App extends RequestListener {
  use(handler: unknown): void;
  all(path: string, ...handlers: readonly unknown[]): void;
}

async function officialServer(): Promise<OfficialServer & { app(): App }> {
  const base = 'sdk-1.32.2/server';
  const parts = await Promise.all(
    ['mcp.js', 'streamableHttp.js', 'auth/router.js', 'auth/middleware/bearerAuth.js'].map(
      (path) => import(`${base}/${path}`) as Promise<Partial<OfficialServer>>,
    ),
  );
  const name: string = 'express';
  const { default: app } = (await import(name)) as { default: () => App };
  // Each of the parts has what it is asked for.
  return { ...(Object.assign({}, ...parts) as OfficialServer), app };
}

interface Code {
  readonly codeChallenge: string;
  readonly scopes?: readonly string[];
  readonly resource?: URL;
}

/** What an official authorization server keeps, as an application writes it. */
function provider(): { readonly provider: object; readonly grants: string[]; readonly resources: Set<string> } {
  const clients = new Map<string, object>();
  const codes = new Map<string, Code>();
  const tokens = new Map<string, readonly string[]>();
  const grants: string[] = [];
  const resources = new Set<string>();
  const give = (scopes: readonly string[]): object => {
    const [access, refresh] = [crypto.randomUUID(), crypto.randomUUID()];
    tokens.set(access, scopes);
    tokens.set(refresh, scopes);
    return {
      access_token: access,
      refresh_token: refresh,
      token_type: 'bearer',
      expires_in: 60,
      scope: scopes.join(' '),
    };
  };
  return {
    grants,
    resources,
    provider: {
      clientsStore: {
        getClient: (id: string) => clients.get(id),
        registerClient: (client: { readonly client_id: string }) => {
          clients.set(client.client_id, client);
          return client;
        },
      },
      authorize: async (
        _: unknown,
        { redirectUri: back, state, ...code }: Code & { readonly redirectUri: string; readonly state?: string },
        response: { redirect(url: string): void },
      ) => {
        const id = crypto.randomUUID();
        codes.set(id, code);
        const url = new URL(back);
        url.searchParams.set('code', id);
        if (state !== undefined) url.searchParams.set('state', state);
        response.redirect(url.href);
      },
      challengeForAuthorizationCode: async (_: unknown, code: string) => codes.get(code)?.codeChallenge,
      exchangeAuthorizationCode: async (_: unknown, id: string, __: unknown, ___: unknown, resource?: URL) => {
        grants.push('authorization_code');
        resources.add(String(resource));
        const { scopes = [] } = codes.get(id) ?? {};
        codes.delete(id);
        return give(scopes);
      },
      exchangeRefreshToken: async (_: unknown, token: string) => {
        grants.push('refresh_token');
        const scopes = tokens.get(token) ?? [];
        tokens.delete(token);
        return give(scopes);
      },
      verifyAccessToken: async (token: string) => {
        const scopes = tokens.get(token);
        if (scopes === undefined) throw new Error('unknown');
        return { token, clientId: 'c', scopes, expiresAt: Date.now() / 1000 + 60 };
      },
    },
  };
}

for (const revision of ['2025-03-26', '2025-06-18', '2025-11-25'])
  test(`a server that official software guards lets our client in, and more of it later, at ${revision}`, async (t) => {
    const {
      McpServer,
      StreamableHTTPServerTransport,
      mcpAuthRouter,
      requireBearerAuth,
      app: make,
    } = await officialServer();
    const http = createHttpServer();
    const origin = `http://127.0.0.1:${await portOf(http)}`;
    const { provider: own, grants, resources } = provider();
    const app = make();
    const resourceMetadataUrl = `${origin}/.well-known/oauth-protected-resource/mcp`;
    const needing = (requiredScopes: readonly string[]): unknown =>
      requireBearerAuth({ verifier: own, requiredScopes, resourceMetadataUrl });
    app.use(
      mcpAuthRouter({
        provider: own,
        issuerUrl: new URL(origin),
        resourceServerUrl: new URL(`${origin}/mcp`),
        scopesSupported: ['read', 'write'],
      }),
    );
    let needsMore = false;
    const [reading, writing] = [needing(['read']), needing(['read', 'write'])] as ((
      ...all: readonly unknown[]
    ) => unknown)[];
    app.all('/mcp', (...all: readonly unknown[]) => (needsMore ? writing : reading)?.(...all), serve);
    async function serve(request: { body?: unknown }, response: unknown): Promise<void> {
      const server = new McpServer({ name: 'official', version: '1' });
      server.tool('scopes', ({ authInfo }) => ({
        content: [{ type: 'text', text: authInfo?.scopes.toSorted().join(' ') }],
      }));
      const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined });
      await server.connect(transport);
      await transport.handleRequest(request, response);
    }
    http.on('request', app);
    t.after(async () => {
      const closed = once(http, 'close');
      http.close();
      http.closeAllConnections();
      await closed;
    });
    let now = Date.now();
    const auth = oauth({
      redirect: async ({ url }) => (await fetch(url, { redirect: 'manual' })).headers.get('location') ?? '',
      redirectUri,
      scopes: ['read'],
      now: () => now,
    });
    const client = await connect(`${origin}/mcp`, { auth, revisions: [revision] });
    t.after(() => client.close());
    const said = async (): Promise<unknown> => (await client.callTool('scopes')).content[0];
    const text = await said();
    assert.ok(JSON.stringify(text).includes('read'));
    now += 59_000;
    assert.deepEqual(await said(), text);
    needsMore = true;
    assert.deepEqual(await said(), { type: 'text', text: 'read write' });
    assert.ok(grants.includes('refresh_token'));
    assert.deepEqual([...resources], [`${origin}/mcp`]);
  });
