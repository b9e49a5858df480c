/**
 * The packages as they would be published, each packed once for each content of its files.
 * `node scripts/package-once.ts` prints the paths of the tarballs. `PARLEY_TARBALL` names one of the library to use as it is.
 */

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../test/support/sources.ts';

/** The folders of the packages, by their names. */
const folders = { 'parley-mcp': 'packages/parley', 'parley-cli': 'packages/cli' } as const;

/** The name of a package that is published. */
export type PackageName = keyof typeof folders;

/** The names of the packages that are published. */
export const packageNames: readonly PackageName[] = ['parley-mcp', 'parley-cli'];

const cache = join(root, 'node_modules/.cache/package');

/** Tarballs of older contents are kept for an hour, since another run may use them. */
const keptMs = 3_600_000;

/**
 * The path of a tarball.
 *
 * @throws Error when the package is not built.
 */
export function packageTarball(name: PackageName = 'parley-mcp'): string {
  const given = process.env['PARLEY_TARBALL'];
  if (name === 'parley-mcp' && given !== undefined && given !== '') return given;
  const folder = join(root, folders[name]);
  if (!existsSync(join(folder, 'dist'))) throw new Error('the packages are not built: npm run build');
  const tarball = join(cache, digestOf(packedFiles(folder)), `${name}.tgz`);
  if (!existsSync(tarball)) {
    removeOld();
    makeOnce(join(tarball, '..'), (fresh) => pack(folder, join(fresh, `${name}.tgz`)));
  }
  return tarball;
}

/** The folder of an unpacked package. Its dependencies are found in `node_modules` of the repository. Nobody writes there. */
export function unpackedPackage(name: PackageName = 'parley-mcp'): string {
  const tarball = packageTarball(name);
  const folder = join(cache, digestOf([tarball]), 'unpacked');
  makeOnce(folder, (fresh) => {
    const into = join(fresh, 'node_modules', name);
    mkdirSync(into, { recursive: true });
    execFileSync('tar', ['-xzf', tarball, '-C', into, '--strip-components=1']);
  });
  return join(folder, 'node_modules', name);
}

/** Runs npm and returns what it printed on standard output. */
export function npm(cwd: string, ...words: readonly string[]): string {
  return execFileSync('npm', ['--loglevel=error', ...words], {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    // The command is a script there, which only a shell starts.
    shell: process.platform === 'win32',
  });
}

function pack(folder: string, tarball: string): void {
  const fresh = join(tarball, '..');
  npm(folder, 'pack', '--ignore-scripts', '--pack-destination', fresh);
  const [name] = readdirSync(fresh);
  if (name === undefined) throw new Error('npm pack made no tarball');
  renameSync(join(fresh, name), tarball);
}

/** Makes a folder under another name and renames it: processes that make it at once do not disturb each other. */
function makeOnce(folder: string, make: (fresh: string) => void): void {
  if (existsSync(folder)) return;
  mkdirSync(join(folder, '..'), { recursive: true });
  const fresh = mkdtempSync(`${folder}-`);
  try {
    make(fresh);
    renameSync(fresh, folder);
  } catch (error) {
    // Another process made it first.
    if (!existsSync(folder)) throw error;
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

/** All files of a package but its sources; `npm pack` leaves some of them out. */
function packedFiles(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile())
    .map((file) => join(file.parentPath, file.name))
    .filter((path) => !path.startsWith(join(folder, 'src')));
}

function digestOf(files: readonly string[]): string {
  const hash = createHash('sha256');
  for (const file of files.toSorted()) hash.update(file).update('\0').update(readFileSync(file));
  return hash.digest('hex').slice(0, 16);
}

function removeOld(): void {
  if (!existsSync(cache)) return;
  for (const name of readdirSync(cache)) {
    const folder = join(cache, name);
    if (Date.now() - statSync(folder).mtimeMs > keptMs) rmSync(folder, { recursive: true, force: true });
  }
}

if (import.meta.main) for (const name of packageNames) console.log(packageTarball(name));
