/** 12.13: what a call in a session costs: at its process of three that share nothing, at its process of three that share an engine, and at each in turn. */

import { Speaker } from '../speaker.ts';
import { parts, startBars } from './service.ts';

interface Cost {
  readonly cpuUs: number;
  readonly p50: number;
  readonly p99: number;
}

async function cost(engine: 'one' | 'none', isSticky: boolean, count: number): Promise<Cost> {
  const service = await startBars({ engine });
  try {
    const speakers = await Promise.all(
      Array.from({ length: 30 }, (_, at) => new Speaker(service.spoken, '2025-11-25').open(at, isSticky ? at : at + 1)),
    );
    const taken: number[] = [];
    const call = async (probeClient: Speaker, at: number): Promise<void> => {
      const began = performance.now();
      await probeClient.request(at, 'tools/call', { name: 'echo', arguments: { text: 'x' } }).whole();
      taken.push(performance.now() - began);
    };
    const run = async (calls: number): Promise<void> => {
      await Promise.all(
        speakers.map(async (probeClient, own) => {
          for (let at = 0; at < calls / 30; at++) await call(probeClient, isSticky ? own : own + at);
        }),
      );
    };
    const cpu = async (): Promise<number> =>
      (await Promise.all(service.nodes.map((node) => node.tell('usage')))).reduce((sum, { cpuMs }) => sum + cpuMs, 0);
    await run(count);
    taken.length = 0;
    const before = await cpu();
    await run(count);
    const cpuUs = (((await cpu()) - before) * 1000) / count;
    taken.length = 0;
    for (let at = 0; at < 2_000; at++) await call(speakers[0] as Speaker, isSticky ? 0 : at);
    const { p50, p99 } = parts(taken);
    return { cpuUs, p50, p99 };
  } finally {
    await service.stop();
  }
}

export async function sessions(scale: number): Promise<readonly string[]> {
  const count = Math.ceil(15_000 * scale);
  const found = new Map<string, Cost[]>();
  for (let round = 0; round < 3; round++)
    for (const [name, engine, isSticky] of [
      ['alone', 'none', true],
      ['sticky', 'one', true],
      ['in turn', 'one', false],
    ] as const)
      found.set(name, [...(found.get(name) ?? []), await cost(engine, isSticky, count)]);
  const median = (name: string, of: keyof Cost): number => parts((found.get(name) ?? []).map((one) => one[of])).p50;
  for (const name of found.keys())
    console.log(
      `12.13 ${name}: ${median(name, 'cpuUs').toFixed(0)} µs of a processor a call (${(median(name, 'cpuUs') / median('alone', 'cpuUs')).toFixed(2)}), one after the other p50 ${median(name, 'p50').toFixed(2)}, p99 ${median(name, 'p99').toFixed(2)} ms`,
    );
  return [];
}
