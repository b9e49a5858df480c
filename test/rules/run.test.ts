/** The runner of tests. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { root } from '../support/sources.ts';

test('a run with a name that no test has fails, and says so', () => {
  const words = ['scripts/test.ts', 'packages/cli/src/commands/config/jsonc.test.ts', '--name', 'no such title'];
  // What a test process has for its runner is not for another one.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const { status, stdout } = spawnSync(process.execPath, words, { cwd: root, env, encoding: 'utf8' });
  assert.equal(status, 1);
  assert.match(stdout, /^no test has a name that contains "no such title"$/m);
});
