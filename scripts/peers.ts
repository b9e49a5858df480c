/**
 * Installs `peers/`: packages that only slow tests and measurements use, with a lock of their own, so that `npm install` is quick.
 * They are linked into `node_modules/`, where everything resolves them. `node scripts/peers.ts` does it; it is quick when all is there.
 */

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, lstatSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = join(root, 'peers');
const stamp = join(folder, 'node_modules/.installed');

const own = { ...dependenciesIn('package.json', 'dependencies'), ...dependenciesIn('package.json', 'devDependencies') };
const wanted = dependenciesIn('peers/package.json', 'dependencies');

/** The packages of `peers/` that are linked: those that the repository has itself are left out. */
export const peerNames: readonly string[] = Object.keys(wanted).filter((name) => !(name in own));

/** Whether all of them are installed. */
export function peersAreHere(): boolean {
  return peerNames.every(isHere);
}

/** Whether a package is in `node_modules/` at its version, by a link or by itself. */
function isHere(name: string): boolean {
  const manifest = join(linkOf(name), 'package.json');
  if (!existsSync(manifest)) return false;
  const { version }: { readonly version: string } = JSON.parse(readFileSync(manifest, 'utf8'));
  // Some have another name here: `npm:@scope/name@1.0.0`.
  if (version !== wanted[name]?.split('@').at(-1)) return false;
  return !lstatSync(linkOf(name)).isSymbolicLink() || isInstalled();
}

/**
 * Installs and links what is missing.
 *
 * @throws Error when npm cannot install them, as without a network.
 */
export function installPeers(): void {
  if (peersAreHere()) return;
  if (!isInstalled()) {
    console.error('installing the packages of peers/, which slow tests use');
    // Whoever has no network finds out soon.
    const hasty = [
      '--prefer-offline',
      '--fetch-retries=1',
      '--fetch-retry-mintimeout=500',
      '--fetch-retry-maxtimeout=1000',
    ];
    const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
    const words = ['ci', '--prefix', folder, ...quiet, ...hasty];
    // The command is a script there, which only a shell starts.
    const shell = process.platform === 'win32';
    const { status } = spawnSync('npm', words, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'], shell });
    if (status !== 0) throw new Error('npm could not install the packages of peers/; is there a network?');
    writeFileSync(stamp, lockDigest());
  }
  for (const name of peerNames) link(name);
}

function isInstalled(): boolean {
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === lockDigest();
}

function lockDigest(): string {
  return createHash('sha256')
    .update(readFileSync(join(folder, 'package-lock.json')))
    .digest('hex');
}

/** `npm install` in the root takes links away that it did not make: they are made again. */
function link(name: string): void {
  const [from, to] = [linkOf(name), join(folder, 'node_modules', name)];
  if (existsSync(from)) {
    // An older install has the package itself there.
    if (lstatSync(from).isSymbolicLink()) return;
    rmSync(from, { recursive: true });
  }
  rmSync(from, { force: true });
  mkdirSync(dirname(from), { recursive: true });
  symlinkSync(process.platform === 'win32' ? to : relative(dirname(from), to), from, 'junction');
}

function linkOf(name: string): string {
  return join(root, 'node_modules', name);
}

function dependenciesIn(file: string, field: 'dependencies' | 'devDependencies'): Readonly<Record<string, string>> {
  const manifest = JSON.parse(readFileSync(join(root, file), 'utf8'));
  return manifest[field] ?? {};
}

if (import.meta.main) installPeers();
