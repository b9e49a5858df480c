/** Builds `dist/` with `tsc`; the binary must be executable, for `npx parley` in a clone to run it. */

import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const binary = join(root, 'dist/cli/main.js');

// `npx parley` in a clone prepares it once more; it is to run what is there, and not to build it under somebody's feet.
if (process.env['npm_command'] !== 'exec' || !existsSync(binary)) build();

function build(): void {
  rmSync(join(root, 'dist'), { recursive: true, force: true });
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const options = { cwd: root, stdio: 'inherit' } as const;
  const { status } = spawnSync(process.execPath, [compiler, '-p', 'tsconfig.build.json'], options);
  if (existsSync(binary)) chmodSync(binary, 0o755);
  process.exitCode = status ?? 1;
}
