/** Runs the simulation with one fault planted, in a process of its own. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { plantedFaults } from './faults.ts';

/** Whether a fault was found, and what the simulation said. */
export interface Seen {
  readonly found: boolean;
  readonly words: string;
}

/** @param count The schedules after which a fault counts as missed. */
export async function simulatedWith(name: string, count: number): Promise<Seen> {
  const { nodes = 1, bridge = false } = plantedFaults.find((fault) => fault.name === name) ?? {};
  const pathOf = (file: string): string => fileURLToPath(new URL(file, import.meta.url));
  const child = spawn(
    process.execPath,
    [
      '--import',
      pathOf('./plant.ts'),
      pathOf('../service/run.ts'),
      '--first',
      '--count',
      String(count),
      '--nodes',
      String(nodes),
      ...(bridge ? ['--bridge'] : []),
    ],
    { env: { ...process.env, PLANTED: name, NODE_OPTIONS: '' }, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let said = '';
  child.stdout.on('data', (data: Buffer) => (said += String(data)));
  child.stderr.on('data', (data: Buffer) => (said += String(data)));
  const ended: unknown[] = await once(child, 'close');
  const [first = ''] = said.split('\n');
  const isVerdict = /^(seed|\d+ schedules)/.test(first);
  // A fault that is no program shows nothing.
  if (/must have .* once|SyntaxError|ERR_INVALID_TYPESCRIPT/.test(said))
    throw new Error(`${name} cannot be planted: ${said.trim().slice(0, 400)}`);
  if (!isVerdict && ended[0] !== 0) return { found: true, words: `it fails: ${said.trim().slice(0, 200)}` };
  return { found: first.startsWith('seed'), words: first.slice(0, 160) };
}
