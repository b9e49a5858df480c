/** The official first SDK on `node:http`: a server and a transport for each session, kept by its id. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type * as Server from 'sdk-1.32.2/server/mcp.js';
import type * as Http from 'sdk-1.32.2/server/streamableHttp.js';
import type * as Zod from 'zod';
import { peer } from '../harness/peers.ts';
import { serve } from './support.ts';
import { descriptions, largeText, moreNames, textResult } from './tools.ts';

const { McpServer } = await peer<typeof Server>('@modelcontextprotocol/sdk/server/mcp.js');
const { StreamableHTTPServerTransport } = await peer<typeof Http>('@modelcontextprotocol/sdk/server/streamableHttp.js');
const z = await peer<typeof Zod>('zod');

const numbers = { a: z.number(), b: z.number() };
const transports = new Map<string, Http.StreamableHTTPServerTransport>();

function build(): Server.McpServer {
  const server = new McpServer({ name: 'bench', version: '1.0.0' });
  server.registerTool('add', { description: descriptions.add, inputSchema: numbers }, ({ a, b }) =>
    textResult(String(a + b)),
  );
  server.registerTool('large', { description: descriptions.large }, () => textResult(largeText));
  server.registerTool('length', { description: descriptions.length, inputSchema: { text: z.string() } }, ({ text }) =>
    textResult(String(text.length)),
  );
  for (const name of moreNames)
    server.registerTool(name, { description: `The ${name}.`, inputSchema: numbers }, ({ a }) => textResult(String(a)));
  return server;
}

async function create(): Promise<Http.StreamableHTTPServerTransport> {
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: () => randomUUID(),
    onsessioninitialized: (id) => void transports.set(id, transport),
  });
  transport.onclose = () => void transports.delete(transport.sessionId ?? '');
  // Its own types disagree about fields that may be left out.
  await build().connect(transport as Parameters<Server.McpServer['connect']>[0]);
  return transport;
}

async function listen(request: IncomingMessage, reply: ServerResponse): Promise<void> {
  const transport = transports.get(String(request.headers['mcp-session-id'])) ?? (await create());
  await transport.handleRequest(request, reply);
}

serve((request, reply) => void listen(request, reply));
