import { createServer } from 'parley-mcp/server';
import { connectInMemory } from 'parley-mcp/testing';

const server = createServer({ name: 'library', version: '1.0.0' });

server.prompt(
  'review',
  { arguments: [{ name: 'language', required: true }], complete: { language: () => ['Go', 'Rust', 'TypeScript'] } },
  ({ language }) => `Review this ${language} code.`,
);

const client = await connectInMemory(server);
console.log((await client.getPrompt('review', { language: 'Rust' })).messages);
await client.close();
