/**
 * Prints what `npm install parley-mcp` brings: how many packages, and how many bytes. It installs the package as it would
 * be published, from what `npm run build` made, into a folder of its own. Run: node bench/install.ts
 */
import { execFileSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { npm, packageTarball } from '../scripts/package-once.ts';

/** The most that it may be. */
const budget = { packages: 6, megabytes: 12 };

const folder = mkdtempSync(join(tmpdir(), 'parley-install-'));
try {
  const tarball = packageTarball();
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true }));
  npm(folder, 'install', '--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund', tarball);
  // It was installed into this folder, and so was all that it needs.
  execFileSync(process.execPath, ['--input-type=module', '-e', "await import('parley-mcp/server');"], { cwd: folder });
  report(statSync(tarball).size);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function report(packedBytes: number): void {
  const sizes = new Map<string, number>();
  const files = globSync('node_modules/**', { cwd: folder, withFileTypes: true }).filter((file) => file.isFile());
  for (const file of files) {
    const path = join(file.parentPath, file.name);
    const owner = ownerOf(path);
    if (owner !== undefined) sizes.set(owner, (sizes.get(owner) ?? 0) + statSync(path).size);
  }
  const total = [...sizes.values()].reduce((sum, size) => sum + size, 0);
  for (const [owner, size] of [...sizes].toSorted((one, other) => other[1] - one[1]))
    console.log(`${megabytes(size).padStart(8)} MB  ${owner}`);
  console.log(
    `${megabytes(total).padStart(8)} MB in ${sizes.size} packages; the tarball has ${megabytes(packedBytes)} MB`,
  );
  const over = sizes.size > budget.packages || total > budget.megabytes * 1e6;
  if (over) console.error(`over the budget of ${budget.megabytes} MB and ${budget.packages} packages`);
  process.exitCode = over ? 1 : 0;
}

/** The name and version of the package that a file belongs to; none for what npm itself keeps. */
function ownerOf(path: string): string | undefined {
  const within = path.slice(join(folder, 'node_modules').length + 1);
  const name = /^(?:.*[/\\]node_modules[/\\])?((?:@[^/\\]+[/\\])?[^/\\]+)[/\\]/.exec(within);
  if (name?.[1] === undefined || name[1].startsWith('.')) return undefined;
  const manifest = join(folder, 'node_modules', name[0], 'package.json');
  const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { readonly version: string };
  return `${name[1].replaceAll('\\', '/')} ${version}`;
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(2);
}
