/** Where the programs of others are built: a folder for each state of their sources, outside the repository. */

import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder, userCache } from '../../scripts/made-folder.ts';
import { Unavailable } from './peer.ts';

/** The folder of all of them. */
export const cache: string = userCache('parley-interop');

/** The sources of a program. */
export function sourcesOf(name: string): string {
  return join(import.meta.dirname, '../peers', name);
}

/** What a program is built of, in short: its sources and what builds it. */
export function digestOf(name: string, ...more: readonly string[]): string {
  const hash = createHash('sha256').update(JSON.stringify(more));
  const folder = sourcesOf(name);
  for (const file of globSync('**/*.{toml,lock,mod,sum,xml,txt,go,rs,java}', { cwd: folder }).toSorted())
    hash.update(file).update(readFileSync(join(folder, file)));
  return hash.digest('hex').slice(0, 12);
}

/** Gives a folder of the cache, made by `make` unless it is there. */
export async function made(name: string, make: (folder: string) => Promise<void>): Promise<string> {
  const place = join(cache, name);
  await makeFolder(place, make);
  return place;
}

/** How a command is run. */
export interface Running {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
}

/**
 * Runs a command, and gives what it printed.
 *
 * @throws Unavailable when it is not there, fails, or takes too long.
 */
export async function ran([command = '', ...args]: readonly string[], options: Running): Promise<string> {
  return await new Promise((resolve, reject) => {
    const { cwd, env, timeoutMs } = options;
    const child = spawn(command, args, {
      ...(cwd === undefined ? {} : { cwd }),
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: timeoutMs,
      killSignal: 'SIGKILL',
    });
    let [said, complaints] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => (said += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (complaints = (complaints + text).slice(-4000)));
    child.once('error', () => reject(new Unavailable(`${command} is not here`)));
    child.once('close', (code, signal) => {
      if (code === 0) resolve(said.trim());
      const why = signal === null ? (complaints.trim().split('\n').at(-1) ?? '') : `it took over ${timeoutMs / 1000} s`;
      reject(new Unavailable(`${[command, ...args.slice(0, 3)].join(' ')} failed: ${why}`));
    });
  });
}
