import { createBridge } from 'parley-mcp/bridge';
import { listen } from 'parley-mcp/node';
import { spawn } from 'parley-mcp/stdio';

// The server behind the bridge: a command on standard streams. It can also be a URL.
const [command = 'node', ...args] = process.argv.slice(2);
const bridge = await createBridge({ upstream: spawn(command, args) });

// Clients of every protocol version reach it over HTTP.
const served = await listen(bridge, { port: Number(process.env['PORT'] ?? 3000) });
console.log(`listening at ${served.url}`);

process.once('SIGTERM', async () => {
  await served.close();
  await bridge.close();
});
