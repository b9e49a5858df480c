/**
 * Three processes of the server that the suite drives, with one Redis and a proxy before them that hands each request to the next:
 * `node test/conformance/service.ts`.
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { roundRobin } from '../../examples/cluster/proxy.ts';
import { startNode } from '../support/redis-nodes.ts';

const engine = await startNode();
const env = {
  ...process.env,
  REDIS_URL: `redis://127.0.0.1:${engine.port}`,
  KEYS: Buffer.alloc(32, 5).toString('base64'),
};
const children = [1, 2, 3].map(() =>
  spawn(process.execPath, [join(import.meta.dirname, 'server.ts'), '--port', '0'], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  }),
);
const urls = await Promise.all(
  children.map(async ({ stdout }) => new URL(String((await once(createInterface({ input: stdout }), 'line'))[0]))),
);
const proxy = roundRobin(urls).listen(0, '127.0.0.1');
await once(proxy, 'listening');
const address = proxy.address();
console.log(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/mcp`);

process.once('SIGTERM', async () => {
  const ended = children.map((child) => once(child, 'exit'));
  for (const child of children) child.kill('SIGTERM');
  await Promise.all(ended);
  proxy.close();
  proxy.closeAllConnections();
  await engine.stop();
});
