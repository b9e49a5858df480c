/** `mcp-lite` with sessions in memory, on Hono's adapter for Node, as its documentation serves it. */
import type * as Lite from 'mcp-lite';
import type * as Zod from 'zod';
import { peer } from '../harness/peers.ts';
import { descriptions, largeText, moreNames, textResult } from './tools.ts';
import { serveWeb } from './web.ts';

const { InMemoryClientRequestAdapter, InMemorySessionAdapter, McpServer, StreamableHttpTransport } =
  await peer<typeof Lite>('mcp-lite');
const z = await peer<typeof Zod>('zod');

const numbers = z.object({ a: z.number(), b: z.number() });
const server = new McpServer({
  name: 'bench',
  version: '1.0.0',
  // Every schema here is one of zod.
  schemaAdapter: (schema) => z.toJSONSchema(schema as Zod.ZodType),
});
server.tool('add', {
  description: descriptions.add,
  inputSchema: numbers,
  handler: ({ a, b }) => textResult(String(a + b)),
});
server.tool('large', { description: descriptions.large, handler: () => textResult(largeText) });
server.tool('length', {
  description: descriptions.length,
  inputSchema: z.object({ text: z.string() }),
  handler: ({ text }) => textResult(String(text.length)),
});
for (const name of moreNames)
  server.tool(name, {
    description: `The ${name}.`,
    inputSchema: numbers,
    handler: ({ a }) => textResult(String(a)),
  });

const transport = new StreamableHttpTransport({
  sessionAdapter: new InMemorySessionAdapter({ maxEventBufferSize: 1024 }),
  clientRequestAdapter: new InMemoryClientRequestAdapter({ defaultTimeoutMs: 30_000 }),
});
await serveWeb(transport.bind(server));
