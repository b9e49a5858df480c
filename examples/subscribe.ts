import { createServer } from 'parley-mcp/server';
import { connectInMemory } from 'parley-mcp/testing';

const server = createServer({ name: 'thermometer', version: '1.0.0' });
let degrees = 20;
server.resource('room://temperature', { name: 'temperature' }, () => `${degrees}`);

const client = await connectInMemory(server);
const watched = await client.subscribe({ updates: ['room://temperature'] }, async (event) => {
  console.log(event, (await client.readResource('room://temperature')).contents);
  await watched.close();
  await client.close();
});
degrees = 21;
server.resourceUpdated('room://temperature');
