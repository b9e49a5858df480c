/** `npm run lab`: lists what else there is to run. `npm run lab -- <name> [words]`: runs it. */

import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { root } from '../test/support/sources.ts';
import { nearest } from '../packages/parley/src/options/nearest.ts';
import { experiments, groups, type Experiment } from './lab-table.ts';
import { buildOnce } from './built.ts';
import { installPeers } from './peers.ts';

/** The list, for people. */
export function listOf(): string {
  const names = Object.keys(experiments);
  const width = Math.max(...names.map((name) => name.length));
  const lines = Object.entries(groups).flatMap(([title, group]) => [
    '',
    title,
    ...Object.entries(group).map(([name, { about, time, needs }]) => {
      const last = needs === undefined ? `(${time})` : `(${time}; needs ${needs})`;
      return `  ${name.padEnd(width)}  ${about} ${last}`;
    }),
  ]);
  return ['npm run lab -- <name> [words]', ...lines].join('\n');
}

/** What is said of a name that does not exist. */
export function unknown(name: string): string {
  const names = Object.keys(experiments);
  const alike = names.filter((one) => one.split(':').includes(name) || one.startsWith(name));
  const near = [...new Set([...nearest(name, names), ...alike])];
  const hint = near.length === 0 ? '`npm run lab` lists all' : `did you mean ${near.join(' or ')}?`;
  return `there is no "${name}" in the lab; ${hint}`;
}

/** Runs one, and ends as it ends. */
function run({ isBuilt, env, words, otherwise = [] }: Experiment, more: readonly string[]): void {
  installPeers();
  if (isBuilt === true) buildOnce();
  const child = spawn(process.execPath, [...words, ...(more.length > 0 ? more : otherwise)], {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: 'inherit',
  });
  let isEnding = false;
  const end = (signal: NodeJS.Signals): void => {
    // A program may take a second signal for impatience.
    if (!isEnding) child.kill(signal);
    isEnding = true;
  };
  // A terminal interrupts the child as well.
  process.on('SIGINT', () => process.stdin.isTTY || end('SIGINT'));
  process.on('SIGTERM', end);
  process.on('SIGHUP', end);
  // npm passes a signal to its shell, which ends and passes it to nobody.
  const parent = process.ppid;
  setInterval(() => process.ppid !== parent && end('SIGTERM'), 500).unref();
  child.once('close', (code, signal) => process.exit(code ?? 128 + constants.signals[signal ?? 'SIGTERM']));
}

if (import.meta.main) {
  const [name, ...more] = process.argv.slice(2);
  const experiment = name === undefined ? undefined : experiments[name];
  if (experiment !== undefined) run(experiment, more);
  else if (name === undefined) console.log(listOf());
  else {
    console.error(unknown(name));
    process.exitCode = 2;
  }
}
