import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { test } from 'node:test';

const source = join(import.meta.dirname, '..');

/** The files that a file loads when it needs them first. */
function lateOf(file: string): readonly string[] {
  const text = readFileSync(join(source, file), 'utf8');
  return [...text.matchAll(/\bimport\(\s*'(\.[^']+)'/g)].map(([, path = '']) => normalize(join(dirname(file), path)));
}

/** What a call of a pair in memory never needs, or needs only where a test asks for it and waits. */
const others = new Set([
  // Only `request` with a schema for its result.
  'schema/schema.ts',
  // Only stores that a test gives.
  'store/bus.ts',
  'store/memory/task-shelf.ts',
]);

test('whatever servers and clients load late is loaded before a pair in memory is there', () => {
  const late = ['client', 'server', 'host', 'schema', 'store']
    .flatMap((folder) => globSync(`${folder}/**/*.ts`, { cwd: source }))
    .filter((file) => !file.endsWith('.test.ts'))
    .flatMap(lateOf);
  assert.ok(late.length > 10);
  const loaded = new Set(lateOf('testing/all-loaded.ts'));
  assert.deepEqual(
    [...new Set(late)].filter((file) => !loaded.has(file) && !others.has(file)),
    [],
  );
});
