/** Every case of the benchmark, with few requests. */

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { root } from './support/sources.ts';

const smokeMs = 540_000;

test('every case of the benchmark runs and answers right', { timeout: smokeMs + 5_000 }, async () => {
  const { code, said } = await new Promise<{ readonly code: unknown; readonly said: string }>((resolve) => {
    execFile(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', join(root, 'bench', 'run.ts'), '--smoke', '--no-peers'],
      { timeout: smokeMs },
      (error, stdout, stderr) =>
        resolve({ code: error === null ? 0 : (error.code ?? error.signal), said: stdout + stderr }),
    );
  });
  assert.equal(code, 0, said);
  const lines = said.trim().split('\n');
  assert.deepEqual(
    lines.filter((line) => !line.endsWith(': every contender answers right')),
    [],
  );
  for (const id of ['call-16', 'session-16', 'list', 'large-result', 'idle-streams', 'growth', 'bridge-same'])
    assert.ok(
      lines.some((line) => line.startsWith(`${id}:`)),
      `there is no line about ${id}`,
    );
});
