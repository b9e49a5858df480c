import { createServer } from 'parley-mcp/server';
import { connectInMemory } from 'parley-mcp/testing';

const server = createServer({ name: 'library', version: '1.0.0' });

const languages = ['Go', 'Rust', 'TypeScript'];

server.prompt(
  'review',
  {
    arguments: [{ name: 'language', required: true }],
    // The client receives exactly these values, so filter them here.
    complete: { language: (typed) => languages.filter((one) => one.toLowerCase().startsWith(typed.toLowerCase())) },
  },
  ({ language }) => `Review this ${language} code.`,
);

const client = await connectInMemory(server);
const ref = { type: 'ref/prompt', name: 'review' } as const;
console.log((await client.complete(ref, { name: 'language', value: 'r' })).completion.values);
console.log((await client.getPrompt('review', { language: 'Rust' })).messages);
await client.close();
