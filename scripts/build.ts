/** Builds `dist/` with `tsc`; the binary must be executable, for `npx parley` in a clone to run it. */

import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const binary = join(root, 'dist/cli/main.js');

rmSync(join(root, 'dist'), { recursive: true, force: true });
const compiler = join(root, 'node_modules/typescript/bin/tsc');
const { status } = spawnSync(process.execPath, [compiler, '-p', 'tsconfig.build.json'], { cwd: root, stdio: 'inherit' });
if (existsSync(binary)) chmodSync(binary, 0o755);
process.exitCode = status ?? 1;
