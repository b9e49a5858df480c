import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { root } from './support/sources.ts';

const program = join(root, 'packages/cli/dist/main.js');
const skip = existsSync(program) ? false : 'the package is not built: npm run build';

test('the built program reaches its own example server', { skip }, () => {
  const run = (...words: readonly string[]): string =>
    execFileSync(process.execPath, [program, ...words], { encoding: 'utf8', timeout: 30_000 });
  assert.match(run('--version'), /^\d+\.\d+\.\d+/);
  assert.match(run('call', 'add', 'a=1', 'b=2', '--', process.execPath, program, 'example'), /"sum": 3/);
});
