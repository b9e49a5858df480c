import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { allowedCalls } from './calls.ts';

test('tools are allowed by name, those that destroy by a mark, with arguments of a file', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'parley-'));
  t.after(() => rm(folder, { recursive: true }));
  const file = join(folder, 'args.json');
  await writeFile(file, '{"add": {"a": 1}}');
  assert.deepEqual(await allowedCalls(['add, book!', 'count'], file), [
    { name: 'add', isDestructive: false, args: { a: 1 } },
    { name: 'book', isDestructive: true },
    { name: 'count', isDestructive: false },
  ]);
  await assert.rejects(allowedCalls(['book'], file), /arguments of "add", which --calls does not name/);
  await writeFile(file, '{"add": 1}');
  await assert.rejects(allowedCalls(['add'], file), /no object of tools/);
  await assert.rejects(allowedCalls(['add'], join(folder, 'none')), /cannot be read/);
  await assert.rejects(allowedCalls(['add,,book'], undefined), /wants names of tools/);
});
