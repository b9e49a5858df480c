import { copyFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Contender } from './case.ts';
import { installPeers, peersFolder } from './peers.ts';
import { median } from './race.ts';
import { openSession } from './stdio-contender.ts';
import { startStdio } from './stdio-line.ts';

/** A program that is started anew again and again. */
export interface ColdContender {
  readonly name: string;
  readonly limit?: true;
  readonly peer?: true;
  /** A script of `bench/cold`: JavaScript, so that nothing is measured but the program and its libraries. */
  readonly script: string;
  readonly revision: string;
  /** How many starts make one turn. */
  readonly total: number;
}

const folder = fileURLToPath(new URL('../cold/', import.meta.url));
const built = fileURLToPath(new URL('../../packages/parley/dist/server.js', import.meta.url));

/** A contender whose cost is the time from the start of a process to its list of tools, in milliseconds. */
export function coldContender(contender: ColdContender): Contender {
  const { name, limit, peer, total, revision } = contender;
  return {
    name,
    ...(limit === undefined ? {} : { limit }),
    ...(peer === undefined ? {} : { peer }),
    start: async () => {
      const path = await pathOf(contender);
      return {
        turn: async (share) => {
          const times: number[] = [];
          const starts = Math.max(1, Math.round(total * share));
          for (let start = 0; start < starts; start++) times.push(await firstAnswer(path, revision));
          return { cost: median(times), more: { 'least ms': Math.min(...times) } };
        },
        stop: async () => {},
      };
    },
  };
}

/** The scripts of peers lie beside their libraries, where those are found by name; Parley finds itself by its own. */
async function pathOf({ script, peer }: ColdContender): Promise<string> {
  const path = join(folder, `${script}.js`);
  if (peer !== true) {
    if (!existsSync(built)) throw new Error('the package is not built: npm run build');
    return path;
  }
  await installPeers();
  const beside = join(peersFolder, `cold-${script}.js`);
  copyFileSync(path, beside);
  return beside;
}

async function firstAnswer(path: string, revision: string): Promise<number> {
  const start = performance.now();
  const child = startStdio([path]);
  try {
    await openSession(child, revision);
    const answer = await child.ask(1, JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }));
    const time = performance.now() - start;
    if (!answer.includes('"name":"add"')) throw new Error(`a wrong answer: ${answer.slice(0, 200)}`);
    return time;
  } finally {
    await child.stop();
  }
}
