/** A guarded server whose tools need an account of their caller at a third party, which is a real authorization server. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo, Server as NetServer } from 'node:net';
import type { TestContext } from 'node:test';
import {
  connectAccount,
  memoryCredentialStore,
  principalOf,
  type Account,
  type ConnectAccountOptions,
} from '../../packages/parley/src/account.ts';
import { connect, type Client, type ConnectOptions } from '../../packages/parley/src/client.ts';
import { pageRoutes, toNodeHandler } from '../../packages/parley/src/node.ts';
import { protect } from '../../packages/parley/src/protect.ts';
import { createServer } from '../../packages/parley/src/server.ts';
import { testIssuer } from '../../packages/parley/src/testing.ts';
import { authorizationServer, type AuthorizationServer, type AuthorizationServerOptions } from './oidc-provider.ts';
import { PageVisitor } from './page-visitor.ts';

/** The secret of the client at the third party. */
export const clientSecret = 'the-secret-of-the-client-0123456789';

/** A server that runs, and everybody around it. */
export interface AccountScene {
  /** The third party. */
  readonly as: AuthorizationServer;
  readonly account: Account;
  /** The page at which people agree. */
  readonly publicUrl: string;
  readonly issuer: string;
  /** What the account told its host. */
  readonly errors: unknown[];
  /** Everything that went between clients and the server. */
  readonly said: string[];
  /** Deletes what was granted, and nothing else. */
  forgetGrants(): Promise<void>;
  /** Moves the clock of the account. */
  pass(ms: number): void;
  principal(who: string): string;
  /** Connects as somebody. */
  client(who: string, options?: ConnectOptions): Promise<Client>;
  /** A browser in which somebody is signed in at the server's site. */
  visitor(who?: string): PageVisitor;
}

/** Options of a scene; everything has a default. */
export interface AccountSceneOptions {
  /** The key and certificate by which the pages are served, encrypted; without them they are not. */
  readonly tls?: { readonly key: string; readonly cert: string };
  readonly as?: AuthorizationServerOptions;
  readonly account?: Partial<ConnectAccountOptions>;
}

/** Starts a server with the tools `mine` (who the caller is at the third party), `more` (likewise, with the scope `more`) and `again` (with a token that the API refused). */
export async function accountScene(t: TestContext, options: AccountSceneOptions = {}): Promise<AccountScene> {
  const http = createHttpServer();
  const origin = `http://127.0.0.1:${await portOf(http)}`;
  const https = options.tls && createHttpsServer(options.tls);
  const publicUrl = `${https === undefined ? origin : `https://127.0.0.1:${await portOf(https)}`}/connect/third-party`;
  const as = await authorizationServer(t, {
    registration: false,
    clients: [
      {
        client_id: 'the-server',
        client_secret: clientSecret,
        redirect_uris: [`${publicUrl}/callback`],
        grant_types: ['authorization_code', 'refresh_token'],
        application_type: https === undefined ? 'native' : 'web',
      },
    ],
    ...options.as,
  });
  const resource = `${origin}/mcp`;
  const guard = testIssuer({ audience: resource });
  const principal = (who: string): string => principalOf(guard.issuer, who);
  const errors: unknown[] = [];
  const said: string[] = [];
  let ahead = 0;
  const store = memoryCredentialStore();
  const account = connectAccount({
    name: 'Third Party',
    serverName: 'The Server',
    issuer: as.issuer,
    client: { id: 'the-server', secret: clientSecret },
    scopes: ['openid'],
    publicUrl,
    sessionOf: ({ headers }) => {
      const who = /(?:^|; )session=([^;]*)/.exec(headers.get('cookie') ?? '')?.[1];
      return who === undefined ? undefined : principal(decodeURIComponent(who));
    },
    store,
    now: () => Date.now() + ahead,
    onError: (error) => errors.push(error),
    ...options.account,
  });
  const server = createServer({ name: 'accounts', version: '1' });
  const nameAt = async (token: string): Promise<string> => {
    const answer = await fetch(`${as.issuer}/me`, { headers: { authorization: `Bearer ${token}` } });
    return answer.ok ? ((await answer.json()) as { readonly sub: string }).sub : `HTTP ${answer.status}`;
  };
  server.tool('mine', {}, async (_, ctx) => {
    const { token, identity, scopes } = await account.of(ctx);
    return `${await nameAt(token)}, ${identity.subject} for ${scopes.join(' ')}`;
  });
  server.tool('more', {}, async (_, ctx) => {
    const { token, scopes } = await account.of(ctx, { scopes: ['more'] });
    return `${await nameAt(token)}, with ${scopes.join(' ')}`;
  });
  server.tool('again', {}, async (_, ctx) => {
    const { token } = await account.of(ctx);
    const other = await account.of(ctx, { refused: token });
    return other.token === token ? 'the same' : `another for ${await nameAt(other.token)}`;
  });
  const routes = pageRoutes(account);
  const handler = toNodeHandler(protect(server, { resource, ...guard.options }));
  for (const server of [http, ...(https === undefined ? [] : [https])])
    server.on('request', (request: IncomingMessage, response: ServerResponse) =>
      routes(request, response, () => handler(request, response)),
    );
  const clients: Client[] = [];
  t.after(async () => {
    for (const client of clients) await client.close();
    account.close();
    await server.close();
    for (const one of [http, ...(https === undefined ? [] : [https])]) {
      const closed = once(one, 'close');
      one.close();
      one.closeAllConnections();
      await closed;
    }
  });
  return {
    as,
    account,
    publicUrl,
    issuer: guard.issuer,
    errors,
    said,
    async forgetGrants() {
      for (const key of await store.keys('grant')) await store.write(key, undefined);
    },
    pass: (ms) => (ahead += ms),
    principal,
    async client(who, more = {}) {
      const noted: typeof fetch = async (input, init) => {
        const answer = await fetch(input, init);
        said.push(typeof init?.body === 'string' ? init.body : '');
        const isStream = answer.headers.get('content-type')?.includes('event-stream') === true;
        if (!isStream) said.push(await answer.clone().text());
        return answer;
      };
      const client = await connect(resource, { auth: await guard.issue({ subject: who }), fetch: noted, ...more });
      clients.push(client);
      return client;
    },
    visitor(who) {
      const visitor = new PageVisitor((request) => fetch(request, { redirect: 'manual' }), who);
      return visitor;
    },
  };
}

async function portOf(server: NetServer): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // It listens at a port, so that the address is one of those.
  return (server.address() as AddressInfo).port;
}

/** The text of a result of a tool, and whether it failed. */
export function textOf({ content, isError }: Awaited<ReturnType<Client['callTool']>>): readonly [string, boolean] {
  const [block] = content;
  assert.ok(block?.type === 'text');
  return [block.text, isError === true];
}
