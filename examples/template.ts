import { createServer } from 'parley-mcp/server';
import { connectInMemory } from 'parley-mcp/testing';

const server = createServer({ name: 'people', version: '1.0.0' });
const people = new Map([
  ['ada', { born: 1815 }],
  ['alan', { born: 1912 }],
]);

server.resourceTemplate(
  'people://{name}',
  { name: 'person', complete: { name: (typed) => [...people.keys()].filter((name) => name.startsWith(typed)) } },
  // If this returns `undefined`, the client receives a "not found" error.
  (_uri, { name }) => (people.has(name) ? JSON.stringify(people.get(name)) : undefined),
);

const client = await connectInMemory(server);
const ref = { type: 'ref/resource', uri: 'people://{name}' } as const;
console.log((await client.complete(ref, { name: 'name', value: 'al' })).completion.values);
console.log((await client.readResource('people://alan')).contents);
await client.close();
