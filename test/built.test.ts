import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { root } from './support/sources.ts';

const program = join(root, 'packages/cli/dist/main.js');
const skip = existsSync(program) ? false : 'the package is not built: npm run build';

test('the built program reaches its own example server', { skip }, () => {
  const run = (...words: readonly string[]): string =>
    execFileSync(process.execPath, [program, ...words], { encoding: 'utf8', timeout: 30_000 });
  assert.match(run('--version'), /^\d+\.\d+\.\d+/);
  assert.match(run('call', 'add', 'a=1', 'b=2', '--', process.execPath, program, 'example'), /"sum": 3/);
});

test('a stack trace of the built library names its functions', { skip }, async () => {
  const { createServer } = await import(pathToFileURL(join(root, 'packages/parley/dist/server.js')).href);
  assert.throws(
    () => createServer({ name: 'a', version: '1', nmae: 'b' }),
    ({ stack }: Error) => /at checkImplementation [^]*at createServer /.test(stack ?? ''),
  );
});
