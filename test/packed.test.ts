import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { packageTarball, unpackedPackage } from '../scripts/package-once.ts';

test('the stack of an error that is thrown inside names the functions of the library', () => {
  const program = `
    import { createServer } from 'parley-mcp/server';
    try { createServer({ name: 'a', version: '1', nonsense: true }); } catch (error) { process.stdout.write(error.stack); }`;
  const stack = execFileSync(process.execPath, ['--input-type=module', '-e', program], {
    cwd: unpackedPackage(),
    encoding: 'utf8',
  });
  assert.match(stack, /at createServer /);
});

test('the program of the library runs the command line that is installed beside it, or names the command to type', () => {
  const program = join(unpackedPackage(), 'bin/parley-mcp.js');
  const { stdout } = spawnSync(process.execPath, [program, '--version'], { encoding: 'utf8' });
  assert.match(stdout, /^\d+\.\d+\.\d+\n$/);
  const folder = mkdtempSync(join(tmpdir(), 'parley-bin-'));
  try {
    const alone = join(folder, 'parley-mcp.js');
    copyFileSync(program, alone);
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    const words = ['call', 'http://127.0.0.1:1/mcp', 'say', '{"text":"a b"}'];
    const { status, stderr } = spawnSync(process.execPath, [alone, ...words], { encoding: 'utf8' });
    assert.equal(status, 1);
    assert.match(stderr, /npx parley-cli call http:\/\/127\.0\.0\.1:1\/mcp say '\{"text":"a b"\}'\n$/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('the package is packed once for what is in it, and a tarball that is named is used as it is', (t) => {
  const first = packageTarball();
  const { mtimeMs } = statSync(first);
  assert.deepEqual([packageTarball(), statSync(first).mtimeMs], [first, mtimeMs]);
  process.env['PARLEY_TARBALL'] = '/some/package.tgz';
  t.after(() => delete process.env['PARLEY_TARBALL']);
  assert.equal(packageTarball(), '/some/package.tgz');
});
