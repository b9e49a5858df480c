/**
 * The official second SDK on `node:http`, behind its own guards. The server is built anew for each request, as it wants
 * it; the schemas are hoisted out of the factory, which its documentation does not do and which makes it faster.
 */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type * as Node from '@modelcontextprotocol/node';
import type * as Server from '@modelcontextprotocol/server';
import type * as Zod from 'zod';
import { peer } from '../harness/peers.ts';
import { resource, token } from './guard.ts';
import { optionsOf, serve, type Readiness } from './support.ts';
import { descriptions, largeText, moreNames, textResult } from './tools.ts';

const { createMcpHandler, McpServer, OAuthError, OAuthErrorCode, verifyBearerToken } =
  await peer<typeof Server>('@modelcontextprotocol/server');
const { localhostHostValidation, localhostOriginValidation, NodeStreamableHTTPServerTransport, toNodeHandler } =
  await peer<typeof Node>('@modelcontextprotocol/node');
const z = await peer<typeof Zod>('zod');

const numbers = z.object({ a: z.number(), b: z.number() });
const measured = z.object({ text: z.string() });

function build(): Server.McpServer {
  const server = new McpServer({ name: 'bench', version: '1.0.0' }, { capabilities: { tools: { listChanged: true } } });
  server.registerTool('add', { description: descriptions.add, inputSchema: numbers }, ({ a, b }) =>
    textResult(String(a + b)),
  );
  server.registerTool('large', { description: descriptions.large }, () => textResult(largeText));
  server.registerTool('length', { description: descriptions.length, inputSchema: measured }, ({ text }) =>
    textResult(String(text.length)),
  );
  for (const name of moreNames)
    server.registerTool(name, { description: `The ${name}.`, inputSchema: numbers }, ({ a }) => textResult(String(a)));
  return server;
}

const [listener, readiness] = optionsOf()['sessions'] === true ? sessionful() : stateless();
const validateHost = localhostHostValidation();
const validateOrigin = localhostOriginValidation();
serve((request, reply) => {
  if (validateHost(request, reply) && validateOrigin(request, reply)) listener(request, reply);
}, readiness);

function stateless(): [RequestListener, Readiness] {
  // By default it holds 1,024 streams open.
  const handler = createMcpHandler(build, { maxSubscriptions: 10_000 });
  // Node's own types say `undefined` where the handler's leave a field out.
  const handle = toNodeHandler(handler) as (request: IncomingMessage, reply: ServerResponse) => Promise<void>;
  const readiness = { change: () => handler.notify.toolsChanged() };
  return [
    optionsOf()['guarded'] === true ? guarded(handle) : (request, reply) => void handle(request, reply),
    readiness,
  ];
}

/** Its own check of bearer tokens, with a verifier that costs nothing: what its middleware for Express runs. */
function guarded(handle: (request: IncomingMessage, reply: ServerResponse) => Promise<void>): RequestListener {
  const expiresAt = Math.floor(Date.now() / 1000) + 86_400;
  const known = { token, clientId: 'bench', scopes: ['bench'], expiresAt, resource: new URL(resource) };
  const options: Server.VerifyBearerTokenOptions = {
    verifier: {
      verifyAccessToken: async (given) => {
        if (given !== token) throw new OAuthError(OAuthErrorCode.InvalidToken, 'unknown');
        return known;
      },
    },
    requiredScopes: ['bench'],
    expectedResource: new URL(resource),
  };
  return (request, reply) => {
    verifyBearerToken(request.headers.authorization, options).then(
      (auth) => handle(Object.assign(request, { auth }), reply),
      () => reply.writeHead(401).end(),
    );
  };
}

/** A transport for each session, kept by its id. */
function sessionful(): [RequestListener, Readiness] {
  const transports = new Map<string, Node.NodeStreamableHTTPServerTransport>();
  const create = async (): Promise<Node.NodeStreamableHTTPServerTransport> => {
    const transport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => void transports.set(id, transport),
    });
    transport.onclose = () => void transports.delete(transport.sessionId ?? '');
    await build().connect(transport);
    return transport;
  };
  const listen = async (request: IncomingMessage, reply: ServerResponse): Promise<void> => {
    const transport = transports.get(String(request.headers['mcp-session-id'])) ?? (await create());
    await transport.handleRequest(request, reply);
  };
  return [(request, reply) => void listen(request, reply), {}];
}
