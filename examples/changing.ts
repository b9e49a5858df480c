import { createServer } from 'parley-mcp/server';
import { connectInMemory } from 'parley-mcp/testing';

const server = createServer({ name: 'shop', version: '1.0.0' });
const order = server.tool('order', { description: 'Orders the items on the list.' }, () => 'ordered');

const client = await connectInMemory(server);
const names = async () => (await client.listTools()).map(({ name, description }) => `${name}: ${description}`);
const changed = await client.subscribe({ tools: true }, (event) => console.log('changed:', event));

// Each definition returns a handle. Subscribed clients receive one notification for changes that happen together.
order.update({ description: 'Orders the items on the list, except on Sundays.' });
console.log(await names());
order.disable(); // not listed, and calls fail
console.log(await names());
order.enable();
order.remove(); // permanently; the name is free again
const later = server.tool('pay', { description: 'Pays.' }, () => 'paid');
console.log(await names(), later.enabled);

await changed.close();
await client.close();
