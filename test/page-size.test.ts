/** The page of `parley inspect` is built into the package: what it weighs is watched. */

import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { buildPage } from '../scripts/page.ts';

/** The most that all files of the page may have together, in KB after gzip: a little more than they have. */
const budget = 88;

test('the page of inspect stays in its budget, chunks for what only some need too', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-page-'));
  t.after(() => rmSync(folder, { recursive: true }));
  await buildPage(folder);
  const sizes = readdirSync(folder).map((name) => gzipSync(readFileSync(join(folder, name)), { level: 9 }).length);
  const size = sizes.reduce((all, one) => all + one, 0) / 1_024;
  assert.ok(size > 40, `${size.toFixed(1)} KB are no page`);
  assert.ok(size <= budget, `the page is ${size.toFixed(1)} KB, over its budget of ${budget} KB`);
});
