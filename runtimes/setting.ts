import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installPackages } from '../scripts/package-cache.ts';
import { npm, packageTarball } from '../scripts/package-once.ts';
import { folderOf, pinned, runtimes } from './pinned.ts';
import { NotHere, resultsIn, type StepResult } from './result.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const programMs = 300_000;

/** A folder in which the package is installed as users install it, with the programs beside it. */
export interface Setting {
  readonly folder: string;
  /** Removes it; the packages of others stay in their cache. */
  remove(): void;
}

/** Packs the package as `npm run build` made it, and installs it below the packages that the programs use with it. */
export async function prepare(): Promise<Setting> {
  const shared = folderOf(pinned);
  await installPackages(shared, pinned);
  // Below them, so that what a program imports is found there.
  const folder = join(shared, `run-${process.pid}`);
  mkdirSync(folder);
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  try {
    const tarball = packageTarball();
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
    npm(folder, 'install', '--ignore-scripts', '--no-audit', '--no-fund', tarball);
    for (const part of ['programs', 'types'])
      cpSync(join(root, 'runtimes', part), join(folder, part), { recursive: true });
  } catch (error) {
    remove();
    throw error;
  }
  return { folder, remove };
}

/**
 * The folder of a runtime that a registry has.
 *
 * @throws Unavailable when this machine has none, or no network.
 */
export async function runtimeFolder(name: keyof typeof runtimes): Promise<string> {
  const packages = runtimes[name];
  const wanted = Object.keys(packages ?? {})[0];
  if (packages === undefined || wanted === undefined) throw new NotHere(`${name} is not known`);
  const folder = folderOf(packages);
  await installPackages(folder, packages);
  return join(folder, 'node_modules', wanted);
}

/** Runs one program to its end and reads its results. */
export async function runProgram(
  { folder }: Setting,
  command: string,
  args: readonly string[],
): Promise<readonly StepResult[]> {
  const child = spawn(command, args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'], timeout: programMs });
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (printed += text));
  await once(child, 'close');
  return resultsIn(printed);
}

/** What a command says of its version. */
export function versionOf(command: string, ...args: readonly string[]): string {
  const said = execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  return /\d+\.\d+(?:\.\d+)*/.exec(said)?.[0] ?? said.trim();
}
