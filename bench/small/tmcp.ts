import type * as Tmcp from 'tmcp';
import type { JsonSchemaAdapter } from 'tmcp/adapter';
import type * as Zod from 'zod';
import { peer } from '../harness/peers.ts';

interface Adapters {
  readonly ZodJsonSchemaAdapter: new () => JsonSchemaAdapter<Zod.ZodType>;
}

const { McpServer } = await peer<typeof Tmcp>('tmcp');
const { ZodJsonSchemaAdapter } = await peer<Adapters>('@tmcp/adapter-zod');
const z = await peer<typeof Zod>('zod');
const numbers = z.object({ a: z.number(), b: z.number() });

/** A server of `tmcp` with the tool `add`. */
export function build(): Tmcp.McpServer<Zod.ZodType> {
  const server = new McpServer(
    { name: 'bench', version: '1.0.0', description: 'A server to measure.' },
    { adapter: new ZodJsonSchemaAdapter(), capabilities: { tools: {} } },
  );
  server.tool({ name: 'add', description: 'Adds two numbers.', schema: numbers }, async ({ a, b }) => ({
    content: [{ type: 'text', text: String(a + b) }],
  }));
  return server;
}
