import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Unavailable } from '../../scripts/toolchains/unavailable.ts';
import { absent, kinds, placeOf, type Kind } from '../../test/tasks/processes/places.ts';
import type { Case, Contender } from '../harness/case.ts';
import { workerContender } from '../harness/worker.ts';

type What = 'plain' | 'get' | 'done' | 'finished' | 'waiting';

function inMemory(name: string, what: What, total: number, inFlight: number): Contender {
  const limit = what === 'plain' ? ({ limit: true } as const) : {};
  return workerContender({ name, script: 'tasks', ...limit, options: { what, kind: 'memory' }, total, inFlight });
}

/** A store that others could share, with a database of its own. */
function durable(kind: Kind, what: What, total: number, inFlight: number): Contender {
  return {
    name: kind === 'Redis' ? 'Redis (AOF always)' : kind,
    start: async () => {
      const reason = absent(kind);
      if (reason !== false) throw new Unavailable(reason);
      const folder = mkdtempSync(join(tmpdir(), 'parley-bench-'));
      const { place, engine } = await placeOf(kind, folder);
      const end = async (): Promise<void> => {
        await engine?.stop();
        rmSync(folder, { recursive: true, force: true });
      };
      try {
        const options = { what, kind, place };
        const running = await workerContender({ name: kind, script: 'tasks', options, total, inFlight }).start();
        return { turn: (share) => running.turn(share), stop: () => running.stop().then(end) };
      } catch (error) {
        await end();
        throw error;
      }
    },
  };
}

function beside(id: string, what: What, inFlight: number, words: Pick<Case, 'title' | 'unit' | 'target'>): Case {
  return {
    id,
    ...words,
    contenders: [
      inMemory('plain call', 'plain', 40_000, inFlight),
      inMemory('memory', what, 20_000, inFlight),
      ...kinds.map((kind) => durable(kind, what, 4_000, inFlight)),
    ],
  };
}

function kept(id: string, what: What, title: string, target: string): Case {
  const contenders = [inMemory('memory', what, what === 'waiting' ? 1_000 : 5_000, 1)];
  return { id, title, unit: 'bytes of heap each', target, contenders };
}

/** Tasks, in the process of their client: what is kept where costs, beside a plain call. */
export const taskCases: readonly Case[] = [
  beside('tasks-get', 'get', 16, {
    title: 'tasks/get of a finished task, 16 at a time',
    unit: 'µs of CPU of the process per request',
    target: 'memory ≤ 1.35 × a plain call; SQLite + 25, Redis + 40, PostgreSQL + 90 µs',
  }),
  beside('tasks-done', 'done', 64, {
    title: 'tasks begun and finished, 64 at a time, with empty work',
    unit: 'µs of CPU of the process per task',
    target: 'per second: memory ≥ half of plain calls, SQLite 2,500, PostgreSQL 1,200, Redis 5,000',
  }),
  kept('tasks-kept', 'finished', 'finished tasks with 1 KB of result, in memory', '≤ 2 KB'),
  kept('tasks-waiting', 'waiting', 'tasks/result that waits', '≤ 8 KB'),
];
