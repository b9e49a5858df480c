/** A guarded bridge for many people, before a guarded server of any revision: everything that goes up, and comes down, is recorded. */

import { createServer as createHttpServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { TestContext } from 'node:test';
import { createBridge, type Bridge, type BridgeOptions, type Servable } from '../../packages/parley/src/bridge.ts';
import { connect, type Client } from '../../packages/parley/src/client.ts';
import type { ConnectOptions } from '../../packages/parley/src/client/api/options.ts';
import { toNodeHandler } from '../../packages/parley/src/transports/node/server/http.ts';
import { pageRoutes } from '../../packages/parley/src/transports/node/server/page-routes.ts';
import { protect, type ExchangeOptions, type ProtectOptions } from '../../packages/parley/src/protect.ts';
import type { RevisionDate } from '../../packages/parley/src/protocol/revision.ts';
import { createServer, type Server } from '../../packages/parley/src/server/server.ts';
import { testIssuer, type TestIssuer } from '../../packages/parley/src/testing/issuer.ts';
import { originOf } from './listening.ts';

/** One request that reached a server, with the beginning of its answer. */
export interface Recorded {
  readonly method: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  readonly status: number;
  /** The header of the answer and its body, as text. */
  readonly answer: string;
}

/** A port at which something is served, and what came there. */
export interface Place {
  readonly url: string;
  readonly recorded: readonly Recorded[];
  serve(listener: RequestListener): void;
}

/** Opens a port until the test is over; nothing is served there yet. */
export async function place(t: Pick<TestContext, 'after'>): Promise<Place> {
  let serve: RequestListener = (_, response) => void response.writeHead(503).end();
  const recorded: Recorded[] = [];
  const http = createHttpServer((request, response) => {
    const parts: Buffer[] = [];
    const answered: string[] = [];
    // Whoever reads the body decides when it flows, and how.
    const push = request.push.bind(request);
    request.push = (part: unknown, encoding?: BufferEncoding) => {
      if (Buffer.isBuffer(part)) parts.push(part);
      return push(part, encoding);
    };
    const [write, end] = [response.write.bind(response), response.end.bind(response)];
    const note = (part: unknown): void => {
      if (typeof part === 'string' || Buffer.isBuffer(part)) answered.push(part.toString());
    };
    response.write = ((part: unknown, ...rest: never[]) => (note(part), write(part as never, ...rest))) as typeof write;
    response.end = ((part: unknown, ...rest: never[]) => (note(part), end(part as never, ...rest))) as typeof end;
    recorded.push({
      method: request.method ?? '',
      headers: request.headers,
      get body() {
        return Buffer.concat(parts).toString();
      },
      get status() {
        return response.statusCode;
      },
      get answer() {
        return `${JSON.stringify(response.getHeaders())} ${answered.join('')}`;
      },
    });
    serve(request, response);
  });
  const origin = await originOf(t, http);
  return {
    url: `${origin}/mcp`,
    recorded,
    serve: (listener) => void (serve = listener),
  };
}

/** Revisions on either side, and what is different from the usual. */
export interface GuardedBridgeOptions {
  readonly up: RevisionDate;
  readonly issuer?: TestIssuer;
  /** Said by the origin of the bridge, where that matters. */
  readonly upstreamAuth?: BridgeOptions['upstreamAuth'] | ((origin: string) => BridgeOptions['upstreamAuth']);
  readonly bridge?: Partial<BridgeOptions>;
  readonly protect?: Partial<ProtectOptions>;
  /** Says what the upstream wants. */
  readonly upstreamScopes?: readonly string[];
  define?(server: Server): void;
  /** Guards the server in a way of its own. */
  guardUpstream?(server: Server, resource: string): Servable;
}

/** The bridge, what is behind it, and who may use it. */
export interface GuardedBridge {
  readonly bridge: Bridge;
  readonly issuer: TestIssuer;
  /** Everything that came to the upstream. */
  readonly upstream: Place;
  /** Everything that came to the bridge. */
  readonly front: Place;
  readonly server: Server;
  /** Everything that the bridge complained of. */
  readonly warnings: string[];
  /** A token of a person for the bridge. */
  tokenOf(person: string, scopes?: readonly string[], clientId?: string): Promise<string>;
  /** A client of a person, at a revision. */
  as(
    person: string,
    down: RevisionDate,
    options?: ConnectOptions & { readonly scopes?: readonly string[]; readonly clientId?: string },
  ): Promise<Client>;
}

/** The client by which the bridge exchanges tokens. */
export const exchange: ExchangeOptions & { readonly clientSecret: string } = {
  clientId: 'bridge',
  clientSecret: 'bridge-secret',
};

/** Starts a server that wants tokens of its own, and a guarded bridge before it, until the test is over. */
export async function guardedBridge(t: TestContext, options: GuardedBridgeOptions): Promise<GuardedBridge> {
  const { up, upstreamAuth = 'exchange', upstreamScopes = [], define } = options;
  const { issuer = testIssuer() } = options;
  const [upstream, front] = [await place(t), await place(t)];
  const server = createServer({ name: 'upstream', version: '1' }, { revisions: [up], onError: () => undefined });
  server.tool('whoami', {}, (_, { auth }) => auth?.subject ?? 'nobody');
  for (const person of ['ann', 'bob'])
    server.tool(`only-${person}`, { visible: (auth) => auth?.subject === person }, () => person);
  server.resource('note://own', { name: 'own' }, (_, { auth }) => `the note of ${auth?.subject}`);
  define?.(server);
  const guardedServer =
    options.guardUpstream?.(server, upstream.url) ??
    protect(server, { ...issuer.options, resource: upstream.url, scopes: upstreamScopes });
  serveGuarded(upstream, guardedServer);
  const warnings: string[] = [];
  const chosen = typeof upstreamAuth === 'function' ? upstreamAuth(new URL(front.url).origin) : upstreamAuth;
  const bridge = await createBridge({
    upstream: upstream.url,
    ...(chosen === undefined ? {} : { upstreamAuth: chosen }),
    onWarning: (message) => warnings.push(message),
    onError: (error) => warnings.push(String(error)),
    ...options.bridge,
  });
  const guarded = protect(bridge, { ...issuer.options, resource: front.url, exchange, ...options.protect });
  const [routes, handler] = [pageRoutes(bridge), toNodeHandler(guarded)];
  front.serve((request, response) => routes(request, response, () => handler(request, response)));
  t.after(async () => {
    await bridge.close();
    await server.close();
  });
  const tokenOf = (person: string, scopes: readonly string[] = [], clientId: string = 'test-client'): Promise<string> =>
    issuer.issue({ audience: front.url, subject: person, scopes, clientId });
  return {
    bridge,
    issuer,
    upstream,
    front,
    server,
    warnings,
    tokenOf,
    as: async (person, down, { scopes, clientId, ...more } = {}) => {
      const auth = await tokenOf(person, scopes, clientId);
      const client = await connect(front.url, { auth, revisions: [down], ...more });
      t.after(() => client.close());
      return client;
    },
  };
}

/** Serves what is guarded, with its metadata, at a port. */
export function serveGuarded(at: Place, guarded: Servable): void {
  at.serve(toNodeHandler(guarded));
}

/** The tokens with which somebody came. */
export function tokensIn({ recorded }: Pick<Place, 'recorded'>): ReadonlySet<string> {
  return new Set(recorded.flatMap(({ headers }) => headers.authorization?.replace(/^\w+ /, '') ?? []));
}
