/** Tells whether `dist/` is built from the sources that are here, so that tests build it once and only if they must. */

import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const stamp = join(root, 'node_modules/.cache/tests/built');
const main = join(root, 'dist/cli/main.js');

/** Whether the last build was of these sources, and nobody replaced what it made. */
export function isBuilt(): boolean {
  return existsSync(main) && existsSync(stamp) && readFileSync(stamp, 'utf8') === stateOfBuild();
}

/** Called after a build. */
export function markBuilt(): void {
  mkdirSync(dirname(stamp), { recursive: true });
  writeFileSync(stamp, stateOfBuild());
}

function stateOfBuild(): string {
  const hash = createHash('sha256');
  const paths = globSync(['src/**/*', 'scripts/*.ts', 'package.json', 'tsconfig*.json'], { cwd: root });
  for (const path of paths.toSorted())
    if (!path.endsWith('.test.ts') && statSync(join(root, path)).isFile())
      hash.update(path).update(readFileSync(join(root, path)));
  return `${hash.digest('hex')} ${statSync(main).mtimeMs}`;
}
