import { listen } from 'parley-mcp/node';
import { createServer } from 'parley-mcp/server';

const server = createServer({ name: 'weather', version: '1.0.0' });
server.tool('forecast', {}, () => 'sunny');

const served = await listen(server, {
  port: Number(process.env['PORT'] ?? 3000),
  health: { live: '/livez', ready: '/readyz' },
});
console.log(`listening at ${served.url}`);

// Platforms send SIGTERM, and kill the process some time later. Both times together must be shorter than that.
process.once('SIGTERM', async () => {
  await served.close({ readyTimeoutMs: 500, drainTimeoutMs: 10_000 });
  await server.close();
});
