/** A server of `tmcp`, which speaks both eras: `node tmcp.ts stdio|http`. */

import { HttpTransport } from '@tmcp/transport-http';
import { StdioTransport } from '@tmcp/transport-stdio';
import { McpServer } from 'tmcp';
import { JsonSchemaAdapter } from 'tmcp/adapter';
import { z, type ZodType } from 'zod';
import { breath, serveFetch } from './loopback.ts';

class ZodAdapter extends JsonSchemaAdapter<ZodType> {
  override async toJsonSchema(schema: ZodType): ReturnType<JsonSchemaAdapter<ZodType>['toJsonSchema']> {
    // Zod writes draft 7, whose types are spelled in two packages.
    return z.toJSONSchema(schema, { target: 'draft-7' }) as Awaited<
      ReturnType<JsonSchemaAdapter<ZodType>['toJsonSchema']>
    >;
  }
}

// It prints every error that it answers with.
console.error = () => undefined;

const named = z.object({ name: z.string() });
const text = (words: string): { content: { type: 'text'; text: string }[] } => ({
  content: [{ type: 'text', text: words }],
});
const server = new McpServer(
  { name: 'tmcp', version: '1.20.0', description: 'A server of tmcp.' },
  {
    adapter: new ZodAdapter(),
    capabilities: {
      tools: { listChanged: true },
      prompts: { listChanged: true },
      resources: { listChanged: true },
    },
  },
);

server.tool({ name: 'greet', description: 'Greets.', schema: named }, async ({ name }) => text(`Hello, ${name}!`));
server.tool({ name: 'count', description: 'Counts to three.' }, async () => {
  for (const done of [1, 2, 3]) {
    server.progress(done, 3);
    await breath();
  }
  return text('counted');
});
// These run again from the top once an answer is there.
server.tool({ name: 'book', description: 'Asks for a name.', replayable: true }, async () =>
  text(`a table for ${await nameFrom()}`),
);
server.tool({ name: 'think', description: 'Asks the model.', replayable: true }, async () =>
  text(`the model said ${await greetingFor('Ann')}`),
);
server.tool({ name: 'rounds', description: 'Asks twice, one after the other.', replayable: true }, async () => {
  const name = await nameFrom();
  return text(`${name}: ${await greetingFor(name)}`);
});
server.resource({ name: 'memo', description: 'A memo.', uri: 'memo://one' }, async (uri) => ({
  contents: [{ uri, mimeType: 'text/plain', text: 'remember the milk' }],
}));
server.prompt({ name: 'welcome', description: 'Welcomes.', schema: named }, async ({ name }) => ({
  messages: [{ role: 'user', content: { type: 'text', text: `Please welcome ${name}.` } }],
}));
server.tool({ name: 'grow', description: 'Adds a tool.' }, async () => {
  server.tool({ name: 'grown', description: 'Was added.' }, async () => text('here'));
  return text('grown');
});

async function nameFrom(): Promise<string> {
  const { action, content } = await server.elicitation('Your name?', named);
  return action === 'accept' ? String(content?.['name']) : action;
}

async function greetingFor(name: string): Promise<string> {
  const { content } = await server.message({
    messages: [{ role: 'user', content: { type: 'text', text: `greet ${name}` } }],
    maxTokens: 20,
  });
  return JSON.stringify(content);
}

if (process.argv[2] === 'http') {
  const transport = new HttpTransport(server, { path: '/mcp' });
  serveFetch(async (request) => (await transport.respond(request)) ?? new Response(undefined, { status: 404 }));
} else {
  new StdioTransport(server).listen();
}
