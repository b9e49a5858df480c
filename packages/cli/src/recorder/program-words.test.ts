import assert from 'node:assert/strict';
import { test } from 'node:test';
import { programWords } from './program-words.ts';

test('a copied line begins with npx where npx started the program', () => {
  assert.deepEqual(programWords({ npm_command: 'exec' }), ['npx', 'parley-cli']);
  assert.deepEqual(programWords({ npm_command: 'run-script' }), ['parley']);
  assert.deepEqual(programWords({}), ['parley']);
});
