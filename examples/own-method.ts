import { createServer } from 'parley-mcp/server';
import { connectInMemory } from 'parley-mcp/testing';
import { z } from 'zod';

const params = z.object({ text: z.string() });
const result = z.object({ hits: z.array(z.string()) });
const titles = ['Emma', 'Ulysses'];

const server = createServer({ name: 'library', version: '1.0.0' });
server.method('com.example/search', { params, result }, ({ text }) => ({
  hits: titles.filter((title) => title.includes(text)),
}));

const client = await connectInMemory(server);
const { hits } = await client.request('com.example/search', { text: 'Em' }, { result });
console.log(hits);
await client.close();
