/** 12.6: the engine frozen for 5 s, full for 5 s, and away for 5 s and then empty: the heap stays flat, and all is as before within 2 s. */

import type { RedisNode } from '../../support/redis-nodes.ts';
import { Speaker } from '../speaker.ts';
import { parts, pause, startBars, type BarService } from './service.ts';

interface Trouble {
  readonly begin: (engine: RedisNode) => void | Promise<unknown>;
  readonly end: (engine: RedisNode) => void | Promise<unknown>;
  /** What calls in sessions may be answered meanwhile. */
  readonly answers: readonly number[];
}

const troubles: Readonly<Record<string, Trouble>> = {
  frozen: { begin: (engine) => engine.freeze(), end: (engine) => engine.thaw(), answers: [200] },
  full: {
    begin: (engine) => engine.send('CONFIG', 'SET', 'maxmemory', '1'),
    end: (engine) => engine.send('CONFIG', 'SET', 'maxmemory', '0'),
    answers: [200],
  },
  // It comes back as one that has nothing on its disk.
  emptied: {
    begin: async (engine) => {
      await engine.send('FLUSHALL');
      await engine.kill();
    },
    end: (engine) => engine.restart(),
    answers: [200, 404],
  },
};

/** Heap of all processes in megabytes, without what can be collected. */
async function heapOf(service: BarService): Promise<number> {
  await Promise.all(service.nodes.map((node) => node.tell('collect')));
  const all = await Promise.all(service.nodes.map((node) => node.tell('usage')));
  return all.reduce((sum, { heapUsed }) => sum + heapUsed, 0) / 2 ** 20;
}

/** Clients in sessions that call one process after the other. */
class Callers {
  readonly statuses = new Map<number, number>();
  readonly #service: BarService;
  #speakers: readonly Speaker[] = [];

  constructor(service: BarService) {
    this.#service = service;
  }

  async open(count: number): Promise<void> {
    const opening = Array.from({ length: count }, (_, at) =>
      new Speaker(this.#service.spoken, '2025-11-25').open(at, at + 1),
    );
    this.#speakers = await Promise.all(opening);
  }

  async once(turn: number): Promise<void> {
    await Promise.all(this.#speakers.map((probeClient, at) => this.call(probeClient, at + turn)));
  }

  async call(probeClient: Speaker, at: number): Promise<number> {
    const params = { name: 'echo', arguments: { text: 'x' } };
    const status = await probeClient
      .request(at, 'tools/call', params)
      .status()
      .catch(() => 0);
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
    return status;
  }
}

/** Resolves when a session is opened and used at another process; gives the milliseconds. */
async function untilBack(service: BarService, callers: Callers): Promise<number> {
  const began = performance.now();
  for (let at = 0; performance.now() - began < 10_000; at++) {
    const opened = await new Speaker(service.spoken, '2025-11-25').open(at, at + 1).catch(() => undefined);
    if (opened !== undefined && (await callers.call(opened, at + 2)) === 200) break;
    await pause(20);
  }
  return performance.now() - began;
}

async function trouble(service: BarService, name: string, scale: number): Promise<readonly string[]> {
  const { begin, end, answers } = troubles[name] as Trouble;
  const engine = service.redis as RedisNode;
  const callers = new Callers(service);
  const [backs, heaps]: [number[], number[]] = [[], []];
  for (let time = 0; time < Math.ceil(5 * scale); time++) {
    // An engine that was emptied knows no session.
    if (time === 0 || answers.includes(404)) await callers.open(Math.ceil(100 * scale));
    for (let turn = 0; turn < 10; turn++) await callers.once(turn);
    heaps.push(await heapOf(service));
    await begin(engine);
    const began = performance.now();
    for (let turn = 0; performance.now() - began < 5_000; turn++) {
      await callers.once(turn);
      await pause(50);
    }
    await end(engine);
    backs.push(await untilBack(service, callers));
    await callers.once(time);
  }
  heaps.push(await heapOf(service));
  const { p50, most } = parts(backs);
  const said = [...callers.statuses].map(([status, number]) => `${number} × ${status}`).join(', ');
  console.log(
    `12.6 ${name} ${backs.length} times: as before after p50 ${p50.toFixed(0)}, at most ${most.toFixed(0)} ms; heap of three processes ${heaps.map((one) => one.toFixed(1)).join(', ')} MB; answers ${said}`,
  );
  const wrong = [...callers.statuses.keys()].filter((status) => !answers.includes(status));
  return [
    ...wrong.map((status) => `${name}: calls were answered ${status}`),
    ...(most > 2_000 ? [`${name}: it took ${most} ms until all was as before`] : []),
    ...((heaps.at(-1) ?? 0) > (heaps[0] ?? 0) + 5 ? [`${name}: the heap grew: ${heaps.join()}`] : []),
  ];
}

export async function engine(scale: number): Promise<readonly string[]> {
  const service = await startBars();
  const wrong: string[] = [];
  try {
    for (const name of Object.keys(troubles)) wrong.push(...(await trouble(service, name, scale)));
  } finally {
    await service.stop();
  }
  return wrong;
}
