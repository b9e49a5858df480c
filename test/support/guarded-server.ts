/** An MCP server that an authorization server guards: it takes tokens that are JWTs for it, and says where they are given. */

import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { toNodeHandler } from '../../packages/parley/src/transports/node/server/http.ts';
import { protect } from '../../packages/parley/src/auth/server/protect.ts';
import { createServer, type Server } from '../../packages/parley/src/server/server.ts';

/** A server that runs. */
export interface GuardedServer {
  /** The URL of the server, which is the identifier of the resource too. */
  readonly url: string;
}

/** Options of a guarded server; everything has a default. */
export interface GuardedServerOptions {
  /** The scopes that each request must have, which the metadata advertise too; `read`. */
  readonly scopes?: readonly string[];
  /** Origins of pages that may use it. */
  readonly allowedOrigins?: readonly string[];
  /** The name by which it is reached; `127.0.0.1`. */
  readonly host?: string;
  /** True where tokens must be bound to a key; they may be by default. */
  readonly bound?: boolean;
  /** What is guarded, to which its own tools are added; a server that has nothing else. */
  readonly server?: Server;
  /** Is awaited by the tool. */
  calling?(): Promise<void> | void;
}

/** Starts a server whose tool `whoami` says whose token was sent, and which ends with the test. */
export async function guardedServer(
  t: Pick<TestContext, 'after'>,
  issuer: string,
  {
    scopes = ['read'],
    allowedOrigins = [],
    host = '127.0.0.1',
    bound = false,
    server = createServer({ name: 'guarded', version: '1' }),
    calling,
  }: GuardedServerOptions = {},
): Promise<GuardedServer> {
  const http = createHttpServer();
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  // It listens at a port, so that the address is one of those.
  const resource = `http://${host}:${(http.address() as AddressInfo).port}/mcp`;
  server.tool('whoami', {}, async (_, { auth }) => {
    await calling?.();
    return auth?.subject ?? 'nobody';
  });
  server.tool('scheme', {}, (_, { auth }) => auth?.scheme ?? 'none');
  server.tool('write', { scopes: ['write'] }, () => 'written');
  const guarded = protect(server, { resource, issuers: [issuer], scopes, dpop: { required: bound } });
  http.on('request', toNodeHandler(guarded, { allowedOrigins }));
  t.after(async () => {
    await server.close();
    const closed = once(http, 'close');
    http.close();
    http.closeAllConnections();
    await closed;
  });
  return { url: resource };
}
