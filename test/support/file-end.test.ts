import assert from 'node:assert/strict';
import { test } from 'node:test';
import { atFileEnd, endFile } from './file-end.ts';

test('what a file shares is ended once, the last one first', async () => {
  const ended: string[] = [];
  for (const name of ['browser', 'page']) atFileEnd(() => void ended.push(name));
  await endFile();
  await endFile();
  assert.deepEqual(ended, ['page', 'browser']);
});
