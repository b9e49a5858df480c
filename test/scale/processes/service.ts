/** A service of real processes behind a proxy that knows nothing of sessions. */

import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { roundRobin } from '../../../examples/cluster/proxy.ts';
import { startCluster, startNode, type RedisNode } from '../../support/redis-nodes.ts';

/** What the processes share. */
export type EngineKind = 'one' | 'cluster';

/** A running service. */
export interface Service {
  readonly url: string;
  /** Puts another process in the place of the one that is there the longest, and ends that as a platform does. */
  replace(): Promise<void>;
  /** Number of the process that is there the longest. */
  oldest(): number | undefined;
  /** Kills that process, and puts another one in its place. */
  kill(): Promise<void>;
  /** Kills a primary of the cluster, which is started again when another took over. */
  failOver(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts an engine, three processes and the proxy. */
export async function startService(kind: EngineKind): Promise<Service> {
  const cluster = kind === 'cluster' ? await startCluster() : undefined;
  const engine = cluster ?? (await alone());
  const port = engine.nodes[0]?.port;
  const env = {
    ...process.env,
    REDIS_URL: `redis://127.0.0.1:${port}`,
    KEYS: Buffer.alloc(32, 9).toString('base64'),
    // Nothing befalls an engine that is one Redis, but that its machine is busy.
    PATIENT: kind === 'one' ? 'yes' : '',
  };
  const running: ChildProcess[] = [];
  const urls: URL[] = [];
  const add = async (triesLeft = 5): Promise<void> => {
    const child = spawn(process.execPath, [join(import.meta.dirname, 'node.ts')], {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const line = await firstLine(child.stdout);
    // One that cannot reach its store at its start ends, and a platform starts another.
    if (line === undefined && triesLeft > 0) return await add(triesLeft - 1);
    running.push(child);
    urls.push(new URL(line ?? 'no process begins'));
  };
  const end = async (child: ChildProcess | undefined, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> => {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
  };
  for (let count = 0; count < 3; count++) await add();
  const proxy = roundRobin(urls).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const address = proxy.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/mcp`,
    async replace() {
      await add();
      urls.shift();
      await end(running.shift(), 'SIGTERM');
    },
    oldest: () => running[0]?.pid,
    async kill() {
      // The proxy finds out by itself.
      await end(running.shift(), 'SIGKILL');
      await add();
      urls.shift();
    },
    async failOver() {
      const primary = await cluster?.primaryOf(Math.floor(Math.random() * 16_384));
      await primary?.kill();
      await cluster?.settle();
      await primary?.restart();
      await cluster?.settle();
    },
    async stop() {
      proxy.close();
      proxy.closeAllConnections();
      await Promise.all(running.map((child) => end(child, 'SIGKILL')));
      await engine.stop();
    },
  };
}

async function firstLine(output: Readable): Promise<string | undefined> {
  const lines = createInterface({ input: output });
  const [line] = await Promise.race([once(lines, 'line'), once(lines, 'close')]);
  return line as string | undefined;
}

async function alone(): Promise<{ readonly nodes: readonly RedisNode[]; stop(): Promise<void> }> {
  const node = await startNode();
  return { nodes: [node], stop: () => node.stop() };
}
