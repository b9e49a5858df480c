/** `node examples/cluster/start.ts` starts Redis, three processes of one server, and a proxy that sends each request to the next process. */

import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { roundRobin } from './proxy.ts';

const { PORT = '3000', REDIS_PORT = '6390' } = process.env;
const folder = mkdtempSync(join(tmpdir(), 'parley-cluster-'));
const started: ChildProcess[] = [];

/** Starts a program, and gives the first line of its output that is wanted. */
async function start(program: string, words: readonly string[], wanted: RegExp, env = process.env): Promise<string> {
  const child = spawn(program, words, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child, 'spawn');
  started.push(child);
  const said: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    said.push(line);
    if (!wanted.test(line)) continue;
    child.stdout.resume();
    return line;
  }
  throw new Error(`${program} ended before it was ready: ${said.join('\n')}`);
}

/** Ends what was started, the servers before their Redis. */
async function stop(): Promise<void> {
  const end = async (child: ChildProcess): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
  };
  const [engine, ...servers] = started;
  await Promise.all(servers.map(end));
  proxy?.close();
  proxy?.closeAllConnections();
  if (engine !== undefined) await end(engine);
  rmSync(folder, { recursive: true, force: true });
}

let proxy: ReturnType<typeof roundRobin> | undefined;
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void stop());

try {
  const words = ['--port', REDIS_PORT, '--bind', '127.0.0.1', '--dir', folder, '--appendonly', 'yes'];
  await start('redis-server', words, /Ready to accept/);
  const env = {
    ...process.env,
    PORT: '0',
    REDIS_URL: `redis://127.0.0.1:${REDIS_PORT}`,
    KEYS: randomBytes(32).toString('base64'),
  };
  const server = join(import.meta.dirname, 'server.ts');
  const urls = await Promise.all([1, 2, 3].map(() => start(process.execPath, [server], /^http/, env)));
  proxy = roundRobin(urls.map((url) => new URL(url))).listen(Number(PORT), '127.0.0.1');
  await once(proxy, 'listening');
  const address = proxy.address();
  console.log(`http://127.0.0.1:${typeof address === 'object' ? address?.port : address}/mcp`);
} catch (error) {
  const { code, message } = error as NodeJS.ErrnoException;
  const isMissing = code === 'ENOENT';
  console.error(isMissing ? 'redis-server is not installed: npm run lab -- engines' : message);
  process.exitCode = 1;
  await stop();
}
