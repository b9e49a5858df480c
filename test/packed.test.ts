import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { packageTarball, unpackedPackage } from '../scripts/package-once.ts';

test('an error that is thrown inside says where in the source, by the maps', () => {
  const program = `
    import { createServer } from 'parley-mcp/server';
    try { createServer({ name: 'a', version: '1', nonsense: true }); } catch (error) { process.stdout.write(error.stack); }`;
  const stack = execFileSync(process.execPath, ['--enable-source-maps', '--input-type=module', '-e', program], {
    cwd: unpackedPackage(),
    encoding: 'utf8',
  });
  const [, place = '', line = ''] =
    /at .*?((?:file:\/\/)?\/[^()\n]*parley-mcp\/src\/[^\s:]+\.ts):(\d+):\d+/.exec(stack.replaceAll('\\', '/')) ?? [];
  const path = place.startsWith('file:') ? fileURLToPath(place) : place;
  assert.ok(existsSync(path), stack);
  const lines = readFileSync(path, 'utf8').split('\n');
  assert.match(lines[Number(line) - 1] ?? '', /throw new TypeError/, stack);
});

test('the package is packed once for what is in it, and a tarball that is named is used as it is', (t) => {
  const first = packageTarball();
  const { mtimeMs } = statSync(first);
  assert.deepEqual([packageTarball(), statSync(first).mtimeMs], [first, mtimeMs]);
  process.env['PARLEY_TARBALL'] = '/some/package.tgz';
  t.after(() => delete process.env['PARLEY_TARBALL']);
  assert.equal(packageTarball(), '/some/package.tgz');
});
