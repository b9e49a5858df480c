/** A server of `mcp-lite`, which speaks handshake revisions over HTTP alone: `node mcp-lite.ts http`. */

import { InMemoryClientRequestAdapter, InMemorySessionAdapter, McpServer, StreamableHttpTransport } from 'mcp-lite';
import { z, type ZodType } from 'zod';
import { breath, serveFetch } from './loopback.ts';

const named = z.object({ name: z.string() });
type Context = Parameters<Parameters<McpServer['use']>[0]>[0];

/** A plain one: what Zod writes is taken for a validator where it asks. */
const nameSchema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };
const text = (words: string): { content: { type: 'text'; text: string }[] } => ({
  content: [{ type: 'text', text: words }],
});
const server = new McpServer({
  name: 'lite',
  version: '0.10.0',
  // Every schema here is one of Zod.
  schemaAdapter: (schema) => z.toJSONSchema(schema as ZodType),
});

server.tool('greet', {
  description: 'Greets.',
  inputSchema: named,
  handler: ({ name }) => text(`Hello, ${name}!`),
});
server.tool('count', {
  description: 'Counts to three.',
  handler: async (_, context) => {
    for (const progress of [1, 2, 3]) {
      await context.progress?.({ progress, total: 3 });
      await breath();
    }
    return text('counted');
  },
});
server.tool('book', {
  description: 'Asks for a name.',
  handler: async (_, context) => text(`a table for ${await nameFrom(context)}`),
});
server.tool('think', {
  description: 'Asks the model.',
  handler: async (_, context) => text(`the model said ${await greetingFrom(context, 'Ann')}`),
});
server.tool('rounds', {
  description: 'Asks twice, one after the other.',
  handler: async (_, context) => {
    const name = await nameFrom(context);
    return text(`${name}: ${await greetingFrom(context, name)}`);
  },
});
server.resource('memo://one', { name: 'memo', mimeType: 'text/plain' }, async ({ href }) => ({
  contents: [{ uri: href, type: 'text', mimeType: 'text/plain', text: 'remember the milk' }],
}));
server.prompt('welcome', {
  description: 'Welcomes.',
  inputSchema: named,
  handler: ({ name }: { readonly name: string }) => ({
    messages: [{ role: 'user', content: { type: 'text', text: `Please welcome ${name}.` } }],
  }),
});

async function nameFrom(context: Context): Promise<string> {
  const answer = await context.elicit({ message: 'Your name?', schema: nameSchema });
  return answer.action === 'accept' ? String(answer.content?.['name']) : answer.action;
}

async function greetingFrom(context: Context, name: string): Promise<string> {
  const { content } = await context.sample({ prompt: `greet ${name}`, maxTokens: 20 });
  return JSON.stringify(content);
}

const transport = new StreamableHttpTransport({
  sessionAdapter: new InMemorySessionAdapter({ maxEventBufferSize: 1024 }),
  clientRequestAdapter: new InMemoryClientRequestAdapter({ defaultTimeoutMs: 30_000 }),
});
serveFetch(transport.bind(server));
