/** Parley, as its users serve it: every default limit and check is on. */
import { createServer } from '../../src/server.ts';
import { listen } from '../../src/node.ts';
import { ready } from './support.ts';
import { descriptions, largeText, moreNames } from './tools.ts';

const server = createServer({ name: 'bench', version: '1.0.0' });
const numbers = {
  type: 'object',
  properties: { a: { type: 'number' }, b: { type: 'number' } },
  required: ['a', 'b'],
} as const;
const length = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] } as const;

server.tool('add', { description: descriptions.add, input: numbers }, ({ a, b }) => String(a + b));
server.tool('large', { description: descriptions.large }, () => largeText);
server.tool('length', { description: descriptions.length, input: length }, ({ text }) => String(text.length));
for (const name of moreNames) server.tool(name, { description: `The ${name}.`, input: numbers }, ({ a }) => String(a));

const { url } = await listen(server, { port: 0 });
ready(url, { change: () => server.changed('tools') });
