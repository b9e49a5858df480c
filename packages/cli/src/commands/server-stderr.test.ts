/** What a server writes to standard error before it is heard. */

import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { commandWay } from './server-stderr.ts';

test('the first text of a process is held back, but not more than 64 KB of it', async (t) => {
  // The time for which it is held back does not pass.
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const stderr = new PassThrough();
  const printed = new Promise<string>((resolve) => stderr.once('data', (chunk: Buffer) => resolve(String(chunk))));
  const program = "process.stderr.write('x'.repeat(100_000)); process.stdin.resume();";
  const way = commandWay(process.execPath, ['-e', program], {}, { stderr });
  const receiver = { message: () => undefined, problem: () => undefined, closed: () => undefined };
  const channel = await way.open(receiver);
  t.after(() => channel.close());
  assert.ok((await printed).length > 65_536);
});
