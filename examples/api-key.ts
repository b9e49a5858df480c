import { connect, ConnectionError } from 'parley-mcp/client';
import { listen } from 'parley-mcp/node';
import { createServer } from 'parley-mcp/server';

const server = createServer({ name: 'library', version: '1.0.0' });
server.tool('find', { description: 'Finds a book.' }, () => 'found');
const names = ['Ada', 'Alan', 'Grace'];
server.prompt(
  'about',
  { arguments: [{ name: 'who' }], complete: { who: (typed) => names.filter((name) => name.startsWith(typed)) } },
  ({ who = 'everybody' }) => `Who is ${who}?`,
);
const served = await listen(server, {
  port: 0,
  authenticate: (request) =>
    request.header('x-api-key') === 'secret' ? { principal: 'ann' } : { status: 401, headers: {} },
});

// Headers of every request. Pass a function if the key changes; it runs before each request.
const client = await connect(served.url, { headers: { 'X-API-Key': 'secret' } });
await client.ping();
for await (const { items, nextCursor } of client.pages('tools/list')) console.log(items.length, nextCursor);
const ref = { type: 'ref/prompt', name: 'about' } as const;
console.log((await client.complete(ref, { name: 'who', value: 'A' })).completion.values);
await client.close();

const refused = await connect(served.url, { headers: { 'X-API-Key': 'wrong' } }).catch((error: unknown) => error);
if (refused instanceof ConnectionError) console.log(refused.reason, refused.status);
await served.close();
await server.close();
