import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asStarted, programWords } from './program-words.ts';

test('a copied line begins with npx where npx started the program', () => {
  assert.deepEqual(programWords({ npm_command: 'exec' }), ['npx', 'parley-cli']);
  assert.deepEqual(programWords({ npm_command: 'run-script' }), ['parley']);
  assert.deepEqual(programWords({}), ['parley']);
});

test('a command in running text begins as the program was started', () => {
  const advice = 'run parley login --no-browser before; parley-cli and a parley of two stay';
  assert.equal(asStarted(advice, {}), advice);
  assert.equal(
    asStarted(advice, { npm_command: 'exec' }),
    'run npx parley-cli login --no-browser before; parley-cli and a parley of two stay',
  );
  const once = asStarted(advice, { npm_command: 'exec' });
  assert.equal(asStarted(once, { npm_command: 'exec' }), once);
});
