/** `npm run lab -- bench:redis`: how often a store in Redis is asked, and how long that takes, on one server and on three primaries that it starts itself. */

import { redis, type RedisStore } from '../../packages/parley/src/redis.ts';
import { startCluster, startNode, type RedisNode } from '../../test/support/redis-nodes.ts';

const times = Number(process.argv[2] ?? 50_000);
const atOnce = 200;
const text = 'x'.repeat(200);

interface Figure {
  readonly what: string;
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  /** Time of a processor that one takes here, and at all servers together, in microseconds. */
  readonly here: number;
  readonly there: number;
}

/** Time of processors that servers used, in seconds. */
async function usedBy(nodes: readonly RedisNode[]): Promise<number> {
  const texts = await Promise.all(nodes.map(async (node) => String(await node.send('INFO', 'cpu'))));
  const used = texts.flatMap((text) => [...text.matchAll(/^used_cpu_(?:user|sys)_main_thread:([\d.]+)/gm)]);
  return used.reduce((sum, [, seconds]) => sum + Number(seconds), 0);
}

interface Load {
  readonly what: string;
  readonly count: number;
  readonly width: number;
  run(at: number): unknown;
}

async function measured({ what, count, width, run }: Load, nodes: readonly RedisNode[]): Promise<Figure> {
  const taken: number[] = [];
  let next = 0;
  const before = await usedBy(nodes);
  const cpu = process.cpuUsage();
  const began = performance.now();
  const work = async (): Promise<void> => {
    while (next < count) {
      const at = next++;
      const from = performance.now();
      await run(at);
      taken.push(performance.now() - from);
    }
  };
  await Promise.all(Array.from({ length: width }, work));
  const perSecond = (count / (performance.now() - began)) * 1_000;
  const { user, system } = process.cpuUsage(cpu);
  taken.sort((a, b) => a - b);
  const at = (part: number): number => taken[Math.min(taken.length - 1, Math.floor(taken.length * part))] ?? 0;
  const there = (((await usedBy(nodes)) - before) * 1e6) / count;
  return { what, perSecond, p50: at(0.5), p99: at(0.99), here: (user + system) / count, there };
}

async function figures(store: RedisStore, nodes: readonly RedisNode[]): Promise<readonly Figure[]> {
  const found: Figure[] = [];
  const key = (at: number): string => `k${at % 1_000}`;
  const writers = await Promise.all(
    Array.from({ length: atOnce }, async (_, at) => await store.events.open(`s${at}`).write('a', '')),
  );
  await store.bus.subscribe(
    'heard',
    () => {},
    () => {},
  );
  for (const [name, run] of [
    ['put', (at: number) => store.records.put(key(at), text, 60_000)],
    ['get', (at: number) => store.records.get(key(at))],
    ['append', (at: number) => writers[at % atOnce]?.append(text)],
    ['take', (at: number) => store.limits.take(key(at), { perSecond: 1_000_000 })],
    ['publish, 1 subscriber', () => store.bus.publish('heard', text)],
  ] as const) {
    await measured({ what: name, count: times / 10, width: atOnce, run }, nodes);
    found.push(await measured({ what: `${name}, ${atOnce} at once`, count: times, width: atOnce, run }, nodes));
    found.push(await measured({ what: `${name}, alone`, count: times / 25, width: 1, run }, nodes));
  }
  return found;
}

async function printed(title: string, nodes: readonly RedisNode[]): Promise<void> {
  const store = redis(`redis://127.0.0.1:${nodes[0]?.port}`, { name: 'bench', onWarning: () => {} });
  try {
    console.log(
      `\n| ${title} | a second | p50 ms | p99 ms | µs of a processor, client | µs, servers |\n|---|---|---|---|---|---|`,
    );
    for (const { what, perSecond, p50, p99, here, there } of await figures(store, nodes))
      console.log(
        `| ${what} | ${Math.round(perSecond).toLocaleString('en')} | ${p50.toFixed(2)} | ${p99.toFixed(2)} | ${here.toFixed(1)} | ${there.toFixed(1)} |`,
      );
  } finally {
    await store.close();
  }
}

const node = await startNode();
try {
  await printed('one server', [node]);
} finally {
  await node.stop();
}
const cluster = await startCluster();
try {
  await printed('three primaries, three replicas', cluster.nodes);
} finally {
  await cluster.stop();
}
