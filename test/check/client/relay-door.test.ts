/** The door of a judge that its client's servers connect to: where it cannot be opened. */

import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { checkClient } from '../../../packages/cli/src/check/client/run/check-client.ts';

test('a folder for temporary files with too long a path is told as that, and nothing is left there', async (t) => {
  // Pipes have names there, and no folders.
  if (process.platform === 'win32') return;
  const own = await mkdtemp(join(tmpdir(), 'parley-door-'));
  const long = join(own, 'a'.repeat(120));
  await mkdir(long);
  const before = process.env['TMPDIR'];
  process.env['TMPDIR'] = long;
  t.after(async () => {
    if (before === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = before;
    await rm(own, { recursive: true, force: true });
  });
  const info = { name: 'parley-check', version: '1.0.0' };
  await assert.rejects(checkClient({ door: { isRelayed: true }, info, signal: t.signal }), /TMPDIR/);
  assert.deepEqual(await readdir(long), []);
});
