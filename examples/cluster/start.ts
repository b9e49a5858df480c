/** `node examples/cluster/start.ts`: a Redis, three processes of one server, and a proxy before them that sends each request to the next. */

import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { roundRobin } from './proxy.ts';

const folder = mkdtempSync(join(tmpdir(), 'parley-cluster-'));
const socket = Number(process.env['REDIS_PORT'] ?? 6390);
const engine = spawn(
  'redis-server',
  ['--port', String(socket), '--bind', '127.0.0.1', '--dir', folder, '--appendonly', 'yes'],
  {
    stdio: ['ignore', 'pipe', 'inherit'],
  },
);
for await (const line of createInterface({ input: engine.stdout })) if (line.includes('Ready to accept')) break;
engine.stdout.resume();

const env = {
  ...process.env,
  PORT: '0',
  REDIS_URL: `redis://127.0.0.1:${socket}`,
  KEYS: randomBytes(32).toString('base64'),
};
const servers = [1, 2, 3].map(() =>
  spawn(process.execPath, [join(import.meta.dirname, 'server.ts')], { env, stdio: ['ignore', 'pipe', 'inherit'] }),
);
const urls = await Promise.all(
  servers.map(async ({ stdout }) => new URL(String((await once(createInterface({ input: stdout }), 'line'))[0]))),
);

const proxy = roundRobin(urls).listen(Number(process.env['PORT'] ?? 3000), '127.0.0.1');
await once(proxy, 'listening');
const address = proxy.address();
console.log(`http://127.0.0.1:${typeof address === 'object' ? address?.port : address}/mcp`);

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, async () => {
    const ended = servers.map((server) => once(server, 'exit'));
    for (const server of servers) server.kill('SIGTERM');
    await Promise.all(ended);
    proxy.close();
    proxy.closeAllConnections();
    engine.kill('SIGTERM');
    await once(engine, 'exit');
    rmSync(folder, { recursive: true, force: true });
  });
