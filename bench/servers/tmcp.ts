/** `tmcp` with its adapter for zod, on Hono's adapter for Node, which is its fastest. */
import type * as Http from '@tmcp/transport-http';
import type * as Tmcp from 'tmcp';
import type { JsonSchemaAdapter } from 'tmcp/adapter';
import type * as Zod from 'zod';
import { peer } from '../harness/peers.ts';
import { descriptions, largeText, moreNames, textResult } from './tools.ts';
import { serveWeb } from './web.ts';

interface Adapters {
  readonly ZodJsonSchemaAdapter: new () => JsonSchemaAdapter<Zod.ZodType>;
}

const { McpServer } = await peer<typeof Tmcp>('tmcp');
const { HttpTransport } = await peer<typeof Http>('@tmcp/transport-http');
const { ZodJsonSchemaAdapter } = await peer<Adapters>('@tmcp/adapter-zod');
const z = await peer<typeof Zod>('zod');

const numbers = z.object({ a: z.number(), b: z.number() });
const server = new McpServer(
  { name: 'bench', version: '1.0.0', description: 'A server to measure.' },
  { adapter: new ZodJsonSchemaAdapter(), capabilities: { tools: { listChanged: true } } },
);
server.tool({ name: 'add', description: descriptions.add, schema: numbers }, async ({ a, b }) =>
  textResult(String(a + b)),
);
server.tool({ name: 'large', description: descriptions.large }, async () => textResult(largeText));
const measured = z.object({ text: z.string() });
server.tool({ name: 'length', description: descriptions.length, schema: measured }, async ({ text }) =>
  textResult(String(text.length)),
);
for (const name of moreNames)
  server.tool({ name, description: `The ${name}.`, schema: numbers }, async ({ a }) => textResult(String(a)));

const transport = new HttpTransport(server, { path: '/mcp' });
await serveWeb(async (request) => (await transport.respond(request)) ?? new Response(undefined, { status: 404 }), {
  change: () => server.changed('tools'),
});
