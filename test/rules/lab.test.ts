import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { experiments } from '../../scripts/lab-table.ts';
import { listOf, unknown } from '../../scripts/lab.ts';
import { root } from '../support/sources.ts';

test('the lab lists every command with its sentence and its time', () => {
  const list = listOf().split('\n');
  for (const [name, { about, time, words }] of Object.entries(experiments)) {
    assert.ok(
      list.some((line) => line.startsWith(`  ${name} `) && line.includes(`${about} (${time}`)),
      name,
    );
    assert.match(about, /^[A-Z].*\.$/, name);
    assert.ok(existsSync(join(root, words[0] ?? '')), `${name} runs ${words[0]}`);
  }
});

test('the lab answers an unknown name with those that are near', () => {
  assert.match(unknown('siz'), /^there is no "siz" in the lab; did you mean size\?$/);
  assert.match(unknown('auth'), /did you mean interop:auth\?/);
  assert.match(unknown('zzzzzz'), /`npm run lab` lists all/);
});
