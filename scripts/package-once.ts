/**
 * The package as it would be published, packed once for each content of `dist/` and the other packed files.
 * `node scripts/package-once.ts` prints the path of the tarball. `PARLEY_TARBALL` names one to use as it is.
 */

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../test/support/sources.ts';

const cache = join(root, 'node_modules/.cache/package');

/** Tarballs of older contents are kept for an hour, since another run may use them. */
const keptMs = 3_600_000;

/**
 * The path of the tarball.
 *
 * @throws Error when the package is not built.
 */
export function packageTarball(): string {
  const given = process.env['PARLEY_TARBALL'];
  if (given !== undefined && given !== '') return given;
  if (!existsSync(join(root, 'dist/index.js'))) throw new Error('the package is not built: npm run build');
  const tarball = join(cache, digestOf(packedFiles()), 'parley-mcp.tgz');
  if (!existsSync(tarball)) {
    removeOld();
    makeOnce(join(tarball, '..'), pack);
  }
  return tarball;
}

/** The folder of the unpacked package. Its dependencies are found in `node_modules` of the repository. Nobody writes there. */
export function unpackedPackage(): string {
  const tarball = packageTarball();
  const folder = join(cache, digestOf([tarball]), 'unpacked');
  makeOnce(folder, (fresh) => {
    const into = join(fresh, 'node_modules/parley-mcp');
    mkdirSync(into, { recursive: true });
    execFileSync('tar', ['-xzf', tarball, '-C', into, '--strip-components=1']);
  });
  return join(folder, 'node_modules/parley-mcp');
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

function pack(folder: string): void {
  // Without scripts: `prepare` would build again, under the feet of whoever reads dist/.
  npm(root, 'pack', '--ignore-scripts', '--pack-destination', folder);
  const [name] = readdirSync(folder);
  if (name === undefined) throw new Error('npm pack made no tarball');
  renameSync(join(folder, name), join(folder, 'parley-mcp.tgz'));
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

/** All files that may be in the package; `npm pack` leaves some of them out. */
function packedFiles(): readonly string[] {
  // Our own package.json, which has this field.
  const { files } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    readonly files: readonly string[];
  };
  return ['package.json', ...files.filter((name) => !name.startsWith('!'))].flatMap((name) => {
    const path = join(root, name);
    if (!statSync(path).isDirectory()) return [path];
    const inside = readdirSync(path, { recursive: true, withFileTypes: true });
    return inside.filter((file) => file.isFile()).map((file) => join(file.parentPath, file.name));
  });
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

if (import.meta.main) console.log(packageTarball());
