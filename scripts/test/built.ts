/** Builds `dist/` once before a run, if a source changed since it was built. */

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from '../../test/support/sources.ts';

const stamp = join(root, 'node_modules/.cache/tests/built');
const main = join(root, 'dist/cli/main.js');

/** Builds where it is needed. Throws when that fails. */
export function buildOnce(): void {
  const state = stateOfSources();
  if (existsSync(main) && existsSync(stamp) && readFileSync(stamp, 'utf8') === `${state} ${statSync(main).mtimeMs}`)
    return;
  const { status } = spawnSync(process.execPath, ['scripts/build.ts'], { cwd: root, stdio: 'inherit' });
  if (status !== 0) throw new Error('scripts/build.ts failed: the tests need dist/');
  mkdirSync(dirname(stamp), { recursive: true });
  writeFileSync(stamp, `${state} ${statSync(main).mtimeMs}`);
}

function stateOfSources(): string {
  const hash = createHash('sha256');
  for (const path of globSync(['src/**/*', 'scripts/*.ts', 'package.json', 'tsconfig*.json'], { cwd: root }).toSorted())
    if (!path.endsWith('.test.ts') && statSync(join(root, path)).isFile())
      hash.update(path).update(readFileSync(join(root, path)));
  return hash.digest('hex');
}
