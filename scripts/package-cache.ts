import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder, userCache } from './made-folder.ts';
import { Unavailable } from './toolchains/unavailable.ts';

const installMs = 180_000;

/** Where the packages of a cache are: a folder for each set of versions, outside the repository. */
export function cacheFolder(cache: string, packages: Readonly<Record<string, string>>): string {
  const digest = createHash('sha256').update(JSON.stringify(packages)).digest('hex').slice(0, 12);
  return join(userCache(cache), digest);
}

/**
 * Sees to it that packages are in their cache: they are fetched once for each set of versions. Scripts of packages do not run.
 *
 * @param folder What `cacheFolder` gave for them.
 * @param packages Names and versions, as in `dependencies`.
 * @throws Unavailable when they cannot be fetched.
 */
export async function installPackages(folder: string, packages: Readonly<Record<string, string>>): Promise<void> {
  await makeFolder(folder, async (fresh) => {
    const manifest = { private: true, type: 'module', dependencies: packages };
    writeFileSync(join(fresh, 'package.json'), JSON.stringify(manifest, undefined, 2));
    // What this module imports is resolved from where it lies.
    writeFileSync(join(fresh, 'load.js'), 'export const load = (name) => import(name);\n');
    await npmInstall(fresh);
  });
}

async function npmInstall(folder: string): Promise<void> {
  // Whoever has no network finds out soon.
  const hasty = ['--fetch-retries=1', '--fetch-retry-mintimeout=500', '--fetch-retry-maxtimeout=1000'];
  const quiet = ['--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error'];
  const npm = spawn('npm', ['install', '--prefix', folder, ...quiet, ...hasty], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: installMs,
    // The command is a script there, which only a shell starts.
    shell: process.platform === 'win32',
  });
  let complaints = '';
  npm.stderr.setEncoding('utf8').on('data', (text: string) => (complaints += text));
  let code: unknown;
  try {
    [code] = await once(npm, 'close');
  } catch (cause) {
    throw new Unavailable('npm could not be started', { cause });
  }
  if (code !== 0)
    throw new Unavailable(`the packages could not be installed: ${complaints.trim().split('\n', 1)[0] ?? ''}`);
}
