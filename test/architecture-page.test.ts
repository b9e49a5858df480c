/** ARCHITECTURE.md, as far as it can be held to the code: its files and folders exist. */

import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { root } from './support/sources.ts';

const page = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8');

/** The code spans that name a file or a folder, outside of blocks of code. */
const named = [...page.replaceAll(/^```[^]*?^```/gm, '').matchAll(/`([\w.-]+(?:\/[\w.-]+)*(?:\.ts|\/))`/g)].map(
  ([, path = '']) => path,
);

/** The names of all files of src, for those that the page names without their folder. */
const names = new Set(globSync('src/**/*.ts', { cwd: root }).map((path) => basename(path)));

test('every file and folder that ARCHITECTURE.md names is there', () => {
  assert.ok(named.length > 100);
  const exists = (path: string): boolean =>
    existsSync(join(root, 'src', path)) || existsSync(join(root, path)) || (!path.includes('/') && names.has(path));
  const folders = ['protocol', 'bridge', 'bridge/upstream', 'bridge/single'];
  const missing = named.filter(
    (path) => !exists(path) && !folders.some((folder) => existsSync(join(root, 'src', folder, path))),
  );
  assert.deepEqual(missing, []);
});
