/** Tells whether `dist/` is built from the sources that are here, so that tests build it once and only if they must. */

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const stamp = join(root, 'node_modules/.cache/tests/built');
const main = join(root, 'packages/cli/dist/main.js');

/** Whether the last build was of these sources, and nobody replaced what it made. */
function isBuilt(): boolean {
  return existsSync(main) && existsSync(stamp) && readFileSync(stamp, 'utf8') === stateOfBuild();
}

/** Builds `dist/` if it is not built from these sources. Throws when that fails. */
export function buildOnce(): void {
  if (isBuilt()) return;
  const { status } = spawnSync(process.execPath, ['scripts/build.ts'], { cwd: root, stdio: 'inherit' });
  if (status !== 0) throw new Error('scripts/build.ts failed, and dist/ is needed');
}

/** Called after a build. */
export function markBuilt(): void {
  mkdirSync(dirname(stamp), { recursive: true });
  writeFileSync(stamp, stateOfBuild());
}

function stateOfBuild(): string {
  const hash = createHash('sha256');
  const paths = globSync(
    [
      'packages/*/src/**/*',
      'packages/*/package.json',
      'scripts/*.ts',
      'scripts/build/*.ts',
      'package-lock.json',
      'README.md',
      'docs/*.md',
      'docs/how-to/*.md',
    ],
    { cwd: root },
  );
  for (const path of paths.toSorted())
    if (!/\.test\.ts$|\/src\/.*\.md$/.test(path) && statSync(join(root, path)).isFile())
      hash.update(path).update(readFileSync(join(root, path)));
  return `${hash.digest('hex')} ${statSync(main).mtimeMs}`;
}
