import { createServer } from 'parley-mcp/server';
import { connectInMemory } from 'parley-mcp/testing';

const server = createServer({ name: 'shop', version: '1.0.0' });
const order = server.tool('order', { description: 'Orders what is on the list.' }, () => 'ordered');

const client = await connectInMemory(server);
const names = async () => (await client.listTools()).map(({ name, description }) => `${name}: ${description}`);
const changed = await client.subscribe({ tools: true }, (event) => console.log('the server says:', event));

// Each definition gives a handle; clients that want to know of changes are told, once for all that change together.
order.update({ description: 'Orders what is on the list; closed on Sundays.' });
console.log(await names());
order.disable(); // neither listed nor usable
console.log(await names());
order.enable();
order.remove(); // for good: its name is free again
const later = server.tool('pay', { description: 'Pays.' }, () => 'paid');
console.log(await names(), later.enabled);

await changed.close();
await client.close();
