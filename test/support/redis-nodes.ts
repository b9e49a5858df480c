/** Several servers of Redis that tests start: alone, as a cluster, or with sentinels; and what may befall them. */

import { Redis } from 'ioredis';
import { startRedis, type Engine } from './engines.ts';
import { stuckAfterMs } from './stuck.ts';

/** A server, and what may befall it. */
export interface RedisNode {
  readonly port: number;
  /** Sends a command to it. */
  send(command: string, ...words: readonly (string | number)[]): Promise<unknown>;
  /** Ends it without a word, and does not start it again. */
  kill(): Promise<void>;
  /** Keeps it from doing anything, until it is thawed. */
  freeze(): void;
  thaw(): void;
  /** Starts it again, with what it has on its disk. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts a server; it cares for no loss of power. */
export async function startNode(...settings: readonly string[]): Promise<RedisNode> {
  const engine = await startRedis('no', ...settings);
  const admin = new Redis(engine.port, '127.0.0.1', { retryStrategy: (times) => Math.min(times * 10, 100) });
  admin.on('error', () => {});
  let id = await processOf(admin).catch(async (error: unknown) => {
    admin.disconnect();
    await engine.stop();
    throw error;
  });
  let isFrozen = false;
  const thaw = (): void => {
    if (isFrozen) process.kill(id, 'SIGCONT');
    isFrozen = false;
  };
  return {
    port: engine.port,
    send: (command, ...words) => admin.call(command, ...words),
    kill: async () => {
      process.kill(id, 'SIGKILL');
      await new Promise<void>((resolve) => admin.once('close', () => resolve()));
    },
    freeze: () => {
      process.kill(id, 'SIGSTOP');
      isFrozen = true;
    },
    thaw,
    restart: async () => {
      thaw();
      await engine.restart();
      id = await processOf(admin);
    },
    stop: () => {
      thaw();
      admin.disconnect();
      return engine.stop();
    },
  };
}

/** Servers that make one cluster. */
export interface RedisCluster {
  readonly nodes: readonly RedisNode[];
  /** The server that is the primary for a place. */
  primaryOf(slot: number): Promise<RedisNode>;
  /** Waits until every place has a primary, as every server that lives sees it, and every replica has what its primary has. */
  settle(): Promise<void>;
  /** Has the primary of a place hand over to its replica, and gives that. */
  handOver(slot: number): Promise<RedisNode>;
  stop(): Promise<void>;
}

/**
 * Starts three primaries, and three replicas.
 *
 * @param silenceMs Silence after which a primary is replaced. A busy machine lets each of them wait for seconds: a test that measures no time gives more.
 */
export async function startCluster(silenceMs = 1_500): Promise<RedisCluster> {
  const nodes: RedisNode[] = [];
  const stop = async (): Promise<void> => {
    await Promise.all(nodes.map((node) => node.stop()));
  };
  try {
    const settings = [
      '--cluster-enabled',
      'yes',
      '--cluster-node-timeout',
      String(silenceMs),
      '--cluster-announce-ip',
      '127.0.0.1',
    ];
    const more = ['--cluster-allow-replica-migration', 'no', '--repl-diskless-sync-delay', '0'];
    // One after the other, since each looks for a free port, and takes another one 10,000 above it.
    for (let number = 0; number < 6; number++) nodes.push(await startNode(...settings, ...more));
    const [first, ...others] = nodes;
    const bounds = [0, 5461, 10_923, 16_384];
    for (let at = 0; at < 3; at++)
      await nodes[at]?.send('CLUSTER', 'ADDSLOTSRANGE', bounds[at] ?? 0, (bounds[at + 1] ?? 0) - 1);
    let again = 0;
    await eventually(async () => {
      // A meeting that takes longer than a silence is given up, without a word.
      if (performance.now() > again) {
        for (const node of others) await node.send('CLUSTER', 'MEET', '127.0.0.1', first?.port ?? 0);
        again = performance.now() + 10_000;
      }
      for (const node of nodes) {
        const known = String(await node.send('CLUSTER', 'INFO'));
        if (!known.includes('cluster_known_nodes:6') || !known.includes('cluster_state:ok')) return false;
      }
      return true;
    }, 'a cluster of six');
    for (let at = 0; at < 3; at++)
      await nodes[at + 3]?.send('CLUSTER', 'REPLICATE', String(await nodes[at]?.send('CLUSTER', 'MYID')));
    const cluster: RedisCluster = {
      nodes,
      primaryOf: (slot) => primaryOf(nodes, slot),
      settle: () => settle(nodes),
      handOver: (slot) => handOver(nodes, slot),
      stop,
    };
    await cluster.settle();
    return cluster;
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Tries again and again, for longer than it takes if it comes at all. */
export async function eventually(
  isSo: () => boolean | Promise<boolean>,
  what = 'what was waited for',
  maxMs: number = stuckAfterMs,
): Promise<void> {
  const until = performance.now() + maxMs;
  while (!(await isSo())) {
    if (performance.now() > until) throw new Error(`${what} did not come within ${maxMs / 1000} s`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

async function settle(nodes: readonly RedisNode[]): Promise<void> {
  const isWhole = async (): Promise<boolean> => {
    for (const node of nodes) {
      const state = await answered(node, 'CLUSTER', 'INFO');
      if (state !== undefined && !state.includes('cluster_state:ok')) return false;
      // One that has not what its primary has takes nobody's place.
      const role = await answered(node, 'INFO', 'replication');
      if (role?.includes('role:slave') === true && !role.includes('master_link_status:up')) return false;
    }
    return true;
  };
  // Servers that a busy machine lets wait for as long take one another for dead, again and again.
  await eventually(isWhole, 'a whole cluster');
}

/** Redis gives a handing over up after 5 s, without a word, so that it is asked for again. */
async function handOver(nodes: readonly RedisNode[], slot: number): Promise<RedisNode> {
  const replica = await replicaOf(nodes, await primaryOf(nodes, slot));
  let again = 0;
  await eventually(async () => {
    if ((await primaryNow(nodes, slot)) === replica) return true;
    if (performance.now() > again) {
      await answered(replica, 'CLUSTER', 'FAILOVER');
      again = performance.now() + 6_000;
    }
    return false;
  }, 'the handing over to a replica');
  return replica;
}

async function replicaOf(nodes: readonly RedisNode[], primary: RedisNode): Promise<RedisNode> {
  const id = String(await primary.send('CLUSTER', 'MYID'));
  let found: RedisNode | undefined;
  await eventually(async () => {
    const known = String(await primary.send('CLUSTER', 'REPLICAS', id));
    found = nodes.find(({ port }) => known.includes(`:${port}@`));
    return found !== undefined && known.includes(' connected');
  }, 'a replica');
  if (found === undefined) throw new Error('a primary without a replica');
  return found;
}

async function primaryOf(nodes: readonly RedisNode[], slot: number): Promise<RedisNode> {
  let found: RedisNode | undefined;
  await eventually(async () => (found = await primaryNow(nodes, slot)) !== undefined, `a primary of place ${slot}`);
  if (found === undefined) throw new Error(`nobody has place ${slot}`);
  return found;
}

/** The primary of a place, as far as somebody says who it is. */
async function primaryNow(nodes: readonly RedisNode[], slot: number): Promise<RedisNode | undefined> {
  for (const asked of nodes) {
    const answer = await answered(asked, 'CLUSTER', 'NODES');
    for (const line of (answer ?? '').split('\n')) {
      const [, address = '', flags = '', , , , , , ...ranges] = line.split(' ');
      const isOwner = ranges.some((range) => {
        const [from = '', to = from] = range.split('-');
        return slot >= Number(from) && slot <= Number(to);
      });
      if (!flags.includes('master') || flags.includes('fail') || !isOwner) continue;
      const found = nodes.find(({ port }) => address.includes(`:${port}@`));
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

/** What a server answers, if it does. */
async function answered(node: RedisNode, command: string, ...words: readonly string[]): Promise<string | undefined> {
  const silence = new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), 500).unref());
  return await Promise.race([node.send(command, ...words).then(String, () => undefined), silence]);
}

async function processOf(admin: Redis): Promise<number> {
  return Number(/process_id:(\d+)/.exec(String(await admin.call('INFO', 'server')))?.[1]);
}

export type { Engine };
