/**
 * Installs the workspace `peers/`: packages that only tests, checks and measurements use, so that `npm install` is quick.
 * `node scripts/peers.ts` does it, and whatever needs them does it first. It is quick when all is there.
 */

import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../test/support/sources.ts';

/** Whether all of them are installed at their versions. */
export function peersAreHere(): boolean {
  const { dependencies }: { readonly dependencies: Readonly<Record<string, string>> } = JSON.parse(
    readFileSync(join(root, 'peers/package.json'), 'utf8'),
  );
  return Object.entries(dependencies).every(([name, version]) => {
    const manifest = join(root, 'node_modules', name, 'package.json');
    // Some have another name here: `npm:@scope/name@1.0.0`.
    return existsSync(manifest) && JSON.parse(readFileSync(manifest, 'utf8')).version === version.split('@').at(-1);
  });
}

/** Installs what is missing. Without a network it says so and goes on: what needs none of them still works. */
export function installPeers(): void {
  if (peersAreHere()) return;
  console.error('installing the packages of peers/ (once; they are for tests and checks)');
  // `.npmrc` leaves workspaces out. The scripts of packages ran at the first install.
  const words = ['install', '--workspaces', '--include-workspace-root', '--ignore-scripts', '--prefer-offline'];
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error'];
  // On Windows npm is a script, which only a shell starts.
  const shell = process.platform === 'win32';
  const { status } = spawnSync('npm', [...words, ...quiet], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
    shell,
  });
  if (status !== 0)
    console.error('npm could not install them: tests and checks that use them will fail. Is there a network?');
}

if (import.meta.main) installPeers();
