import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { watchFolder } from './reload.ts';

test('what changes is told once, settings too, and what is installed or kept by tools is not looked at', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'parley-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const ignored = [
    'node_modules/x/index.js',
    '.git/index',
    'lib/node_modules/y.js',
    'lib/.cache/z',
    'venv/.env/x',
    '.env.swp',
  ];
  const files = [...ignored, '.env', '.env.local', 'lib/server.js'];
  for (const file of files) {
    await mkdir(join(folder, file, '..'), { recursive: true });
    await writeFile(join(folder, file), '1');
  }
  const told: (readonly string[])[] = [];
  let heard = (): void => {};
  const isHeard = new Promise<void>((resolve) => (heard = resolve));
  const end = watchFolder(folder, {
    changed(names) {
      told.push(names);
      heard();
    },
    failed: assert.fail,
  });
  t.after(end);
  // The last of them is the one that is told.
  for (const file of files) await writeFile(join(folder, file), '2');
  await isHeard;
  assert.deepEqual(told, [['.env', '.env.local', join('lib', 'server.js')]]);
});
