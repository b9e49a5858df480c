import { createServer } from 'parley-mcp/server';
import { connectInMemory } from 'parley-mcp/testing';

const server = createServer({ name: 'backup', version: '1.0.0' });

server.tool('backup', {}, (_, ctx) => {
  ctx.log('debug', 'reading the list of files');
  ctx.log('warning', { skipped: 'notes.tmp' }, 'files');
  return 'done';
});

const client = await connectInMemory(server, {
  onLog: ({ level, data, logger }) => console.log(level, data, logger),
});
// In 2026-07-28, a server sends no logs until the client sets a level.
await client.setLogLevel('info');
console.log((await client.callTool('backup')).content);
await client.close();
