/** `npm run bench:redis`: how often a store in Redis is asked, and how long that takes, on one server and on three primaries that it starts itself. */

import { redis, type RedisStore } from '../../src/redis.ts';
import { startCluster, startNode } from '../../test/support/redis-nodes.ts';

const times = Number(process.argv[2] ?? 50_000);
const atOnce = 200;
const text = 'x'.repeat(200);

interface Figure {
  readonly what: string;
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
}

async function measured(what: string, count: number, width: number, run: (at: number) => unknown): Promise<Figure> {
  const taken: number[] = [];
  let next = 0;
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
  taken.sort((a, b) => a - b);
  const at = (part: number): number => taken[Math.min(taken.length - 1, Math.floor(taken.length * part))] ?? 0;
  return { what, perSecond, p50: at(0.5), p99: at(0.99) };
}

async function figures(store: RedisStore): Promise<readonly Figure[]> {
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
    await measured(name, times / 10, atOnce, run);
    found.push(await measured(`${name}, ${atOnce} at once`, times, atOnce, run));
    found.push(await measured(`${name}, alone`, times / 25, 1, run));
  }
  return found;
}

async function printed(title: string, port: number): Promise<void> {
  const store = redis(`redis://127.0.0.1:${port}`, { name: 'bench', onWarning: () => {} });
  try {
    console.log(`\n| ${title} | a second | p50 ms | p99 ms |\n|---|---|---|---|`);
    for (const { what, perSecond, p50, p99 } of await figures(store))
      console.log(
        `| ${what} | ${Math.round(perSecond).toLocaleString('en')} | ${p50.toFixed(2)} | ${p99.toFixed(2)} |`,
      );
  } finally {
    store.close();
  }
}

const node = await startNode();
try {
  await printed('one server', node.port);
} finally {
  await node.stop();
}
const cluster = await startCluster();
try {
  await printed('three primaries, three replicas', cluster.nodes[0]?.port ?? 0);
} finally {
  await cluster.stop();
}
