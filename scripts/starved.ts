/** Runs tests, all of them or those that are named, in processes that get little of the machine: `npm run test:starved -- src/seal/*.test.ts`. */

import { spawn } from 'node:child_process';
import { pathToFileURL } from 'node:url';
import { join } from 'node:path';
import { root } from '../test/support/sources.ts';

const named = process.argv.slice(2);
// The simulation has its own time, and a planted fault is looked for at full speed.
const files =
  named.length > 0 ? named : ['src/**/*.test.ts', 'test/!(simulation)/**/*.test.ts', 'test/!(world).test.ts'];
const hook = pathToFileURL(join(root, 'test/support/starved.ts')).href;
const argv = ['--test', '--test-concurrency=6', '--test-timeout=600000'];
for (const each of ['test/compile-cache.ts', 'test/setup.ts']) argv.push('--import', `./${each}`);
const run = spawn(process.execPath, [...argv, ...files], {
  cwd: root,
  stdio: 'inherit',
  env: {
    ...process.env,
    PARLEY_BROWSER_SLOWER: '5',
    NODE_OPTIONS: `${process.env['NODE_OPTIONS'] ?? ''} --import=${hook}`,
  },
});
run.on('exit', (code) => (process.exitCode = code ?? 1));
