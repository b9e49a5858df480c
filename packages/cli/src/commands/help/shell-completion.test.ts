import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { inThisProcess } from '../../../../../test/support/cli-process.ts';
import { topics } from './help.ts';

const shells = ['bash', 'zsh', 'fish', 'powershell'];

for (const shell of shells)
  test(`a script for ${shell} has every command, and options of each`, async () => {
    const { code, stdout } = await inThisProcess(['completion', shell]);
    assert.equal(code, 0);
    for (const { name } of topics) assert.match(stdout, new RegExp(`\\b${name}\\b`));
    assert.match(stdout, /\bheader\b/);
  });

test('bash completes commands and options with the script', async (t) => {
  if (spawnSync('bash', ['--version']).status !== 0) return t.skip('there is no bash');
  const { stdout } = await inThisProcess(['completion', 'bash']);
  const completed = (...words: readonly string[]): string =>
    execFileSync('bash', [
      '-c',
      `${stdout}\nCOMP_WORDS=("$@"); COMP_CWORD=$(($#-1)); _parley; echo "\${COMPREPLY[@]}"`,
      'bash',
      ...words,
    ]).toString();
  assert.deepEqual(completed('parley', 'comp').trim().split(' ').toSorted(), ['complete', 'completion']);
  assert.equal(completed('parley', 'call', '--answ'), '--answer --answers\n');
});

test('another shell is refused with those that there are', async () => {
  for (const line of [['completion'], ['completion', 'csh'], ['completion', 'bash', 'zsh']]) {
    const { code, stderr } = await inThisProcess(line);
    assert.equal(code, 2);
    assert.equal(stderr, 'parley: name one shell: bash, zsh, fish, powershell\n');
  }
});
