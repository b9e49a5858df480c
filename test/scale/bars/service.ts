/** A service of real processes whose bars are measured, each of which is reached by itself. */

import { fork, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { startCluster, startNode, type RedisCluster, type RedisNode } from '../../support/redis-nodes.ts';
import type { Service as SpokenTo } from '../service.ts';

/** What a process is told to do. */
export type NodeWish = 'change' | 'update' | 'usage' | 'collect';

/** What a process has used, and how late its turns came since it was asked last, in milliseconds. */
export interface NodeUsage {
  readonly cpuMs: number;
  readonly rss: number;
  readonly heapUsed: number;
  readonly lagP99: number;
}

/** A process. */
export interface BarNode {
  readonly url: URL;
  tell(wish: NodeWish): Promise<NodeUsage>;
  /** Hears when a call that was held here ended, by its text. */
  onHeld: (text: string, endedAt: number) => void;
}

/** A service. */
export interface BarService {
  readonly nodes: readonly BarNode[];
  readonly redis: RedisNode | undefined;
  readonly cluster: RedisCluster | undefined;
  /** The same as what speakers of the tests in this process talk to. */
  readonly spoken: SpokenTo<unknown>;
  stop(): Promise<void>;
}

/** What a service is started with. */
export interface BarOptions {
  readonly nodes?: number;
  readonly engine?: 'one' | 'cluster' | 'none';
  readonly env?: Readonly<Record<string, string>>;
}

export async function startBars({ nodes: count = 3, engine = 'one', env = {} }: BarOptions = {}): Promise<BarService> {
  const cluster = engine === 'cluster' ? await startCluster() : undefined;
  const redis = engine === 'one' ? await startNode() : undefined;
  const port = (cluster?.nodes[0] ?? redis)?.port;
  const given = {
    ...process.env,
    ...(port === undefined ? {} : { REDIS_URL: `redis://127.0.0.1:${port}` }),
    KEYS: Buffer.alloc(32, 9).toString('base64'),
    ...env,
  };
  const children: ChildProcess[] = [];
  const nodes: BarNode[] = [];
  for (let at = 0; at < count; at++) {
    const child = fork(join(import.meta.dirname, 'node.ts'), { env: given, execArgv: ['--expose-gc'] });
    children.push(child);
    nodes.push(await nodeOf(child));
  }
  const to =
    (at: number): typeof fetch =>
    (_, init) =>
      fetch(nodes[at % nodes.length]?.url ?? '', init);
  let turn = 0;
  const spoken = {
    nodes: [],
    errors: [],
    log: [],
    to,
    fetch: (...given: Parameters<typeof fetch>) => to(turn++)(...given),
    commands: () => 0,
  };
  return {
    nodes,
    redis,
    cluster,
    spoken,
    stop: async () => {
      for (const child of children) child.kill('SIGKILL');
      await redis?.stop();
      await cluster?.stop();
    },
  };
}

async function nodeOf(child: ChildProcess): Promise<BarNode> {
  const waiting = new Map<number, (found: NodeUsage) => void>();
  let last = 0;
  return await new Promise<BarNode>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`a process ended with ${code}`)));
    child.on('message', (said: { url?: string; id?: number; found?: NodeUsage; held?: string; endedAt?: number }) => {
      if (said.url !== undefined) {
        node.url.href = said.url;
        resolve(node);
      } else if (said.held !== undefined) node.onHeld(said.held, said.endedAt ?? 0);
      else if (said.id !== undefined) waiting.get(said.id)?.(said.found as NodeUsage);
    });
    const node: BarNode = {
      url: new URL('http://127.0.0.1'),
      onHeld: () => {},
      tell: (wish) =>
        new Promise((found) => {
          waiting.set(++last, found);
          child.send({ wish, id: last });
        }),
    };
  });
}

/** Half, and 99 of 100, of some figures. */
export function parts(figures: readonly number[]): {
  readonly p50: number;
  readonly p99: number;
  readonly most: number;
} {
  const sorted = figures.toSorted((a, b) => a - b);
  const at = (part: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
  return { p50: at(0.5), p99: at(0.99), most: sorted.at(-1) ?? 0 };
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
