import { createServer } from 'parley-mcp/server';
import { connectInMemory } from 'parley-mcp/testing';

// Prints one line of JSON for each event, for a log collector.
const server = createServer(
  { name: 'weather', version: '1.0.0' },
  { onEvent: (event) => console.log(JSON.stringify({ at: new Date(), ...event })) },
);

const client = await connectInMemory(server, { revision: '2025-11-25' });
await client.ping();
await client.close();
